"""Change tracker: removal.

A slice that is deleted still carries the trigger time of its last change. That is not when it was
deleted, and so it is not measured.

What is still pending when it comes is another question. Until Kubernetes 1.26 it stayed; since then all the
pending times of the service go, those of its other slices among them; a comment there owns to the problem.
"""

from __future__ import annotations

from stingy.contract.sources import SLICE_CACHE, TRACKER, TRACKER_TESTS
from stingy.guarantees.trigger_times import (
    WEB,
)
from stingy.language import SECOND, Tracker, TrackerRace, rule

REMOVAL = TRACKER["removeSlice"]


@rule(
    cites=(TRACKER["removeSlice"], TRACKER_TESTS["TestLastChangeTriggerTime"]),
    after="trigger_times/a-trigger-time-is-handed-over",
)
def a_removal_adds_no_time(tracker: Tracker) -> None:
    """The removal of a slice MUST NOT add the trigger time that the slice carries."""
    tracker.change("web", at=1 * SECOND)
    tracker.checkout()

    tracker.remove("web-1")

    assert tracker.checkout().times == {}


@rule(
    cites=(TRACKER["UpdateEndpointsMapResult"], TRACKER_TESTS["TestEndpointSliceUpdate"]),
    after=(
        "trigger_times/a-trigger-time-is-handed-over",
        "trigger_times/changed-services-are-named-without-a-time",
    ),
)
def a_removal_is_a_change(tracker: Tracker) -> None:
    """The removal of a slice that is known MUST count as a change, and its service be named."""
    tracker.change("web")
    tracker.checkout()

    assert tracker.remove("web-1")

    assert tracker.checkout().services == frozenset({WEB})


@rule(
    cites=(SLICE_CACHE["marked for removal"], TRACKER_TESTS["TestEndpointSliceUpdate"]),
    after="trigger_times/a-trigger-time-is-handed-over",
)
def what_is_unknown_cannot_be_removed(tracker: Tracker) -> None:
    """The removal of a slice that is not known MUST NOT count as a change, nor cost the service its times."""
    tracker.change("web", at=1 * SECOND)

    assert not tracker.remove("web-9")

    assert tracker.checkout().times == {WEB: [1 * SECOND]}


@rule(
    cites=(TRACKER_TESTS["TestLastChangeTriggerTime"], TRACKER["removeSlice"]),
    after="trigger_times/a-trigger-time-is-handed-over",
)
def what_comes_after_a_removal_counts(tracker: Tracker) -> None:
    """A change after the removal of its slice MUST add its trigger time as any other."""
    tracker.change("web", at=1 * SECOND)
    tracker.checkout()
    tracker.remove("web-1")

    tracker.change("web", at=4 * SECOND)

    assert tracker.checkout().times == {WEB: [4 * SECOND]}


@rule(
    cites=REMOVAL,
    after="trigger_times/a-trigger-time-is-handed-over",
    contested=("they are dropped", "they are kept"),
    where={"removal": "drop-service"},
)
def the_times_of_a_removed_slices_siblings(tracker: Tracker) -> str:
    """The pending trigger times of a service's other slices MAY be dropped when one slice is removed.

    kube-proxy does so since 1.27, and calls it a problem to be addressed (kubernetes/kubernetes#114757).
    """
    tracker.change("web", at=1 * SECOND, slice_name="web-1")
    tracker.change("web", at=2 * SECOND, slice_name="web-2")

    tracker.remove("web-2")

    times = tracker.checkout().times.get(WEB, [])
    return "they are kept" if 1 * SECOND in times else "they are dropped"


@rule(cites=REMOVAL, after="removal/a-removal-adds-no-time")
def a_removal_adds_not_even_a_new_time(tracker: Tracker) -> None:
    """The removal of a slice MUST NOT add the trigger time that it comes with, though it is a new one.

    An informer that has missed the last change delivers it with the removal (kubernetes/kubernetes#95363).
    """
    tracker.change("web", at=1 * SECOND)
    tracker.checkout()

    tracker.remove("web-1", at=9 * SECOND)

    assert tracker.checkout().times == {}


@rule(
    cites=(TRACKER["lastChangeTriggerTimes"], TRACKER["removeSlice"]),
    after="trigger_times/namespaces-are-kept-apart",
)
def other_services_keep_their_times(tracker: Tracker) -> None:
    """The removal of a slice MUST NOT cost any other service its pending trigger times, nor one of another namespace."""
    tracker.change("web", at=1 * SECOND)
    tracker.change("db", at=2 * SECOND)
    tracker.change("web", at=3 * SECOND, namespace="test")

    tracker.remove("web-1")

    times = tracker.checkout().times
    assert times.get("shop/db") == [2 * SECOND]
    assert times.get("test/web") == [3 * SECOND]


@rule(cites=SLICE_CACHE["marked for removal"], after="removal/a-removal-is-a-change")
def what_has_gone_cannot_be_removed(tracker: Tracker) -> None:
    """The removal of a slice whose removal has been checked out MUST NOT count as a change."""
    tracker.change("web")
    tracker.checkout()
    tracker.remove("web-1")
    tracker.checkout()

    assert not tracker.remove("web-1")

    assert tracker.checkout().services == frozenset()


@rule(cites=SLICE_CACHE["esDataChanged"].in_code, after="removal/a-removal-is-a-change")
def a_second_removal_is_no_change(tracker: Tracker) -> None:
    """The same removal of a slice once more, before the first one is checked out, SHOULD NOT count as a change."""
    tracker.change("web")
    tracker.checkout()
    tracker.remove("web-1")

    assert not tracker.remove("web-1")


@rule(
    cites=SLICE_CACHE["esDataChanged"],
    after="removal/a-removal-is-a-change",
    contested=("it is a change", "it is none"),
)
def a_second_removal_with_other_metadata(tracker: Tracker) -> str:
    """The removal of a slice once more, now with another resourceVersion, MAY count as a change.

    It does since kube-proxy compares whole objects, removed ones as well (kubernetes/kubernetes#124626).
    """
    tracker.change("web")
    tracker.checkout()
    tracker.remove("web-1")

    return "it is a change" if tracker.remove("web-1", resource_version="4711") else "it is none"


@rule(
    cites=SLICE_CACHE["not in the cache"],
    after=(
        "trigger_times/a-new-slice-is-a-change",
        "removal/a-removal-is-a-change",
        "removal/what-comes-after-a-removal-counts",
    ),
)
def a_removed_slice_can_come_back_as_it_was(tracker: Tracker) -> None:
    """A slice that comes again after its removal has been checked out MUST count as a change, even if it is the same, and leave its trigger time."""
    tracker.change("web", at=1 * SECOND)
    tracker.checkout()
    tracker.remove("web-1")
    tracker.checkout()

    assert tracker.again("web-1")

    assert tracker.checkout().times == {WEB: [1 * SECOND]}


@rule(
    cites=SLICE_CACHE["not in the cache"],
    after=("removal/a-removed-slice-can-come-back-as-it-was", "removal/what-has-gone-cannot-be-removed"),
)
def a_slice_that_comes_back_in_time_is_there(tracker: Tracker) -> None:
    """A slice that is removed, and comes back as it was before the removal is checked out, MUST be there: its next removal is a change."""
    tracker.change("web")
    tracker.checkout()
    tracker.remove("web-1")
    tracker.again("web-1")
    tracker.checkout()

    assert tracker.remove("web-1"), "is what comes back compared with what is to be removed?"


@rule(
    cites=SLICE_CACHE["applied value"],
    after=("trigger_times/the-same-slice-again-is-no-change", "removal/a-removal-is-a-change"),
)
def a_slice_that_replaces_the_last_one_is_known(tracker: Tracker) -> None:
    """A slice that comes as the last one of its service goes MUST be known from the next checkout on: again, it is no change.

    Of a dozen services, for in which order the two are looked at may be left to chance.
    """
    services = [f"web-{n}" for n in range(1, 13)]
    for service in services:
        tracker.change(service)
    tracker.checkout()
    for service in services:
        tracker.remove(f"{service}-1", service)
        tracker.change(service, slice_name=f"{service}-2")
    tracker.checkout()

    assert [service for service in services if tracker.again(f"{service}-2")] == [], (
        "is a service forgotten when its last slice goes, though another one came meanwhile?"
    )


@rule(
    cites=TRACKER["removeSlice"].in_code,
    after="removal/a-removal-adds-no-time",
    where={"removal": "drop-service"},
)
def the_times_of_a_removed_slice_go_with_it(tracker: Tracker) -> None:
    """Since 1.27, the pending trigger times of a slice SHOULD be dropped when it is removed.

    What was to be programmed then never is.
    """
    tracker.change("web", at=1 * SECOND)
    tracker.change("web", at=2 * SECOND)

    tracker.remove("web-1")

    assert tracker.checkout().times == {}


@rule(
    cites=(TRACKER["UpdateEndpointsMapResult"], TRACKER["lock"]),
    after=("removal/a-removal-is-a-change", "trigger_times/a-checkout-empties-the-tracker"),
)
def a_removal_is_named_by_some_checkout(tracker: TrackerRace) -> None:
    """The service of a slice that is removed while a proxy checks out MUST be named: by that checkout, or the next.

    One that is named by neither keeps its rules, and traffic goes to Pods that are gone.
    """
    tracker.change("web", at=1 * SECOND)
    tracker.checkout()

    during = tracker.run(tracker.a_removal("web-1"))

    assert WEB in during.services | tracker.checkout().services


@rule(
    cites=TRACKER["removeSlice"].in_code,
    after=(
        "removal/the-times-of-a-removed-slice-go-with-it",
        "removal/a-removal-is-named-by-some-checkout",
        "checkout/no-time-comes-after-its-change",
    ),
    where={"removal": "drop-service"},
)
def times_are_handed_over_before_the_removal_or_not_at_all(tracker: TrackerRace) -> None:
    """Since 1.27, a checkout that hands over the pending times of a slice SHOULD leave its removal to the next one.

    One that has the removal too measures what it never programmed. A tracker that drops the times after it has let go of
    its lock does so.
    """
    tracker.change("web", at=1 * SECOND)

    during = tracker.run(tracker.a_removal("web-1"))

    after = tracker.checkout()
    assert WEB not in during.times or WEB in after.services


KEPT = "they stay, as they did until kubernetes/kubernetes#114757 mended it"
DROPPED = "they are dropped, as they are since kubernetes/kubernetes#114757"


@rule(
    cites=REMOVAL,
    after="trigger_times/a-trigger-time-is-handed-over",
    where={"removal": "keep"},
    contested=(KEPT, DROPPED),
)
def whether_a_removal_takes_times(tracker: Tracker) -> str:
    """Until 1.26, the pending trigger times of a slice MAY stay when it is removed, and that was a bug.

    The test of Endpoints, when it was put to slices, turned it up (kubernetes/kubernetes#114757).
    """
    tracker.change("web", at=1 * SECOND)
    tracker.change("web", at=2 * SECOND)

    tracker.remove("web-1")

    times = tracker.checkout().times
    return {(): DROPPED, (1 * SECOND, 2 * SECOND): KEPT}.get(
        tuple(sorted(times.get(WEB, ()))), f"{times} stay"
    )
