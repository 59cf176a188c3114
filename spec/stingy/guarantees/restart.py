"""Restart filter.

A kube-proxy that starts is shown every slice there is, most of them changed long ago. To measure those
would be to measure how long it was down. The tracker notes when it was made, and leaves out every
trigger time that is not after that. (It came with Kubernetes 1.22; before, every trigger time counted.)

That is told in short as "ignores times *before* the start"; but the very instant of the start is ignored as
well. Nor does the filter see when something happened, only what is stamped on it: a clock that is ahead or
behind moves it (see Clock skew), and stamps in whole seconds leave out what happened in the second of the start.
"""

from __future__ import annotations

from dataclasses import dataclass

from stingy.contract import Nanoseconds
from stingy.contract.sources import METRICS, TRACKER, TRACKER_TESTS
from stingy.guarantees.delays import SET, Setting
from stingy.guarantees.trigger_times import WEB
from stingy.language import SECOND, Row, Tracker, between, rule

FILTER = TRACKER["trackerStartTime"]
A_DAY = 24 * 3600 * SECOND
SINCE_1_22 = {"restart_filter": "strict-after"}


@rule(
    cites=(TRACKER["trackerStartTime"], TRACKER_TESTS["TestLastChangeTriggerTime"]),
    after="trigger_times/a-trigger-time-is-handed-over",
    for_all={"before": between(1, A_DAY)},
    where=SINCE_1_22,
)
def what_was_before_the_start_is_not_measured(tracker: Tracker, before: Nanoseconds) -> None:
    """A trigger time before the tracker's start MUST be left out, were it by a nanosecond."""
    tracker.elapse(1 * SECOND)

    tracker.change("web", at=-before)

    assert tracker.checkout().times == {}


@rule(
    cites=(TRACKER["trackerStartTime"], TRACKER_TESTS["TestLastChangeTriggerTime"]),
    after="trigger_times/a-trigger-time-is-handed-over",
    for_all={"after": between(1, A_DAY)},
)
def what_was_after_the_start_is_measured(tracker: Tracker, after: Nanoseconds) -> None:
    """A trigger time after the tracker's start MUST be kept, were it by a nanosecond."""
    tracker.change("db")
    tracker.elapse(A_DAY)

    tracker.change("web", at=after)

    assert tracker.checkout().times == {WEB: [after]}


@rule(
    cites=TRACKER["EndpointSliceUpdate"].in_code,
    after="trigger_times/a-trigger-time-is-handed-over",
    where=SINCE_1_22,
)
def the_very_instant_of_the_start_is_left_out(tracker: Tracker) -> None:
    """A trigger time at the very instant of the tracker's start SHOULD be left out.

    kube-proxy asks whether the time is *after* the start. "Ignores times *before* the start", as it is
    told, and an implementation proposed for Cilium, keep this one instant.
    """
    tracker.change("web", at=0)

    assert tracker.checkout().times == {}


@rule(
    cites=FILTER,
    after="trigger_times/a-trigger-time-is-handed-over",
    for_all={"late": between(0, A_DAY)},
    where=SINCE_1_22,
)
def when_a_change_arrives_makes_no_difference(tracker: Tracker, late: Nanoseconds) -> None:
    """Whether a trigger time is kept MUST depend on the time itself alone, not on when the slice arrives.

    A slow watch delivers fresh changes late, and a relist delivers stale ones at any time.
    """
    tracker.change("db")
    tracker.elapse(late)

    tracker.change("web", at=1, slice_name="fresh")
    tracker.change("web", at=-1, slice_name="stale")

    assert tracker.checkout().times == {WEB: [1]}


@rule(
    cites=(METRICS["NetworkProgrammingLatency"], TRACKER["trackerStartTime"]),
    after="trigger_times/a-trigger-time-is-handed-over",
)
def a_time_still_to_come_is_kept(tracker: Tracker) -> None:
    """A trigger time that is ahead of the node's clock MUST be kept: it comes from a clock that is ahead.

    To drop it would hide the skew, and with it every latency that the skew makes negative.
    """
    tracker.change("web", at=30 * SECOND)

    assert tracker.checkout().times == {WEB: [30 * SECOND]}


@rule(
    cites=(TRACKER["lastChangeTriggerTimes"], TRACKER["trackerStartTime"]),
    after="trigger_times/a-trigger-time-is-handed-over",
    where=SINCE_1_22,
)
def one_stale_slice_poisons_nothing(tracker: Tracker) -> None:
    """A slice with a trigger time before the start MUST NOT keep out those of the service's other slices."""
    tracker.change("web", at=-1 * SECOND, slice_name="stale")
    tracker.change("web", at=1 * SECOND, slice_name="fresh")
    tracker.change("web", at=-2 * SECOND, slice_name="stale")

    assert tracker.checkout().times == {WEB: [1 * SECOND]}


@rule(
    cites=(TRACKER["UpdateEndpointsMapResult"], TRACKER["trackerStartTime"]),
    after="trigger_times/a-trigger-time-is-handed-over",
)
def what_is_not_measured_is_programmed(tracker: Tracker) -> None:
    """A slice whose trigger time is left out MUST still count as a change, and its service be named."""
    assert tracker.change("web", at=-1 * SECOND)

    assert tracker.checkout().services == frozenset({WEB})


@rule(cites=FILTER, after="restart/what-was-after-the-start-is-measured")
def the_start_is_fixed(tracker: Tracker) -> None:
    """The start that counts MUST stay the same for the tracker's life, whatever is checked out.

    A tracker that starts anew at each sync loses the changes that were triggered before the last one
    and arrive after it.
    """
    tracker.change("db")
    tracker.elapse(10 * SECOND)
    tracker.change("db", at=9 * SECOND)
    tracker.checkout()

    tracker.change("web", at=5 * SECOND)

    assert tracker.checkout().times == {WEB: [5 * SECOND]}


@rule(cites=FILTER, after="restart/what-was-after-the-start-is-measured")
def the_start_is_when_the_tracker_was_made(tracker: Tracker) -> None:
    """The start that counts MUST be the moment at which the tracker was made, not that of its first slice.

    Between the two lies the first list of all slices, which can take a while.
    """
    tracker.elapse(10 * SECOND)

    tracker.change("web", at=5 * SECOND)

    assert tracker.checkout().times == {WEB: [5 * SECOND]}


@rule(
    cites=FILTER,
    after=(
        "restart/what-was-before-the-start-is-not-measured",
        "restart/a-time-still-to-come-is-kept",
        "restart/the-start-is-when-the-tracker-was-made",
    ),
    each=SET,
    where=SINCE_1_22,
)
def a_clock_that_is_set_moves_no_start(tracker: Tracker, row: Setting) -> None:
    """The start that counts MUST stay what the clock showed when the tracker was made, though the clock is set later."""
    tracker.elapse(10 * SECOND)
    tracker.set_clock(row.by)

    tracker.change("web", at=5 * SECOND)
    tracker.change("db", at=-5 * SECOND)

    assert tracker.checkout().times == {WEB: [5 * SECOND]}, (
        "is the start kept, and not reckoned from the present?"
    )


@rule(
    cites=FILTER,
    after=(
        "restart/what-was-before-the-start-is-not-measured",
        "restart/the-start-is-when-the-tracker-was-made",
    ),
    where=SINCE_1_22,
)
def a_tracker_that_is_made_later_starts_later(tracker: Tracker) -> None:
    """A tracker that is made when there was another one before MUST note a start of its own.

    A node with two families of addresses has two trackers, and a proxy can be made anew in a process that goes on.
    """
    tracker.elapse(10 * SECOND)
    tracker.restarts()

    tracker.change("web", at=-1 * SECOND)

    assert tracker.checkout().times == {}, "is the start kept in each tracker, and not once for all?"


@dataclass(frozen=True)
class Old(Row):
    stamped: str
    before: Nanoseconds


MEASURED = "it is measured, as it was until kubernetes/kubernetes#100861 mended it"
LEFT_OUT = "it is left out, as it is since kubernetes/kubernetes#100861"


@rule(
    cites=FILTER,
    after="trigger_times/a-trigger-time-is-handed-over",
    each=[
        Old("at the very instant of the start", 0),
        Old("a nanosecond before it", 1),
        Old("ten years before it", 3650 * A_DAY),
    ],
    where={"restart_filter": "none"},
    contested=(MEASURED, LEFT_OUT),
)
def whether_what_was_before_the_start_is_measured(tracker: Tracker, row: Old) -> str:
    """Until 1.21, a trigger time from before the start MAY be measured, and that was a bug.

    Each restart measured every slice there was, so that the 99th percentile stood at the last bucket; that is
    why there is a filter (kubernetes/kubernetes#100861).
    """
    tracker.change("web", at=-row.before)

    times = tracker.checkout().times
    return {(): LEFT_OUT, (-row.before,): MEASURED}.get(tuple(times.get(WEB, ())), f"{times} are measured")
