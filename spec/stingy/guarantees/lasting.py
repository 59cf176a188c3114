"""No leases, no time-outs.

Nothing in a work queue expires. A queued item stays queued, a worker keeps the item that it holds, and a call that waits goes on
waiting, until somebody calls: after a second as after a month.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from stingy.contract.sources import (
    CONTROLLER,
    DELAYING,
    DOC,
    IPTABLES,
    METRIC_HELP,
    PRIORITY_QUEUE,
    QUEUE,
    RATE_LIMITING,
)
from stingy.guarantees.backoff import NUM_REQUEUES, Exponential
from stingy.guarantees.latency import LATENCY
from stingy.guarantees.metrics import lasted
from stingy.language import (
    MINUTE,
    SECOND,
    SHUTDOWN,
    Asked,
    Controllers,
    DelayingQueue,
    Draining,
    Measured,
    Nanoseconds,
    PriorityQueue,
    Proxy,
    Queue,
    RateLimitingQueue,
    Row,
    about,
    format_span,
    given,
    rule,
)

HOUR = 60 * MINUTE
DAY = 24 * HOUR
UP_TO_A_DAY = (SECOND, 10 * MINUTE, HOUR, 25 * HOUR)
"""For candidates that look at a clock twice a second, as upstream's metrics and controllers do: a month of that takes a minute."""
SPANS = (*UP_TO_A_DAY[:-1], 30 * DAY)


@dataclass(frozen=True)
class Left(Row):
    """A state of a queue, a span in which nobody calls, and the check afterwards."""

    state: str
    given: Callable[[Queue], object]
    still: Callable[[Queue, Any], None]
    """The check; it is passed the queue, and what ``given`` returned."""
    span: Nanoseconds

    @property
    def name(self) -> str:
        return f"{self.state}, {format_span(self.span)}"

    def cells(self) -> dict[str, str]:
        return {"state": self.state, "left alone for": format_span(self.span)}


def queued(queue: Queue) -> None:
    queue.add("a")
    queue.add("b")


def is_queued(queue: Queue, _: object) -> None:
    queue.add("a")

    assert len(queue) == 2, "does it forget something as time passes?"
    assert queue.take_all() == ["a", "b"]


def held(queue: Queue) -> None:
    queue.add("a")
    queue.get()


def is_held(queue: Queue, _: object) -> None:
    queue.add("a")

    assert queue.ask().waiting, "does it forget something as time passes?"

    queue.done("a")

    assert queue.runs("a") == 2


def held_and_dirty(queue: Queue) -> None:
    held(queue)
    queue.add("a")


def is_held_and_dirty(queue: Queue, _: object) -> None:
    assert queue.ask().waiting, "does it forget something as time passes?"

    queue.done("a")

    assert queue.runs("a") == 2


def waited_at(queue: Queue) -> Asked:
    return queue.ask()


def is_waited_at(queue: Queue, worker: Asked) -> None:
    assert worker.waiting, "does a Get that waits give up as time passes?"

    queue.add("a")

    assert worker.got == "a"


def shut_down(queue: Queue) -> None:
    queue.shut_down()


def is_shut_down(queue: Queue, _: object) -> None:
    queue.add("a")

    assert queue.shutting_down()
    assert queue.get() is SHUTDOWN


STATES = (
    ("two items are queued", queued, is_queued),
    ("a worker holds an item", held, is_held),
    ("a worker holds an item that is dirty", held_and_dirty, is_held_and_dirty),
    ("a worker waits", waited_at, is_waited_at),
    ("shut down", shut_down, is_shut_down),
)


@rule(
    cites=(DOC["Stingy"], QUEUE["Get"], QUEUE["Done"]),
    after=(
        "stingy/one-worker-at-a-time",
        "fair/a-duplicate-keeps-its-place",
        "once_more/added-while-processed-comes-back-after-done",
        "workers/as-many-adds-wake-as-many-workers",
        "shutdown/what-is-added-after-shutdown-is-ignored",
    ),
    each=[Left(state, given, still, span) for state, given, still in STATES for span in SPANS],
)
def a_queue_that_is_left_alone_stays_as_it_is(queue: Queue, row: Left) -> None:
    """After any span in which nobody calls, a work queue MUST be in the state that it was in before.

    Message queues between machines have leases: an item that was not acknowledged in time is delivered again. In a work queue, that
    gives one item to two workers, who then write to the same object.
    """
    given = row.given(queue)
    queue.leave_alone(row.span)

    row.still(queue, given)


FAR = "far"
"""An item that waits longer than all of these spans, so that the queue has a clock to look at."""

FOR_A_DAY = [
    Left(state, given, still, UP_TO_A_DAY[-1]) for state, given, still in STATES if given is not shut_down
]


@rule(
    cites=DELAYING["TypedDelayingInterface"],
    after=(
        "lasting/a-queue-that-is-left-alone-stays-as-it-is",
        "delays/addafter-holds-nobody-up",
        "delays/what-is-far-away-does-not-come-soon",
        "delays/len-leaves-out-what-waits",
    ),
    each=FOR_A_DAY,
)
def a_delaying_queue_that_is_left_alone_stays_as_it_is(delaying: DelayingQueue, row: Left) -> None:
    """The items of a delaying queue MUST NOT expire, also while another item waits for its deadline."""
    delaying.add_after(FAR, 60 * DAY)
    given = row.given(delaying)
    delaying.leave_alone(row.span)

    row.still(delaying, given)


@rule(
    cites=PRIORITY_QUEUE["TypedRateLimitingInterface"],
    after=("priority/one-worker-at-a-time", "readiness/nothing-comes-before-its-time"),
    each=FOR_A_DAY,
)
def a_priority_queue_that_is_left_alone_stays_as_it_is(priority: PriorityQueue, row: Left) -> None:
    """The items of a priority queue MUST NOT expire, also while another item is not ready."""
    priority.add_with(FAR, after=60 * DAY)
    given = row.given(priority)
    priority.leave_alone(row.span)

    row.still(priority, given)


@dataclass(frozen=True)
class Span(Row):
    after: str
    span: Nanoseconds


LATER = tuple(Span(format_span(span), span) for span in SPANS)
WITHIN_A_DAY = tuple(Span(format_span(span), span) for span in UP_TO_A_DAY)


@rule(
    cites=(QUEUE["ShutDown"], QUEUE["Done"]),
    after="shutdown/what-was-owed-is-still-handed-out",
    each=LATER,
)
def what_was_owed_at_shutdown_is_handed_out_however_late_its_done_is(queue: Queue, row: Span) -> None:
    """An item that was added while it was processed MUST come back after its Done, however long after the shutdown that is."""
    held_and_dirty(queue)
    queue.shut_down()

    queue.leave_alone(row.span)
    queue.done("a")

    assert queue.get() == "a"


@rule(
    cites=QUEUE["ShutDownWithDrain"],
    after="drain/it-returns-after-the-last-done",
    each=LATER,
)
def a_drain_waits_however_long_a_worker_takes(draining: Draining, row: Span) -> None:
    """ShutDownWithDrain MUST wait for the items in processing, and return at the last Done, however long their workers take.

    The caller then closes the clients and files that the workers use.
    """
    draining.add("a")
    draining.get()
    drain = draining.drain()

    draining.leave_alone(row.span)

    assert drain.waiting, "does a drain give up after some time?"

    draining.done("a")

    assert drain.returned


@rule(
    cites=DELAYING["AddAfter"],
    after=("delays/an-item-is-there-when-its-delay-is-over", "delays/what-is-far-away-does-not-come-soon"),
    each=LATER,
)
def an_item_waits_however_far_off_its_deadline_is(delaying: DelayingQueue, row: Span) -> None:
    """An item MUST be handed out at its deadline, and not before, however far off that was."""
    delaying.add_after("a", row.span + MINUTE)
    delaying.leave_alone(row.span)
    worker = delaying.ask()

    assert worker.waiting

    delaying.until(row.span + MINUTE)

    assert worker.got == "a"


@rule(
    cites=(DELAYING["AddAfter"], DOC["Stingy"]),
    after="delays/an-item-is-there-when-its-delay-is-over",
    each=LATER,
)
def an_item_that_is_due_is_there_however_late_it_is_asked_for(delaying: DelayingQueue, row: Span) -> None:
    """An item whose deadline has passed MUST be handed out, once, however long nobody asks for it."""
    delaying.add_after("a", SECOND)
    delaying.until(SECOND)

    delaying.leave_alone(row.span)

    assert delaying.take_all() == ["a"]


@rule(
    cites=RATE_LIMITING["NumRequeues"],
    after=(
        "rate_limiting/a-failed-item-comes-when-its-limiter-says",
        "rate_limiting/failures-in-a-row-are-all-counted",
    ),
    each=LATER,
)
def failures_count_however_long_ago_they_were(limiting: RateLimitingQueue, row: Span) -> None:
    """The failures of an item MUST count until Forget, however long ago they were.

    If they expire, an item that fails once an hour, for a week, is retried each time as if it had never failed.
    """
    limiting.add_rate_limited("a")
    limiting.add_rate_limited("a")

    limiting.leave_alone(row.span)

    assert limiting.num_requeues("a") == 2, (
        "does the limiter forget a failure after some time? Only Forget may do that."
    )


@rule(cites=NUM_REQUEUES, after="backoff/num-requeues-counts-the-failures", each=LATER)
def a_limiter_forgets_no_failure_as_time_passes(exponential: Exponential, row: Span) -> None:
    """A failure of an item MUST count until Forget in its limiter, too, however long ago it was."""
    limiter = exponential(base_delay=SECOND, max_delay=MINUTE)
    limiter.when("a")

    limiter.elapse(row.span)

    assert limiter.when("a") == 2 * SECOND, (
        "does the limiter forget a failure after some time? Only Forget may do that."
    )
    assert limiter.num_requeues("a") == 2


@rule(
    cites=CONTROLLER["waits for its workers"],
    after=(
        "outcomes/however-it-ends-an-event-starts-it-again",
        "controller/one-key-is-in-one-worker-at-a-time",
    ),
    each=WITHIN_A_DAY,
)
def a_reconcile_may_take_however_long(controllers: Controllers, row: Span) -> None:
    """However long a reconcile takes, a second one of its key MUST NOT begin before it ends, and begins then if there was an event."""
    controller = controllers(2)
    controller.add("a")
    with given():
        assert controller.under_way() == ["a"]

    controller.leave_alone(row.span)
    controller.add("a")

    assert controller.under_way() == ["a"]

    controller.finish("a")

    assert controller.under_way() == ["a"]


@rule(
    cites=CONTROLLER["waits for its workers"],
    after="stopping/a-controller-has-not-stopped-while-a-reconcile-is-under-way",
    each=WITHIN_A_DAY,
)
def stop_waits_however_long_a_reconcile_takes(controllers: Controllers, row: Span) -> None:
    """However long a reconcile takes, Start and Stop MUST NOT both have returned before it ends."""
    controller = controllers()
    controller.add("a")
    with given():
        assert controller.under_way() == ["a"]
    controller.stop()

    controller.leave_alone(row.span)

    assert not controller.stopped, "does Stop join its workers with a time-out?"


@rule(
    cites=(METRIC_HELP["queue duration"], METRIC_HELP["work duration"]),
    after=(
        "metrics/queue-duration-is-the-time-from-add-to-get",
        "metrics/work-duration-is-the-time-from-get-to-done",
    ),
    each=WITHIN_A_DAY,
)
def durations_are_observed_however_long(measured: Measured, row: Span) -> None:
    """Queue duration and work duration MUST be observed at their full length, however long that is.

    The metric is there to find the item that is stuck.
    """
    measured.add("a")
    measured.leave_alone(row.span)
    measured.get()
    measured.leave_alone(row.span)

    measured.done("a")

    told = measured.metrics()
    assert told.queue_duration == [lasted(row.span)]
    assert told.work_duration == [lasted(row.span)]


@rule(
    cites=(LATENCY, IPTABLES["syncProxyRules"]),
    after="latency/the-latency-is-the-time-from-trigger-to-programmed",
    each=LATER,
)
def a_latency_is_observed_however_late_the_sync_is(proxy: Proxy, row: Span) -> None:
    """The next sync MUST measure a pending trigger time, however late that sync is."""
    proxy.until(SECOND)
    proxy.change("web", at=SECOND)
    proxy.leave_alone(row.span)
    proxy.change("db", at=SECOND + row.span)
    proxy.leave_alone(row.span)

    assert proxy.sync() == [about(row.span), about(2 * row.span)]
