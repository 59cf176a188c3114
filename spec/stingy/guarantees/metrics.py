"""Metrics.

What a work queue tells of itself, if it has a name: how much has been added (*adds*) and how much of that
nobody has taken yet (*depth*); how long items wait (*queue duration*) and how long they take (*work
duration*); how long all that are in processing have been so (*unfinished work*), and the one that has been
so longest (*longest running*); and how much was added to come later (*retries*).

The two gauges of what is in processing may be half a second behind.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from stingy.contract import MICROSECOND, Nanoseconds
from stingy.contract.sources import DELAYING, DOC, METRIC_HELP, METRIC_TESTS, QUEUE, QUEUE_METRICS
from stingy.guarantees.handing_out import ONE_HASH
from stingy.language import (
    MILLISECOND,
    MINUTE,
    SECOND,
    DelayingQueue,
    Measured,
    Program,
    Queue,
    Race,
    Row,
    With,
    about,
    between,
    forms,
    numbers,
    parse_steps,
    rule,
    steps,
)
from stingy.language.paths import walks
from stingy.language.walk import Promise, keeps
from stingy.language.walked import WalkedQueue

MeasuredDelaying = Annotated[DelayingQueue, With("metrics")]

WORK_DURATION = QUEUE_METRICS["workDuration"]


def lasted(span: Nanoseconds) -> object:
    """A duration: of a coarse clock, or of a queue that takes its time to look at it."""
    return about(span, early=MILLISECOND, late=SECOND)


def aged(span: Nanoseconds) -> object:
    """A gauge that is looked after from time to time."""
    return about(span, early=2 * SECOND, late=2 * SECOND)


CALLS = ("add ITEM", "get", "ask", "done ITEM", "shut_down")
NOW = forms(*CALLS)
LATER = forms(*CALLS, "add ITEM after SPAN", "SPAN")


AS_THEY_ARE_RENEWED = (
    ("idle, half a second after it was made", "", "pause for 500 ms"),
    ("idle, when something is due by itself", "", "pause"),
    ("with an item in processing, after half a second", "add a; 1 get", "pause for 500 ms"),
    ("with an item in processing, when something is due by itself", "add a; 1 get", "pause"),
)
"""Title, what comes before, and how long a lane pauses until the gauges may just be renewed."""


def make(queue: Queue, call: str) -> None:
    match NOW.read(call):
        case ["add", item]:
            queue.add(item)
        case ["get"]:
            queue.get()
        case ["ask"]:
            queue.ask()
        case ["done", item]:
            queue.done(item)
        case ["shut_down"]:
            queue.shut_down()


def make_later(queue: DelayingQueue, call: str) -> None:
    match LATER.read(call):
        case ["add after", item, span]:
            queue.add_after(item, span)
        case ["", span]:
            queue.elapse(span)
        case _:
            make(queue, call)


def is_legal(queue: Queue, call: str) -> bool:
    """Whether a call that was drawn may be made: no Done of an item that nobody holds."""
    what, *items = LATER.read(call)
    return what != "done" or items[0] in queue.held


@dataclass(frozen=True)
class Counted(Row):
    what: str
    calls: str
    counted: int


@rule(
    cites=(METRIC_HELP["adds"], METRIC_TESTS["TestMetrics"]),
    after=(
        "stingy/added-many-times-is-handed-out-once",
        "once_more/many-adds-during-a-run-bring-it-back-once",
        "shutdown/what-is-added-after-shutdown-is-ignored",
        "shutdown/an-add-after-shutdown-is-ignored-for-an-item-in-processing",
    ),
    each=[
        Counted("nothing", "shut_down", 0),
        Counted("two items", "add a, add b", 2),
        Counted("an item that is queued", "add a, add a", 1),
        Counted("an item in processing", "add a, get, add a", 2),
        Counted("an item in processing, twice", "add a, get, add a, add a", 2),
        Counted("an item that has come back", "add a, get, add a, done a, get, done a", 2),
        Counted("an item that has been finished", "add a, get, done a, add a", 2),
        Counted("an item after a shutdown", "shut_down, add a", 0),
        Counted("an item in processing, after a shutdown", "add a, get, shut_down, add a, done a", 1),
    ],
)
def adds_counts_what_is_news(measured: Measured, row: Counted) -> None:
    """Adds MUST count an Add where it makes the item one that has to be processed, and nothing else."""
    for call in parse_steps(row.calls):
        make(measured, call)

    assert measured.metrics().adds == row.counted


@rule(
    cites=(METRIC_HELP["depth"], METRIC_TESTS["TestMetrics"]),
    after=(
        "stingy/added-many-times-is-handed-out-once",
        "once_more/added-while-processed-comes-back-after-done",
        "shutdown/what-is-added-after-shutdown-is-ignored",
    ),
    each=[
        Counted("two items", "add a, add b", 2),
        Counted("an item that was added twice", "add a, add a", 1),
        Counted("one of two is taken", "add a, add b, get", 1),
        Counted("it is finished", "add a, get, done a", 0),
        Counted("it has come back", "add a, get, add a, done a", 1),
        Counted("it is taken again", "add a, get, add a, done a, get", 0),
        Counted("it is added after a shutdown", "shut_down, add a", 0),
    ],
)
def depth_counts_what_nobody_has_taken(measured: Measured, row: Counted) -> None:
    """Depth MUST be the number of items that have been added and not been handed out since."""
    for call in parse_steps(row.calls):
        make(measured, call)

    assert measured.metrics().depth == row.counted


@rule(
    cites=(METRIC_TESTS["TestMetrics"], METRIC_HELP["depth"]),
    after=("stingy/one-worker-at-a-time", "metrics/depth-counts-what-nobody-has-taken"),
)
def depth_counts_what_waits_for_its_done(measured: Measured) -> None:
    """Depth MUST count an item that was added again while a worker holds it.

    There is work to come that Len does not show: nobody can take it yet.
    """
    measured.add("a")
    measured.get()

    measured.add("a")
    measured.add("a")

    assert measured.metrics().depth == 1


@rule(
    cites=METRIC_HELP["depth"],
    after=("shutdown/what-was-queued-is-still-handed-out", "metrics/depth-counts-what-nobody-has-taken"),
)
def depth_counts_what_was_queued_at_a_shutdown(measured: Measured) -> None:
    """After a shutdown depth MUST go on counting what was queued before, until it is handed out."""
    measured.add("a")
    measured.add("b")

    measured.shut_down()

    assert measured.metrics().depth == 2

    measured.get()

    assert measured.metrics().depth == 1


@rule(
    cites=METRIC_HELP["depth"],
    after="metrics/depth-counts-what-nobody-has-taken",
    for_all={
        "calls": steps("add a", "add b", "add c", "ask", "done a", "done b", "done c", least=8, most=30)
    },
)
def depth_is_never_negative_and_nothing_remains(measured: Measured, calls: list[str]) -> None:
    """Whatever is called, depth MUST NOT be negative, and is 0 when all has been done.

    The depth of controller-runtime's priority queue was negative twice
    (kubernetes-sigs/controller-runtime#3066, kubernetes-sigs/controller-runtime#3085), and so was that of a
    queue with two lanes that the same key could be in.
    """
    for call in calls:
        if is_legal(measured, call):
            make(measured, call)
        assert measured.metrics().depth >= 0

    measured.take_all()

    assert measured.metrics().depth == 0


@rule(
    cites=(METRIC_HELP["queue duration"], METRIC_TESTS["TestMetrics"]),
    after="handing_out/a-finished-item-stays-away",
    for_all={"span": between(0, 5 * MINUTE)},
)
def queue_duration_is_the_time_from_add_to_get(measured: Measured, span: Nanoseconds) -> None:
    """At a Get, the time since the item was added MUST be observed as queue duration, in seconds.

    Seconds with their fractions: most waits are shorter than one.
    """
    measured.add("a")
    measured.elapse(span)

    measured.get()

    assert measured.metrics().queue_duration == [lasted(span)]


@dataclass(frozen=True)
class Short(Row):
    lasts: str
    span: Nanoseconds

    def cells(self) -> dict[str, str]:
        return {"lasts": self.lasts}


@rule(
    cites=(QUEUE_METRICS["latency"].in_code, WORK_DURATION.in_code),
    after="metrics/queue-duration-is-the-time-from-add-to-get",
    each=[
        Short("999 µs", 999 * MICROSECOND),
        Short("250 µs", 250 * MICROSECOND),
        Short("20 µs", 20 * MICROSECOND),
    ],
)
def a_duration_below_a_millisecond_is_one(measured: Measured, row: Short) -> None:
    """A wait, or a run, of less than a millisecond SHOULD be observed for as long as it was.

    Most items of an idle queue wait for less; the buckets of Kubernetes begin at 10 ns. By a clock that counts
    milliseconds, all of them take no time.
    """
    lasting: object = about(row.span)
    measured.add("a")
    measured.elapse(row.span)
    measured.get()
    measured.elapse(row.span)

    measured.done("a")

    told = measured.metrics()
    assert [*told.queue_duration, *told.work_duration] == [lasting, lasting]


@rule(
    cites=METRIC_HELP["queue duration"],
    after=(
        "stingy/added-many-times-is-handed-out-once",
        "metrics/queue-duration-is-the-time-from-add-to-get",
    ),
)
def a_duplicate_does_not_begin_a_queue_duration_anew(measured: Measured) -> None:
    """Queue duration MUST be counted from the first Add of an item that is queued, however often it is added.

    Otherwise the busiest items would seem to be those that wait least.
    """
    measured.add("a")
    measured.elapse(MINUTE)

    measured.add("a")
    measured.elapse(2 * MINUTE)
    measured.get()

    assert measured.metrics().queue_duration == [lasted(3 * MINUTE)]


@rule(
    cites=(METRIC_HELP["queue duration"], METRIC_TESTS["TestMetrics"]),
    after=(
        "once_more/added-while-processed-comes-back-after-done",
        "metrics/queue-duration-is-the-time-from-add-to-get",
    ),
)
def queue_duration_contains_what_remains_of_a_run(measured: Measured) -> None:
    """Queue duration of an item that was added during a run MUST be counted from the first such Add.

    What happened to the item has been waiting since then.
    """
    measured.add("a")
    measured.get()
    measured.add("a")
    measured.elapse(3 * MINUTE)
    measured.add("a")
    measured.elapse(4 * MINUTE)
    measured.done("a")
    measured.elapse(2 * MINUTE)

    measured.get()

    assert measured.metrics().queue_duration == [lasted(0), lasted(9 * MINUTE)]


@rule(
    cites=(METRIC_HELP["work duration"], METRIC_TESTS["TestMetrics"]),
    after="handing_out/a-finished-item-stays-away",
    for_all={"span": between(0, 5 * MINUTE)},
)
def work_duration_is_the_time_from_get_to_done(measured: Measured, span: Nanoseconds) -> None:
    """At a Done, the time since the item was handed out MUST be observed as work duration, in seconds."""
    measured.add("a")
    measured.elapse(MINUTE)
    measured.get()
    measured.elapse(span)

    measured.done("a")

    assert measured.metrics().work_duration == [lasted(span)]


TIMED = (
    "metrics/queue-duration-is-the-time-from-add-to-get",
    "metrics/work-duration-is-the-time-from-get-to-done",
)


@rule(cites=(QUEUE_METRICS["latency"].in_code, WORK_DURATION.in_code), after=TIMED)
def a_clock_that_is_set_changes_no_duration(measured: Measured) -> None:
    """Both durations SHOULD be the time that passed, though somebody sets the wall clock meanwhile."""
    measured.add("a")
    measured.elapse(MINUTE)
    measured.set_clock(-60 * MINUTE)
    measured.get()
    measured.set_clock(60 * MINUTE)
    measured.elapse(2 * MINUTE)

    measured.done("a")

    told = measured.metrics()
    assert told.queue_duration == [lasted(MINUTE)], "are they times of day? Use a monotonic clock."
    assert told.work_duration == [lasted(2 * MINUTE)], "are they times of day? Use a monotonic clock."


@rule(
    cites=(METRIC_HELP["queue duration"], METRIC_HELP["work duration"]),
    after=TIMED,
)
def each_item_is_timed_for_itself(measured: Measured) -> None:
    """With several items about, both durations MUST be those of the very item that is taken, or finished."""
    measured.add("a")
    measured.elapse(MINUTE)
    measured.add("b")
    measured.elapse(2 * MINUTE)
    measured.get()
    measured.elapse(4 * MINUTE)
    measured.get()
    measured.elapse(8 * MINUTE)

    measured.done("a")
    measured.done("b")

    told = measured.metrics()
    assert told.queue_duration == [lasted(3 * MINUTE), lasted(6 * MINUTE)]
    assert told.work_duration == [lasted(12 * MINUTE), lasted(8 * MINUTE)]


@rule(
    cites=(METRIC_HELP["queue duration"], METRIC_HELP["work duration"]),
    after="metrics/each-item-is-timed-for-itself",
)
def unequal_values_are_timed_for_themselves(measured: Annotated[Measured, With("values")]) -> None:
    """Both durations MUST be those of the very item that is taken, or finished, even if another one has the same hash."""
    one, other = ONE_HASH[0].both
    measured.add(one)
    measured.elapse(MINUTE)
    measured.add(other)
    measured.elapse(2 * MINUTE)
    measured.get()
    measured.elapse(4 * MINUTE)
    measured.get()
    measured.elapse(8 * MINUTE)

    measured.done(one)
    measured.done(other)

    told = measured.metrics()
    assert told.queue_duration == [lasted(3 * MINUTE), lasted(6 * MINUTE)]
    assert told.work_duration == [lasted(12 * MINUTE), lasted(8 * MINUTE)]


@rule(
    cites=(METRIC_TESTS["TestMetrics"], METRIC_HELP["queue duration"], METRIC_HELP["work duration"]),
    after=(
        "once_more/added-while-processed-comes-back-after-done",
        "metrics/queue-duration-is-the-time-from-add-to-get",
        "metrics/work-duration-is-the-time-from-get-to-done",
    ),
    for_all={"calls": steps("add a", "add b", "ask", "done a", "done b", least=8, most=30)},
)
def every_get_and_every_done_is_observed(measured: Measured, calls: list[str]) -> None:
    """There MUST be as many queue durations as items were handed out, and a work duration for each Done."""
    for call in calls:
        if is_legal(measured, call):
            make(measured, call)

    measured.take_all()

    runs = len(measured.handed_out)
    assert len(measured.metrics().queue_duration) == runs
    assert len(measured.metrics().work_duration) == runs


@rule(cites=METRIC_HELP["unfinished work"], after="handing_out/a-finished-item-stays-away")
def unfinished_work_is_the_sum_of_all_ages(measured: Measured) -> None:
    """Unfinished work MUST be the sum of the times since the Gets of all items in processing.

    It grows while nobody calls: this is how a worker is seen that hangs. Upstream's tests have one item
    at a time, and let the age of the oldest pass.
    """
    measured.add("a")
    measured.get()
    measured.elapse(MINUTE)
    measured.add("b")
    measured.get()

    measured.elapse(2 * MINUTE)

    assert measured.metrics().unfinished_work == aged(5 * MINUTE)


@rule(cites=METRIC_HELP["longest running"], after="handing_out/a-finished-item-stays-away")
def longest_running_is_the_age_of_the_oldest(measured: Measured) -> None:
    """Longest running MUST be the time since the Get of the item that has been in processing longest."""
    measured.add("a")
    measured.get()
    measured.elapse(MINUTE)
    measured.add("b")
    measured.get()

    measured.elapse(2 * MINUTE)

    assert measured.metrics().longest_running == aged(3 * MINUTE)


@rule(
    cites=(METRIC_HELP["unfinished work"], METRIC_HELP["longest running"]),
    after=(
        "metrics/unfinished-work-is-the-sum-of-all-ages",
        "metrics/longest-running-is-the-age-of-the-oldest",
    ),
)
def what_is_finished_leaves_both_gauges_of_work(measured: Measured) -> None:
    """An item that has been finished MUST NOT count any more in unfinished work and longest running, even if it was the oldest."""
    measured.add("a")
    measured.get()
    measured.elapse(5 * MINUTE)
    measured.add("b")
    measured.get()

    measured.done("a")
    measured.elapse(MINUTE)

    assert measured.metrics().unfinished_work == aged(MINUTE)
    assert measured.metrics().longest_running == aged(MINUTE)


@rule(
    cites=(METRIC_HELP["unfinished work"], METRIC_HELP["longest running"]),
    after="metrics/what-is-finished-leaves-both-gauges-of-work",
)
def both_gauges_of_work_are_zero_while_nothing_is_in_processing(measured: Measured) -> None:
    """Once nothing is in processing any more, unfinished work and longest running MUST be 0.

    Somebody is woken at night for a worker that hangs, and there is none.
    """
    measured.add("a")
    measured.get()
    measured.elapse(5 * MINUTE)

    measured.done("a")
    measured.elapse(MINUTE)

    assert measured.metrics().unfinished_work == 0
    assert measured.metrics().longest_running == 0


@rule(
    cites=(METRIC_HELP["unfinished work"], METRIC_HELP["longest running"]),
    after=(
        "metrics/unfinished-work-is-the-sum-of-all-ages",
        "metrics/longest-running-is-the-age-of-the-oldest",
    ),
)
def what_is_queued_counts_in_neither_gauge_of_work(measured: Measured) -> None:
    """An item that is queued, or was while it waited for its Get, MUST NOT count in either of them for that."""
    measured.add("a")
    measured.add("b")
    measured.elapse(5 * MINUTE)
    measured.get()

    measured.elapse(MINUTE)

    assert measured.metrics().unfinished_work == aged(MINUTE)
    assert measured.metrics().longest_running == aged(MINUTE)


@rule(
    cites=QUEUE["updateUnfinishedWork"],
    after=(
        "metrics/unfinished-work-is-the-sum-of-all-ages",
        "metrics/longest-running-is-the-age-of-the-oldest",
    ),
)
def both_gauges_of_work_stand_still_after_a_shutdown(measured: Measured) -> None:
    """After a shutdown unfinished work and longest running SHOULD keep their last value.

    Nobody looks after a queue that was shut down: client-go once left behind what did
    (kubernetes/kubernetes#135072). So they may tell of work that has long been finished.
    """
    measured.add("a")
    measured.get()
    measured.elapse(MINUTE)

    measured.shut_down()
    measured.elapse(5 * MINUTE)

    assert measured.metrics().unfinished_work == aged(MINUTE)
    assert measured.metrics().longest_running == aged(MINUTE)


@rule(
    cites=(DELAYING["AddAfter"], METRIC_HELP["adds"], METRIC_HELP["depth"]),
    after=(
        "delays/an-item-is-not-there-before-its-delay-is-over",
        "metrics/adds-counts-what-is-news",
        "metrics/depth-counts-what-nobody-has-taken",
    ),
)
def what_waits_for_its_time_is_not_counted_yet(measured: MeasuredDelaying) -> None:
    """An item that is added with a delay MUST be counted in adds and depth when it is due, and not before.

    controller-runtime's priority queue had it wrong (kubernetes-sigs/controller-runtime#3060).
    """
    measured.add_after("a", MINUTE)

    assert measured.metrics().adds == 0
    assert measured.metrics().depth == 0

    measured.elapse(MINUTE)

    measured.get()
    assert measured.metrics().adds == 1
    assert measured.metrics().depth == 0


@rule(
    cites=(DOC["Stingy"], METRIC_HELP["depth"]),
    after=(
        "deadlines/an-item-due-while-it-is-queued-comes-once",
        "metrics/what-waits-for-its-time-is-not-counted-yet",
    ),
)
def what_has_come_due_is_not_counted_again(measured: MeasuredDelaying) -> None:
    """An item that has come due MUST NOT be counted once more, in depth or in adds, when it is added before it is taken.

    controller-runtime's priority queue did, and what it had counted once too often was never taken off depth again
    (kubernetes-sigs/controller-runtime#3085).
    """
    measured.add_after("a", MINUTE)
    measured.elapse(MINUTE)

    measured.add("a")
    measured.elapse(SECOND)

    assert measured.metrics().depth == 1
    assert measured.metrics().adds == 1


@rule(
    cites=METRIC_HELP["depth"],
    after=(
        "metrics/depth-is-never-negative-and-nothing-remains",
        "metrics/what-waits-for-its-time-is-not-counted-yet",
        "delays/a-waiting-worker-is-woken",
        "deadlines/an-item-due-while-it-is-queued-comes-once",
        "deadlines/an-item-due-while-it-is-processed-comes-after-its-done",
        "deadlines/a-done-does-not-hurry-a-delayed-item",
        "deadlines/a-done-does-not-cancel-a-delay",
        "delays/an-item-can-be-delayed-again",
        "deadlines/the-later-deadline-is-void",
        "metrics/depth-counts-what-waits-for-its-done",
        "metrics/what-has-come-due-is-not-counted-again",
    ),
    for_all={
        "does": walks("get", "done ITEM", "add ITEM", "ITEM after 2 s", "ITEM after 20 s", "depth", most=40)
    },
)
def depth_is_right_with_delays_too(measured: MeasuredDelaying, does: list[str]) -> str:
    """Whatever is called, with delays and without, depth MUST be the number of items that are to be handed out now, or after their Done."""
    broken = keeps(Promise.DEPTH, WalkedQueue(measured), does)
    if not broken:
        assert measured.metrics().depth == 0, "is whatever was added to the gauge taken off it?"
    return broken


@rule(
    cites=(METRIC_HELP["queue duration"], DELAYING["AddAfter"]),
    after=(
        "delays/an-item-is-not-there-before-its-delay-is-over",
        "metrics/queue-duration-is-the-time-from-add-to-get",
    ),
)
def a_delay_is_no_queue_duration(measured: MeasuredDelaying) -> None:
    """Queue duration of an item that was added with a delay MUST be counted from when it was due."""
    measured.add_after("a", 5 * MINUTE)
    measured.elapse(7 * MINUTE)

    measured.get()

    assert measured.metrics().queue_duration == [aged(2 * MINUTE)]


@rule(
    cites=METRIC_HELP["retries"],
    after="delays/addafter-holds-nobody-up",
    for_all={"items": numbers(1, 6)},
)
def retries_counts_what_is_added_with_a_delay(measured: MeasuredDelaying, items: int) -> None:
    """Retries MUST count each item that is added with a delay, when it is added."""
    for n in range(items):
        measured.add_after(f"item-{n}", MINUTE)

    assert measured.metrics().retries == items


@rule(
    cites=METRIC_HELP["retries"],
    after=(
        "delays/an-item-is-there-when-its-delay-is-over",
        "metrics/retries-counts-what-is-added-with-a-delay",
    ),
)
def an_add_is_no_retry(measured: MeasuredDelaying) -> None:
    """Retries MUST NOT count an Add without a delay, nor once more what is due."""
    measured.add("a")
    measured.get()
    measured.add("a")

    assert measured.metrics().retries == 0

    measured.add_after("b", MINUTE)
    measured.elapse(MINUTE)

    measured.take_all()
    assert measured.metrics().retries == 1


@rule(
    cites=DELAYING["AddAfter"].in_code,
    after="metrics/an-add-is-no-retry",
    each=[
        Counted("it waits already", "add a after 1 min, add a after 2 min", 2),
        Counted("it is queued already", "add a, add a after 1 min", 1),
        Counted("there is no delay", "add a after 0 min", 1),
        Counted("the delay is over", "add a after -1 min", 1),
        Counted("after a shutdown", "shut_down, add a after 1 min", 0),
    ],
)
def every_addafter_is_a_retry(measured: MeasuredDelaying, row: Counted) -> None:
    """Retries SHOULD count every AddAfter until the shutdown, whatever comes of it.

    controller-runtime's priority queue leaves out a delay of 0 or less.
    """
    for call in parse_steps(row.calls):
        make_later(measured, call)

    assert measured.metrics().retries == row.counted


@rule(
    cites=QUEUE["ShutDownWithDrain"],
    after="drain/it-returns-after-the-last-done",
)
def a_drain_of_a_queue_with_metrics_ends(measured: Annotated[Measured, With("drain")]) -> None:
    """A drain of a queue that tells of itself MUST return when the last item is done, like any other."""
    measured.add("a")
    measured.get()
    drain = measured.drain()

    measured.done("a")

    assert drain.returned, (
        "does a drain wait for the thread that updates the gauges, before it has told it to end?"
    )


@rule(
    cites=(QUEUE["ShutDown"], QUEUE["Typed.wg"]),
    after=("shutdown/get-reports-the-shutdown", "metrics/unfinished-work-is-the-sum-of-all-ages"),
    each=[Program(title, before, f"{pause}, shut_down") for title, before, pause in AS_THEY_ARE_RENEWED],
)
def a_shutdown_returns_though_the_gauges_are_just_renewed(
    race: Annotated[Race, With("metrics")], row: Program
) -> None:
    """ShutDown MUST return even if it is called just as the gauges of work are renewed.

    client-go renews them every half second, and waits at a shutdown for the loop that does.
    """
    history = race.play(row.before, row.at_once)

    assert history.raised() == []
    assert history.waiting("shut_down") == [], (
        "does ShutDown wait for the thread that updates the gauges, while it holds a lock that this needs?"
    )


@rule(
    cites=(QUEUE["ShutDownWithDrain"], QUEUE["Typed.wg"]),
    after=(
        "metrics/a-drain-of-a-queue-with-metrics-ends",
        "metrics/a-shutdown-returns-though-the-gauges-are-just-renewed",
    ),
    each=[
        Program(title, before, f"{pause}, done a | {pause}, shut_down_with_drain")
        for title, before, pause in AS_THEY_ARE_RENEWED
        if before
    ],
)
def a_drain_returns_though_the_gauges_are_just_renewed(
    race: Annotated[Race, With("metrics"), With("drain")], row: Program
) -> None:
    """A drain MUST return at the last Done even if the gauges of work are renewed at that moment."""
    history = race.play(row.before, row.at_once)

    assert history.raised() == []
    assert history.waiting("shut_down_with_drain") == [], (
        "does a drain wait for the thread that updates the gauges, while it holds a lock that this needs?"
    )


@rule(cites=QUEUE["TypedQueueConfig"], after="handing_out/a-finished-item-stays-away")
def a_queue_without_a_name_tells_nothing(
    unnamed: Annotated[Queue, With("metrics", metrics={}, name="")],
) -> None:
    """A queue that has no name MUST NOT tell anything: all such queues would be one in the metrics."""
    unnamed.add("a")
    unnamed.add("b")
    unnamed.get()
    unnamed.elapse(MINUTE)
    unnamed.done("a")
    unnamed.get()
    unnamed.add("c")
    unnamed.elapse(MINUTE)

    told = unnamed.metrics("")
    assert [told.adds, told.depth, told.unfinished_work, told.longest_running, told.retries] == [0] * 5
    assert [*told.queue_duration, *told.work_duration] == []


@rule(
    cites=(QUEUE["MetricsProvider"], QUEUE["TypedQueueConfig"]),
    after="handing_out/a-finished-item-stays-away",
)
def a_name_is_enough_to_work_with(unmeasured: Annotated[Queue, With("metrics", name="the queue")]) -> None:
    """A queue that was given a name and no metrics MUST work like any other.

    The name may be for the logs. Whoever takes it for a sign that there are metrics finds nobody to tell.
    """
    unmeasured.add("a")

    assert unmeasured.get() == "a"

    unmeasured.elapse(MINUTE)
    unmeasured.add("a")
    unmeasured.done("a")

    assert unmeasured.take_all() == ["a"]


@rule(
    cites=(QUEUE["TypedQueueConfig"], DELAYING["AddAfter"]),
    after=(
        "metrics/a-queue-without-a-name-tells-nothing",
        "metrics/retries-counts-what-is-added-with-a-delay",
    ),
)
def a_delaying_queue_without_a_name_tells_of_no_retry(
    unnamed: Annotated[DelayingQueue, With("metrics", metrics={}, name="")],
) -> None:
    """A delaying queue that has no name MUST NOT tell of what is added with a delay, either."""
    unnamed.add_after("a", MINUTE)

    assert unnamed.metrics("").retries == 0


@rule(
    cites=(DELAYING["AddAfter"], QUEUE["TypedQueueConfig"]),
    after=("metrics/a-name-is-enough-to-work-with", "delays/an-item-is-there-when-its-delay-is-over"),
)
def a_name_is_enough_to_delay_with(
    unmeasured: Annotated[DelayingQueue, With("metrics", name="the queue")],
) -> None:
    """A delaying queue that was given a name and no metrics MUST work like any other."""
    unmeasured.add_after("a", MINUTE)

    unmeasured.until(MINUTE)

    assert unmeasured.get() == "a"


@rule(cites=WORK_DURATION, after="handing_out/a-finished-item-stays-away", probe=True)
def what_a_done_without_a_get_tells(measured: Measured) -> str:
    """What a queue tells of a Done without a Get MAY be anything: callers pair Get and Done.

    client-go observes no work duration for it; but it hands the item out twice then, and its depth ends
    below 0.
    """
    measured.add("a")
    if refused := measured.done_unpaired("a"):
        return refused
    observed = "a" if measured.metrics().work_duration else "no"
    measured.takeable()
    return f"{observed} work duration is observed, and depth ends at {measured.metrics().depth:g}"


@rule(
    cites=(METRIC_HELP["adds"], METRIC_HELP["depth"], METRIC_HELP["queue duration"]),
    after=(
        "interleavings/work-is-done-in-every-order",
        "metrics/adds-counts-what-is-news",
        "metrics/depth-is-never-negative-and-nothing-remains",
        "metrics/every-get-and-every-done-is-observed",
    ),
    each=[
        Program("two Adds of one item", "", "add a | add a"),
        Program("two Adds of one item in processing", "add a; 1 get", "done a | add a | add a"),
        Program("Add and a waiting worker", "", "add a, add b | get, done | get, done"),
        Program("Add and Done", "add a; 1 get", "done a, get, done | add a, add b | get, done"),
    ],
)
def what_comes_at_once_is_counted_once(race: Annotated[Race, With("metrics")], row: Program) -> None:
    """Whatever the order, each run MUST be counted once in adds and in either duration, and depth come back to 0.

    A counter that is looked after without the lock of the queue counts what somebody else has added, or misses it.
    """
    history = race.rest(race.play(row.before, row.at_once))
    told = race.metrics()

    runs = len(history.answers("get"))
    assert (told.adds, told.depth) == (runs, 0)
    assert [len(told.queue_duration), len(told.work_duration)] == [runs, runs]
