"""Change tracker: what is a change.

A trigger time counts because something has changed, so the tracker has to tell a change from an echo. It
compares each slice with what it was told last. *What* it compares is another matter: kube-proxy looked at
ports and endpoints until Kubernetes 1.30, and looks at the whole object since. So today any write to a
slice is measured, were it `kubectl label` an hour later, and from the trigger time of what changed last:
that only changes after the start are measured, as one reads, is not quite so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from stingy.contract import Nanoseconds
from stingy.contract.sources import SLICE_CACHE, SLICE_CACHE_TESTS, TRACKER, TRACKER_TESTS
from stingy.guarantees.handing_out import MANY
from stingy.guarantees.trigger_times import (
    WEB,
)
from stingy.language import SECOND, Node, Row, Tracker, Trackers, rule

COMPARED = SLICE_CACHE["esDataChanged"]
PORTS = (80, 443)
ENDPOINTS = ("10.1.0.1", "10.1.0.2")


def stamped_slice(tracker: Node) -> None:
    """A slice that was stamped 1 s after the start, and has been programmed, and measured."""
    tracker.change("web", at=1 * SECOND, ports=PORTS, endpoints=ENDPOINTS)
    tracker.checkout()


@dataclass(frozen=True)
class Difference(Row):
    what_is_different: str
    fields: Mapping[str, Any]

    def cells(self) -> dict[str, str]:
        return {"what is different": self.what_is_different}


@rule(
    cites=(SLICE_CACHE["applied value"], SLICE_CACHE_TESTS["TestEsDataChanged"]),
    after=("trigger_times/a-new-slice-is-a-change", "trigger_times/a-checkout-empties-the-tracker"),
    each=[
        Difference("an endpoint more", {"endpoints": (*ENDPOINTS, "10.1.0.3")}),
        Difference("an endpoint less", {"endpoints": ENDPOINTS[:1]}),
        Difference("another endpoint in its place", {"endpoints": (ENDPOINTS[0], "10.1.0.3")}),
        Difference("a port more", {"ports": (*PORTS, 8080)}),
        Difference("a port less", {"ports": PORTS[:1]}),
        Difference("another port in its place", {"ports": (PORTS[0], 8443)}),
    ],
)
def what_is_programmed_is_compared(tracker: Tracker, row: Difference) -> None:
    """A slice whose ports or endpoints are not what they were MUST count as a change, with the trigger time on it."""
    stamped_slice(tracker)

    assert tracker.rewrite("web-1", **row.fields)

    assert tracker.checkout().times == {WEB: [1 * SECOND]}


@rule(
    cites=SLICE_CACHE["pending value"],
    after=("trigger_times/the-same-slice-again-is-no-change", "trigger_times/every-change-adds-its-time"),
)
def a_slice_is_compared_with_what_came_last(tracker: Tracker) -> None:
    """A slice that is pending MUST be compared with what it is to become, not with what is programmed.

    Otherwise the echo of a change is measured once more, and a slice that goes back is passed over, so that
    what it no longer is gets programmed.
    """
    tracker.change("web")
    tracker.checkout()
    tracker.change("web", at=2 * SECOND, endpoints=ENDPOINTS)

    assert not tracker.again("web-1")
    assert tracker.change("web", at=3 * SECOND)
    assert tracker.rewrite("web-1", at=4 * SECOND, endpoints=ENDPOINTS)

    assert sorted(tracker.checkout().times[WEB]) == [2 * SECOND, 3 * SECOND, 4 * SECOND]


@rule(
    cites=SLICE_CACHE["applied value"],
    after="changes/a-slice-is-compared-with-what-came-last",
)
def of_many_slices_each_is_known_again(tracker: Tracker) -> None:
    """However many slices there are, each MUST be known again when it comes once more, unchanged.

    A relist brings all of them. What a tracker of limited memory has forgotten is measured anew.
    """
    slices = [f"web-{n}" for n in range(1, MANY + 1)]
    for name in slices:
        tracker.change("web", at=1 * SECOND, slice_name=name)
    tracker.checkout()

    changed = [name for name in slices if tracker.again(name)]

    assert changed == [], "is there a cache of slices that can be full?"


@rule(cites=SLICE_CACHE["applied value"], after="changes/a-slice-is-compared-with-what-came-last")
def a_slice_may_go_back_to_what_it_was(tracker: Tracker) -> None:
    """A slice that has changed and been programmed MUST count as a change, with its trigger time, when it goes back to what it was."""
    tracker.change("web", endpoints=ENDPOINTS)
    tracker.checkout()
    tracker.change("web")
    tracker.checkout()

    assert tracker.rewrite("web-1", at=3 * SECOND, endpoints=ENDPOINTS)

    assert tracker.checkout().times == {WEB: [3 * SECOND]}


@rule(
    cites=(TRACKER_TESTS["TestEndpointSliceUpdate"], SLICE_CACHE["endpointSliceCacheKeys"]),
    after=(
        "trigger_times/a-new-slice-is-a-change",
        "trigger_times/namespaces-are-kept-apart",
        "trigger_times/changed-services-are-named-without-a-time",
    ),
)
def each_slice_is_compared_with_itself(tracker: Tracker) -> None:
    """Equal slices MUST each count as a change, with its own trigger time, if their names or their namespaces differ."""
    tracker.change("web", endpoints=ENDPOINTS, slice_name="web-1")

    assert tracker.change("web", at=1 * SECOND, endpoints=ENDPOINTS, slice_name="web-2")
    assert tracker.change("web", at=2 * SECOND, endpoints=ENDPOINTS, slice_name="web-1", namespace="test")

    assert tracker.checkout().times == {WEB: [1 * SECOND], "test/web": [2 * SECOND]}


@rule(
    cites=COMPARED,
    after="changes/a-slice-is-compared-with-what-came-last",
    contested=("both changes are measured", "neither is"),
)
def changes_that_cancel_out(tracker: Tracker) -> str:
    """Of a change and its undoing between two checkouts, the trigger times MAY be handed over, or neither.

    There is nothing to program, and so nothing to measure, says upstream's own definition, and kube-proxy left
    them out until 1.16. Since it reads EndpointSlices it counts them (kubernetes/kubernetes#83206).
    """
    tracker.change("web", at=1 * SECOND, endpoints=ENDPOINTS)
    tracker.checkout()
    tracker.change("web", at=2 * SECOND)
    tracker.rewrite("web-1", at=3 * SECOND, endpoints=ENDPOINTS)

    times = sorted(tracker.checkout().times.get(WEB, []))
    return {(): "neither is", (2 * SECOND, 3 * SECOND): "both changes are measured"}.get(
        tuple(times), "one of them is"
    )


@dataclass(frozen=True)
class Metadata(Row):
    """A difference in what is not programmed."""

    what_is_different: str
    leaves: Nanoseconds | None = 1 * SECOND
    """The trigger time that is then on it."""
    stamped: Nanoseconds | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)

    def cells(self) -> dict[str, str]:
        return {"what is different": self.what_is_different}


METADATA = (
    Metadata("its trigger time", 5 * SECOND, stamped=5 * SECOND),
    Metadata("that it has a trigger time no more", None, fields={"annotations": {}}),
    Metadata("its resourceVersion", fields={"resource_version": "4711"}),
    Metadata("a label", fields={"labels": {"colour": "blue"}}),
    Metadata("the order of its endpoints", fields={"endpoints": ENDPOINTS[::-1]}),
    Metadata("the order of its ports", fields={"ports": PORTS[::-1]}),
)


@rule(
    cites=(SLICE_CACHE_TESTS["TestEsDataChanged"], SLICE_CACHE["esDataChanged"]),
    after="trigger_times/the-same-slice-again-is-no-change",
    each=METADATA,
    where={"change_detection": "content"},
)
def metadata_is_no_change(tracker: Tracker, row: Metadata) -> None:
    """Until 1.30, a slice whose ports and endpoints are the same MUST NOT count as a change, nor leave a time.

    There is nothing to program. A tracker that compares the objects measures every label, from a trigger time
    that it has measured before.
    """
    stamped_slice(tracker)

    assert not tracker.rewrite("web-1", at=row.stamped, **row.fields)

    assert tracker.checkout().times == {}


@rule(
    cites=SLICE_CACHE["esDataChanged"].in_code,
    after=(
        "trigger_times/a-new-slice-is-a-change",
        "trigger_times/a-checkout-empties-the-tracker",
        "trigger_times/changed-services-are-named-without-a-time",
        "trigger_times/a-slice-that-is-handed-in-stays-as-it-was",
    ),
    each=METADATA,
    where={"change_detection": "object"},
)
def any_difference_is_a_change(tracker: Tracker, row: Metadata) -> None:
    """Since 1.31, any difference in a slice SHOULD count as a change, and leave whatever trigger time is on it.

    kube-proxy compares whole objects since kubernetes/kubernetes#124626, order and metadata included. To
    compare what is programmed measures less, and is none the worse for it.
    """
    stamped_slice(tracker)

    assert tracker.rewrite("web-1", at=row.stamped, **row.fields)

    assert tracker.checkout().times == ({} if row.leaves is None else {WEB: [row.leaves]})


@rule(
    cites=(TRACKER["addressType"], TRACKER_TESTS["TestEndpointSliceUpdate"]),
    after="trigger_times/a-trigger-time-is-handed-over",
    where={"family": "match"},
)
def the_other_family_is_passed_over(tracker_of: Trackers) -> None:
    """Since 1.33, a slice of IPv6 addresses MUST be passed over by a tracker made for IPv4: no change, no time.

    On a node with both families each has a tracker; one that takes everything measures each change twice
    (kubernetes/kubernetes#128819).
    """
    tracker = tracker_of("IPv4")

    assert not tracker.change("web", at=1 * SECOND, address_type="IPv6", endpoints=("fd00::1",))

    assert tracker.checkout().times == {}


@rule(
    cites=(TRACKER["addressType"], TRACKER_TESTS["TestEndpointSliceUpdate"]),
    after=("changes/the-other-family-is-passed-over", "trigger_times/a-new-slice-is-a-change"),
    where={"family": "match"},
)
def a_tracker_for_ipv6_passes_over_ipv4(tracker_of: Trackers) -> None:
    """Since 1.33, a slice of IPv4 addresses MUST be passed over by a tracker made for IPv6, which takes its own."""
    tracker = tracker_of("IPv6")

    assert not tracker.change("web", at=1 * SECOND)
    assert tracker.change(
        "web", at=2 * SECOND, slice_name="web-6", address_type="IPv6", endpoints=("fd00::1",)
    )

    assert tracker.checkout().times == {WEB: [2 * SECOND]}


@rule(
    cites=TRACKER["EndpointSliceUpdate"].in_code,
    after="trigger_times/a-trigger-time-is-handed-over",
    where={"family": "any-ip"},
)
def both_families_are_taken(tracker: Tracker) -> None:
    """Until 1.32, a slice of IPv6 addresses SHOULD count for a tracker made for IPv4, and leave its trigger time."""
    assert tracker.change("web", at=1 * SECOND, address_type="IPv6", endpoints=("fd00::1",))

    assert tracker.checkout().times == {WEB: [1 * SECOND]}


@rule(
    cites=SLICE_CACHE["endpointSliceCacheKeys"],
    after="trigger_times/a-slice-of-no-service-leaves-no-time",
    each=[
        Difference("its service is called nothing", {"service": ""}),
        Difference("it is called nothing", {"name": ""}),
        Difference("its namespace is called nothing", {"namespace": ""}),
    ],
)
def what_has_no_name_is_passed_over(tracker: Tracker, row: Difference) -> None:
    """A slice without a name, a namespace or a service SHOULD be passed over: no change, no time, no error."""
    assert not tracker.rewrite("web-1", at=1 * SECOND, **row.fields)

    assert tracker.checkout().times == {}
