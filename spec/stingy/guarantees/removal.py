"""Removal.

A slice that is deleted still carries the trigger time of its last change. That is not when it was
deleted, and so it is not measured.
"""

from __future__ import annotations

from stingy.guarantees.trigger_times import WEB, a_trigger_time_is_handed_over
from stingy.language import SECOND, Node, rule
from stingy.sources import SLICE_CACHE, TRACKER

REMOVAL = TRACKER["removeSlice"]


@rule(cites=REMOVAL, after=[a_trigger_time_is_handed_over])
def a_removal_adds_no_time(tracker: Node) -> None:
    """The removal of a slice MUST NOT add the trigger time that the slice carries."""
    tracker.change("web", at=1 * SECOND)
    tracker.checkout()

    tracker.remove("web-1")

    assert tracker.checkout().times == {}


@rule(cites=SLICE_CACHE["esDataChanged"], after=[a_trigger_time_is_handed_over])
def a_removal_is_a_change(tracker: Node) -> None:
    """The removal of a slice that is known MUST count as a change, and its service be named."""
    tracker.change("web")
    tracker.checkout()

    assert tracker.remove("web-1")

    assert tracker.checkout().services == frozenset({WEB})


@rule(cites=SLICE_CACHE["esDataChanged"], after=[a_trigger_time_is_handed_over])
def what_is_unknown_cannot_be_removed(tracker: Node) -> None:
    """The removal of a slice that is not known MUST NOT count as a change, nor cost the service its times."""
    tracker.change("web", at=1 * SECOND)

    assert not tracker.remove("web-9")

    assert tracker.checkout().times == {WEB: [1 * SECOND]}


@rule(cites=REMOVAL, after=[a_trigger_time_is_handed_over])
def what_comes_after_a_removal_counts(tracker: Node) -> None:
    """A change after the removal of its slice MUST add its trigger time as any other."""
    tracker.change("web", at=1 * SECOND)
    tracker.checkout()
    tracker.remove("web-1")

    tracker.change("web", at=4 * SECOND)

    assert tracker.checkout().times == {WEB: [4 * SECOND]}


@rule(
    cites=REMOVAL,
    after=[a_trigger_time_is_handed_over],
    contested=("they are dropped", "they are kept"),
)
def the_times_of_a_removed_slices_siblings(tracker: Node) -> str:
    """The pending trigger times of a service's other slices MAY be dropped when one slice is removed.

    kube-proxy drops them since 1.27, and calls it a problem to be addressed; before, it kept them.
    """
    tracker.change("web", at=1 * SECOND, slice_name="web-1")
    tracker.change("web", at=2 * SECOND, slice_name="web-2")

    tracker.remove("web-2")

    times = tracker.checkout().times.get(WEB, [])
    return "they are kept" if 1 * SECOND in times else "they are dropped"
