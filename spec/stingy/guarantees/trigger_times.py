"""Change tracker: trigger times.

When a Pod becomes Ready or a Service is created, the control plane stamps the EndpointSlice with that
moment, the *trigger time*. kube-proxy's change tracker keeps the trigger times of a service's changes
until the next sync checks them out.
"""

from __future__ import annotations

from stingy.contract.sources import INFORMERS, SLICE_CACHE, TRACKER, TRACKER_TESTS
from stingy.guarantees.handing_out import MANY
from stingy.guarantees.triggers import RUN_TOGETHER, RunTogether
from stingy.language import SECOND, Compound, Tracker, numbers, rule

WEB = "shop/web"


@rule(cites=(TRACKER["lastChangeTriggerTimes"], TRACKER_TESTS["TestLastChangeTriggerTime"]))
def a_trigger_time_is_handed_over(tracker: Tracker) -> None:
    """The trigger time of a change MUST be handed over by the next checkout, under its service's name."""
    tracker.change("web", at=1 * SECOND)

    assert tracker.checkout().times == {WEB: [1 * SECOND]}


@rule(
    cites=(TRACKER["EndpointSliceUpdate"], TRACKER_TESTS["TestEndpointSliceUpdate"]),
    after="trigger_times/a-trigger-time-is-handed-over",
)
def a_new_slice_is_a_change(tracker: Tracker) -> None:
    """Update MUST say that there is something to program for a slice that was not there before."""
    assert tracker.change("web")


@rule(
    cites=INFORMERS["ResourceEventHandler"],
    after="trigger_times/a-new-slice-is-a-change",
)
def a_slice_that_is_handed_in_stays_as_it_was(tracker: Tracker) -> None:
    """A tracker MUST NOT alter a slice that it is handed, nor anything in it.

    The informer hands the same object to all its handlers.
    """
    tracker.change("web", at=1 * SECOND, labels={"tier": "front"})
    tracker.again()
    tracker.rewrite(at=2 * SECOND)
    tracker.checkout()
    tracker.remove()

    assert tracker.altered() == [], "does it pop the annotation, or write to the object? Copy it first."


@rule(
    cites=(SLICE_CACHE["applied value"], TRACKER_TESTS["TestEndpointSliceUpdate"]),
    after="trigger_times/a-slice-that-is-handed-in-stays-as-it-was",
)
def the_same_slice_again_is_no_change(tracker: Tracker) -> None:
    """A slice that comes again unchanged MUST NOT count as a change, nor its trigger time twice.

    Informers relist and resync; each of these would otherwise be measured as a change.
    """
    tracker.change("web", at=1 * SECOND)

    assert not tracker.again("web-1")

    assert tracker.checkout().times == {WEB: [1 * SECOND]}
    assert not tracker.again("web-1")
    assert tracker.checkout().times == {}


@rule(
    cites=(TRACKER["lastChangeTriggerTimes"], TRACKER_TESTS["TestLastChangeTriggerTime"]),
    after="trigger_times/a-trigger-time-is-handed-over",
    for_all={"changes": numbers(2, 6)},
)
def every_change_adds_its_time(tracker: Tracker, changes: int) -> None:
    """Each change MUST add its trigger time to those of its service: none replaces another."""
    stamped = [n * SECOND for n in range(1, changes + 1)]

    for at in stamped:
        tracker.change("web", at=at)

    assert sorted(tracker.checkout().times[WEB]) == stamped


@rule(
    cites=TRACKER["lastChangeTriggerTimes"],
    after="trigger_times/every-change-adds-its-time",
)
def of_many_times_none_is_left_out(tracker: Tracker) -> None:
    """However often a service changes before it is checked out, each of these trigger times MUST be handed over.

    A node that cannot write its rules gathers them by the thousand; a tracker that keeps the last hundred is wrong just then.
    """
    stamped = [n * SECOND for n in range(1, MANY + 1)]

    for at in stamped:
        tracker.change("web", at=at)

    assert sorted(tracker.checkout().times[WEB]) == stamped, (
        "is there a buffer that can be full, or a ring that overwrites?"
    )


@rule(
    cites=TRACKER["lastChangeTriggerTimes"].in_code,
    after="trigger_times/every-change-adds-its-time",
)
def equal_times_are_kept(tracker: Tracker) -> None:
    """Two slices changed by one event SHOULD leave its trigger time twice: one observation for each.

    An implementation proposed for Cilium kept each time once; its counts cannot be compared.
    """
    tracker.change("web", at=3 * SECOND, slice_name="web-1")
    tracker.change("web", at=3 * SECOND, slice_name="web-2")

    assert tracker.checkout().times == {WEB: [3 * SECOND, 3 * SECOND]}


@rule(
    cites=TRACKER["lastChangeTriggerTimes"].in_code,
    after="trigger_times/every-change-adds-its-time",
)
def the_times_are_in_order_of_arrival(tracker: Tracker) -> None:
    """The trigger times of a service SHOULD be handed over in the order in which the changes arrived."""
    tracker.change("web", at=3 * SECOND)
    tracker.change("web", at=1 * SECOND)
    tracker.change("web", at=2 * SECOND)

    assert tracker.checkout().times == {WEB: [3 * SECOND, 1 * SECOND, 2 * SECOND]}


@rule(cites=TRACKER["lastChangeTriggerTimes"], after="trigger_times/a-trigger-time-is-handed-over")
def slices_of_a_service_belong_together(tracker: Tracker) -> None:
    """Trigger times MUST be gathered by service, whatever the names of its slices."""
    tracker.change("web", at=1 * SECOND, slice_name="blue")
    tracker.change("web", at=2 * SECOND, slice_name="green")
    tracker.change("db", at=3 * SECOND, slice_name="red")

    times = tracker.checkout().times
    assert {service: sorted(given) for service, given in times.items()} == {
        WEB: [1 * SECOND, 2 * SECOND],
        "shop/db": [3 * SECOND],
    }


@rule(cites=TRACKER["lastChangeTriggerTimes"], after="trigger_times/a-trigger-time-is-handed-over")
def namespaces_are_kept_apart(tracker: Tracker) -> None:
    """Services of the same name in two namespaces MUST be kept apart."""
    tracker.change("web", at=1 * SECOND, namespace="shop")
    tracker.change("web", at=2 * SECOND, namespace="test")

    assert tracker.checkout().times == {"shop/web": [1 * SECOND], "test/web": [2 * SECOND]}


@rule(
    cites=TRACKER["lastChangeTriggerTimes"],
    after="trigger_times/namespaces-are-kept-apart",
    each=RUN_TOGETHER,
)
def names_that_run_together_are_kept_apart(tracker: Tracker, row: RunTogether) -> None:
    """Services MUST be kept apart even if namespace and name, one behind the other, read the same."""
    tracker.change(Compound(f"b{row.between}", "c"), at=1 * SECOND, namespace="a")
    tracker.change("c", at=2 * SECOND, namespace=Compound(f"a{row.between}", "b"))

    assert tracker.checkout().times == {
        f"a/b{row.between}c": [1 * SECOND],
        f"a{row.between}b/c": [2 * SECOND],
    }, "are namespace and name joined to one text as the key?"


@rule(cites=TRACKER["checkoutTriggerTimes"], after="trigger_times/a-trigger-time-is-handed-over")
def a_checkout_empties_the_tracker(tracker: Tracker) -> None:
    """A checkout MUST hand over everything and leave nothing: the next one is empty."""
    tracker.change("web", at=1 * SECOND)
    tracker.change("db", at=2 * SECOND)
    tracker.checkout()

    again = tracker.checkout()

    assert again.times == {}
    assert again.services == frozenset()


@rule(
    cites=TRACKER["UpdateEndpointsMapResult"],
    after="trigger_times/a-trigger-time-is-handed-over",
)
def changed_services_are_named_without_a_time(tracker: Tracker) -> None:
    """A checkout MUST name every service that changed, though its slices carry no trigger time."""
    tracker.change("web")

    assert tracker.checkout().services == frozenset({WEB})


@rule(cites=TRACKER["zero value"], after="trigger_times/changed-services-are-named-without-a-time")
def a_change_without_a_time_takes_none(tracker: Tracker) -> None:
    """A change that carries no trigger time MUST NOT cost its service those that it has.

    When a Pod goes away, nobody stamps the slice; the change before it is still to be measured.
    """
    tracker.change("web", at=1 * SECOND)

    tracker.change("web")

    assert tracker.checkout().times == {WEB: [1 * SECOND]}


@rule(
    cites=(TRACKER_TESTS["TestUpdateEndpointsMap"], TRACKER["EndpointSliceUpdate"]),
    after=("trigger_times/a-trigger-time-is-handed-over", "trigger_times/a-new-slice-is-a-change"),
)
def a_slice_may_be_empty(tracker: Tracker) -> None:
    """A slice without endpoints MUST count like any other: its service has just lost its last one."""
    tracker.change("web")
    tracker.checkout()

    assert tracker.change("web", at=1 * SECOND, endpoints=())
    assert tracker.checkout().times == {WEB: [1 * SECOND]}


@rule(
    cites=(TRACKER_TESTS["TestEndpointSliceUpdate"], TRACKER["EndpointSliceUpdate"]),
    after="trigger_times/a-trigger-time-is-handed-over",
)
def names_are_no_business_of_the_proxy(tracker: Tracker) -> None:
    """A slice of addresses that are names (FQDN) MUST NOT count as a change, nor leave a trigger time."""
    assert not tracker.change("web", at=1 * SECOND, address_type="FQDN")

    assert tracker.checkout().times == {}


@rule(
    cites=SLICE_CACHE["endpointSliceCacheKeys"],
    after="trigger_times/a-trigger-time-is-handed-over",
)
def a_slice_of_no_service_leaves_no_time(tracker: Tracker) -> None:
    """A slice that belongs to no service SHOULD be passed over: no change, no time, no error."""
    assert not tracker.change("web", at=1 * SECOND, labelled=False)

    assert tracker.checkout().times == {}
