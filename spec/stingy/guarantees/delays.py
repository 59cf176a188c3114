"""Adding later.

AddAfter adds an item when a time has passed. Until then the item waits outside the queue: no worker can
take it, and Len does not count it. Its *deadline* is the moment of the call plus the delay; then it is
added as by Add, with all that follows if it is queued or in processing.
"""

from __future__ import annotations

from dataclasses import dataclass

from stingy.guarantees.drain import it_waits_for_what_is_in_processing, shutdown_ends_the_wait
from stingy.guarantees.handing_out import a_finished_item_stays_away, an_added_item_is_handed_out
from stingy.guarantees.shutdown import get_reports_the_shutdown
from stingy.language import (
    MILLISECOND,
    MINUTE,
    SECOND,
    SHUTDOWN,
    DelayingQueue,
    Nanoseconds,
    Row,
    between,
    numbers,
    orders,
    rule,
)
from stingy.sources import DELAYING, PRIORITY_QUEUE, QUEUE

ADD_AFTER = DELAYING["AddAfter"]
NO_DELAY = DELAYING["AddAfter with no delay"]
LOOP = DELAYING["waitingLoop"]
SOONER = DELAYING["insert"]
DRAIN = QUEUE["ShutDownWithDrain"]

HOUR = 60 * MINUTE
"""Longer than any rule lasts."""

MANY = 2_500
"""More than fit into the buffers that upstream and its ports put between AddAfter and their clerk: 1,000."""


@dataclass(frozen=True)
class Delay(Row):
    delay: str
    span: Nanoseconds

    def cells(self) -> dict[str, str]:
        return {"delay": self.delay}


NONE_OR_LESS = (Delay("0 s", 0), Delay("−1 min", -MINUTE), Delay("−1 h", -HOUR))
SOME_OR_NONE = (Delay("1 min", MINUTE), *NONE_OR_LESS)


@rule(
    cites=ADD_AFTER,
    after=[an_added_item_is_handed_out],
    hints=("does AddAfter sleep, or hold a lock while the item waits?",),
)
def addafter_holds_nobody_up(delaying: DelayingQueue) -> None:
    """AddAfter MUST return at once, and hold nobody up while its item waits.

    It is the item that waits, not the worker that has failed with it: that one has others to process.
    """
    delaying.add_after("a", HOUR)

    delaying.add("b")

    assert "b" in delaying.take_all()


@rule(
    cites=(ADD_AFTER, LOOP),
    after=[addafter_holds_nobody_up],
    for_all={"delay": between(MILLISECOND, MINUTE)},
)
def it_is_there_when_the_delay_is_over(delaying: DelayingQueue, delay: Nanoseconds) -> None:
    """An item that was added with AddAfter MUST be handed out once its delay has passed."""
    delaying.add_after("a", delay)

    delaying.until(delay)

    assert delaying.get() == "a"


@rule(
    cites=(ADD_AFTER, LOOP),
    after=[it_is_there_when_the_delay_is_over],
    for_all={"delay": between(2 * MILLISECOND, MINUTE)},
)
def it_is_not_there_before(delaying: DelayingQueue, delay: Nanoseconds) -> None:
    """An item that was added with AddAfter MUST NOT be handed out before its delay has passed.

    The delay is what keeps a failing item from being tried again and again, as fast as the processor goes.
    """
    delaying.add_after("a", delay)

    delaying.until(delay - MILLISECOND)
    delaying.ask()

    assert delaying.handed_out == []


@rule(cites=NO_DELAY, after=[an_added_item_is_handed_out], each=NONE_OR_LESS)
def without_a_delay_it_is_added_now(delaying: DelayingQueue, row: Delay) -> None:
    """With a delay of zero, or of less, AddAfter MUST add the item now.

    Delays are computed, and what is computed from a deadline that has passed is negative. A queue that
    drops such items passes client-go's own suite.
    """
    delaying.add_after("a", row.span)

    assert delaying.get() == "a"


@rule(cites=NO_DELAY, after=[without_a_delay_it_is_added_now], each=NONE_OR_LESS)
def without_a_delay_it_is_there_at_once(delaying: DelayingQueue, row: Delay) -> None:
    """With a delay of zero, or of less, the item SHOULD be in the queue before any time has passed.

    client-go adds it before AddAfter returns. To leave it to a clerk who looks once in a while is sane.
    """
    delaying.add_after("a", row.span)

    assert len(delaying) == 1


@rule(cites=ADD_AFTER, after=[it_is_not_there_before])
def an_empty_item_can_wait(delaying: DelayingQueue) -> None:
    """An item whose value is empty MUST be added later like any other.

    `while item := next_due():` looks harmless until the first empty key, and nothing comes after it.
    """
    delaying.add_after("", MINUTE)

    delaying.until(MINUTE)

    assert delaying.get() == ""


@rule(cites=LOOP, after=[it_is_not_there_before])
def a_waiting_worker_is_woken(delaying: DelayingQueue) -> None:
    """An item whose deadline comes MUST wake a worker that waits in Get."""
    worker = delaying.ask()
    delaying.add_after("a", MINUTE)

    delaying.until(MINUTE)

    assert worker.got == "a"


@rule(cites=QUEUE["Len"], after=[it_is_not_there_before])
def len_leaves_out_what_waits(delaying: DelayingQueue) -> None:
    """Len MUST NOT count an item that waits for its deadline."""
    delaying.add_after("a", HOUR)

    assert len(delaying) == 0


@rule(cites=LOOP, after=[it_is_not_there_before, a_finished_item_stays_away])
def it_comes_once(delaying: DelayingQueue) -> None:
    """An item that was added with AddAfter MUST be handed out once: AddAfter is no ticker."""
    delaying.add_after("a", MINUTE)
    delaying.until(MINUTE)
    delaying.get()

    delaying.elapse(3 * MINUTE)

    assert delaying.take_all() == []


@rule(cites=LOOP, after=[it_is_not_there_before])
def it_can_be_delayed_again(delaying: DelayingQueue) -> None:
    """An item that has come MUST come again after another AddAfter.

    Whoever forgets to forget its old deadline takes every new one for a later one, and ignores it for ever.
    """
    delaying.add_after("a", MINUTE)
    delaying.until(MINUTE)
    delaying.get()
    delaying.done("a")
    called = delaying.uptime

    delaying.add_after("a", MINUTE)
    delaying.until(called + MINUTE)

    assert delaying.get() == "a"


@dataclass(frozen=True)
class Calls(Row):
    added_first: str
    sooner_first: bool

    def cells(self) -> dict[str, str]:
        return {"added first": self.added_first}


@rule(
    cites=LOOP,
    after=[it_is_not_there_before],
    each=[Calls("the one with the sooner deadline", True), Calls("the one with the later deadline", False)],
    hints=("who tells the clerk, asleep till the later deadline, that there is a sooner one?",),
)
def a_later_deadline_holds_up_no_sooner_one(delaying: DelayingQueue, row: Calls) -> None:
    """An item MUST come at its deadline, though others wait whose deadlines are later.

    A timer that was set for one item has to be set anew for a sooner one, and only then.
    """
    calls = [("sooner", MINUTE), ("later", HOUR)]
    for item, delay in calls if row.sooner_first else reversed(calls):
        delaying.add_after(item, delay)

    delaying.until(MINUTE)

    assert delaying.get() == "sooner"


@rule(
    cites=LOOP,
    after=[a_later_deadline_holds_up_no_sooner_one],
    for_all={"items": numbers(2, 6)},
)
def all_that_is_due_comes(delaying: DelayingQueue, items: int) -> None:
    """Of several items with one deadline, each MUST come then; in which order is up to the queue."""
    waiting = [f"item-{n}" for n in range(items)]
    for item in waiting:
        delaying.add_after(item, MINUTE)

    delaying.until(MINUTE)

    assert sorted(delaying.take_all()) == waiting


@rule(
    cites=ADD_AFTER,
    after=[a_waiting_worker_is_woken, it_can_be_delayed_again, all_that_is_due_comes],
    for_all={"other": between(10 * SECOND, MINUTE), "delay": between(10 * SECOND, MINUTE)},
    hints=("is the deadline computed in AddAfter, or by whoever looks at it later?",),
)
def the_delay_counts_from_the_call(delaying: DelayingQueue, other: Nanoseconds, delay: Nanoseconds) -> None:
    """A delay MUST count from the call of AddAfter, whatever other items wait, and since when."""
    delaying.ask()
    delaying.ask()
    delaying.add_after("other", other)
    delaying.until(5 * SECOND)
    called = delaying.uptime
    delaying.add_after("a", delay)

    delaying.until(called + delay - MILLISECOND)

    assert "a" not in delaying.handed_out

    delaying.until(called + delay)

    assert delaying.runs("a") == 1


@rule(
    cites=LOOP,
    after=[the_delay_counts_from_the_call],
    for_all={"order": orders("abcd")},
)
def they_come_in_the_order_of_their_deadlines(delaying: DelayingQueue, order: list[str]) -> None:
    """Items whose deadlines differ MUST be handed out in the order of these, not of the calls."""
    for item in sorted(order):
        delaying.add_after(item, (1 + order.index(item)) * 10 * SECOND)

    delaying.until(MINUTE)

    assert delaying.take_all() == order


@rule(
    cites=SOONER,
    after=[a_later_deadline_holds_up_no_sooner_one],
    for_all={"one": between(10 * SECOND, MINUTE), "other": between(10 * SECOND, MINUTE)},
)
def the_earlier_deadline_wins(delaying: DelayingQueue, one: Nanoseconds, other: Nanoseconds) -> None:
    """Of two deadlines of one item, the earlier MUST count, whichever was asked for first.

    A later AddAfter does not put off what was promised to an earlier one. Users expect the last call to
    win (kubernetes/client-go#1104).
    """
    delaying.add_after("a", one)
    delaying.add_after("a", other)

    delaying.until(min(one, other))

    assert delaying.get() == "a"


@rule(
    cites=SOONER,
    after=[the_earlier_deadline_wins, it_comes_once],
    for_all={"one": between(10 * SECOND, MINUTE), "other": between(10 * SECOND, MINUTE)},
)
def the_later_deadline_is_void(delaying: DelayingQueue, one: Nanoseconds, other: Nanoseconds) -> None:
    """Of two deadlines of one item, the later MUST NOT bring it a second time."""
    delaying.add_after("a", one)
    delaying.add_after("a", other)
    delaying.until(min(one, other))
    delaying.get()
    delaying.done("a")

    delaying.until(2 * MINUTE)

    assert delaying.runs("a") == 1


@dataclass(frozen=True)
class Added(Row):
    """How the item is added now, while it waits besides."""

    added_now_with: str

    def to(self, delaying: DelayingQueue) -> None:
        if self.added_now_with == "Add":
            delaying.add("a")
        else:
            delaying.add_after("a", 0)


NOW = (Added("Add"), Added("AddAfter of no delay"))


@rule(cites=NO_DELAY, after=[addafter_holds_nobody_up, without_a_delay_it_is_added_now], each=NOW)
def an_add_does_not_wait(delaying: DelayingQueue, row: Added) -> None:
    """An item that is added now MUST be handed out now, though it also waits for a deadline.

    What has happened to it since has not to wait for the retry of something that failed before.
    """
    delaying.add_after("a", HOUR)

    row.to(delaying)

    assert delaying.get() == "a"


@rule(
    cites=(NO_DELAY, PRIORITY_QUEUE["AddWithOpts"]),
    after=[an_add_does_not_wait, the_later_deadline_is_void],
    each=NOW,
    contested=("it comes again at its deadline", "the deadline is void"),
)
def whether_an_add_cancels_what_waits(delaying: DelayingQueue, row: Added) -> str:
    """An item that is added and finished while it also waits for a deadline MAY come again then, or not.

    In client-go it does, and is processed twice where once would be enough (kubernetes/kubernetes#110642,
    kubernetes/kubernetes#126027); a change was found not to be safe (kubernetes/client-go#1149). In
    controller-runtime's priority queue the Add takes the deadline's place.
    """
    delaying.add_after("a", MINUTE)
    row.to(delaying)
    delaying.get()
    delaying.done("a")

    delaying.until(2 * MINUTE)

    return {1: "the deadline is void", 2: "it comes again at its deadline"}.get(
        delaying.runs("a"), "it comes more than twice"
    )


@rule(cites=ADD_AFTER, after=[addafter_holds_nobody_up])
def it_puts_off_nothing_that_is_queued(delaying: DelayingQueue) -> None:
    """AddAfter of an item that is queued MUST NOT put it off: it can be taken now."""
    delaying.add("a")

    delaying.add_after("a", HOUR)

    assert delaying.get() == "a"


@rule(
    cites=(ADD_AFTER, PRIORITY_QUEUE["AddWithOpts"]),
    after=[it_puts_off_nothing_that_is_queued, it_comes_once],
    contested=("it comes again at its deadline", "AddAfter changes nothing"),
)
def whether_a_queued_item_can_wait_too(delaying: DelayingQueue) -> str:
    """AddAfter of an item that is queued MAY bring it again at the deadline, or change nothing.

    client-go keeps what is queued and what waits apart, and brings it again. controller-runtime's priority
    queue has one entry for both (kubernetes/kubernetes#110642).
    """
    delaying.add("a")
    delaying.add_after("a", MINUTE)
    delaying.get()
    delaying.done("a")

    delaying.until(2 * MINUTE)

    return {1: "AddAfter changes nothing", 2: "it comes again at its deadline"}.get(
        delaying.runs("a"), "it comes more than twice"
    )


@dataclass(frozen=True)
class Both(Row):
    called_first: str


@rule(
    cites=(LOOP, QUEUE["Add"]),
    after=[an_add_does_not_wait, it_puts_off_nothing_that_is_queued, it_comes_once],
    each=[Both("Add"), Both("AddAfter")],
)
def due_while_it_is_queued_it_comes_once(delaying: DelayingQueue, row: Both) -> None:
    """An item that is still queued when its deadline comes MUST be handed out once for both."""
    if row.called_first == "Add":
        delaying.add("a")
    delaying.add_after("a", MINUTE)
    if row.called_first == "AddAfter":
        delaying.add("a")

    delaying.until(2 * MINUTE)

    assert delaying.runs("a") == 1


@rule(cites=(LOOP, QUEUE["Add"]), after=[it_is_not_there_before])
def due_while_it_is_processed_it_waits_for_the_done(delaying: DelayingQueue) -> None:
    """An item that is in processing when its deadline comes MUST NOT be handed out to a second worker.

    That it comes from the clerk and not from a producer makes no difference to those who process it.
    """
    delaying.add("a")
    delaying.get()
    delaying.add_after("a", MINUTE)

    delaying.until(2 * MINUTE)
    other = delaying.ask()

    assert other.waiting


@rule(cites=(LOOP, QUEUE["Done"]), after=[due_while_it_is_processed_it_waits_for_the_done])
def due_while_it_is_processed_it_comes_after_the_done(delaying: DelayingQueue) -> None:
    """An item that is in processing when its deadline comes MUST be handed out again after its Done."""
    delaying.add("a")
    delaying.get()
    delaying.add_after("a", MINUTE)
    delaying.until(2 * MINUTE)

    delaying.done("a")

    assert delaying.get() == "a"


@rule(cites=QUEUE["Done"], after=[it_is_not_there_before])
def a_done_does_not_hurry_it(delaying: DelayingQueue) -> None:
    """An item that a worker delays while it processes it MUST NOT come back at its Done already.

    This is how a worker that has failed asks for another try: first AddAfter, and then Done.
    """
    delaying.add("a")
    delaying.get()
    delaying.add_after("a", MINUTE)

    delaying.done("a")
    delaying.until(MINUTE - MILLISECOND)
    delaying.ask()

    assert delaying.handed_out == ["a"]


@rule(cites=QUEUE["Done"], after=[it_is_not_there_before])
def a_done_does_not_cancel_it(delaying: DelayingQueue) -> None:
    """An item that a worker delays while it processes it MUST come at its deadline, after its Done."""
    delaying.add("a")
    delaying.get()
    delaying.add_after("a", MINUTE)

    delaying.done("a")
    delaying.until(MINUTE)

    assert delaying.get() == "a"


@rule(
    cites=ADD_AFTER,
    after=[all_that_is_due_comes, len_leaves_out_what_waits],
    hints=("what becomes of an AddAfter when the buffer between it and its clerk is full?",),
)
def none_of_many_is_lost(delaying: DelayingQueue) -> None:
    """However many items are added with AddAfter at once, each MUST come.

    Java's queue drops what does not fit into a buffer of 1,000, silently: of 5,000 items it loses 2,800.
    """
    delaying.add_each_after([f"item-{n}" for n in range(MANY)], MINUTE)

    delaying.elapse(2 * MINUTE)

    assert len(delaying) == MANY


@rule(
    cites=DELAYING["ShutDown"],
    after=[it_is_not_there_before, get_reports_the_shutdown],
)
def a_shutdown_drops_what_waits(delaying: DelayingQueue) -> None:
    """ShutDown MUST drop the items that wait: Get reports the shutdown now, and also after their deadlines.

    A worker that goes home at the flag would not be there for what comes later.
    """
    delaying.add_after("a", MINUTE)

    delaying.shut_down()

    assert delaying.get() is SHUTDOWN

    delaying.until(2 * MINUTE)

    assert delaying.get() is SHUTDOWN


@rule(cites=DELAYING["ShutDown"], after=[a_done_does_not_hurry_it, a_shutdown_drops_what_waits])
def also_of_an_item_in_processing(delaying: DelayingQueue) -> None:
    """ShutDown MUST also drop the deadline of an item in processing: its Done does not bring it back."""
    delaying.add("a")
    delaying.get()
    delaying.add_after("a", MINUTE)
    delaying.shut_down()

    delaying.until(2 * MINUTE)
    delaying.done("a")

    assert delaying.get() is SHUTDOWN


@rule(
    cites=DELAYING["AddAfter after a shutdown"],
    after=[addafter_holds_nobody_up, get_reports_the_shutdown],
    each=SOME_OR_NONE,
)
def after_a_shutdown_it_is_ignored(delaying: DelayingQueue, row: Delay) -> None:
    """An AddAfter after ShutDown MUST be ignored, whatever its delay."""
    delaying.shut_down()

    delaying.add_after("a", row.span)
    delaying.until(2 * MINUTE)

    assert delaying.get() is SHUTDOWN


@rule(cites=DELAYING["ShutDown"], after=[a_shutdown_drops_what_waits])
def a_second_shutdown_changes_nothing(delaying: DelayingQueue) -> None:
    """ShutDown MUST be callable more than once, also where items have been waiting.

    client-go's panicked at the second call (kubernetes/kubernetes#77170), and brought down programs with two
    places to stop it. The fault could come back: upstream has no test for it.
    """
    delaying.add_after("a", HOUR)
    delaying.shut_down()

    delaying.shut_down()

    assert delaying.get() is SHUTDOWN


@rule(cites=DRAIN, after=[addafter_holds_nobody_up])
def a_drain_does_not_wait_for_what_waits(delaying_draining: DelayingQueue) -> None:
    """ShutDownWithDrain MUST return though items wait for their deadlines."""
    delaying_draining.add_after("a", HOUR)

    assert delaying_draining.drain().returned


@rule(
    cites=DRAIN,
    after=[a_drain_does_not_wait_for_what_waits, a_shutdown_drops_what_waits],
)
def a_drain_drops_what_waits(delaying_draining: DelayingQueue) -> None:
    """ShutDownWithDrain MUST drop the items that wait, though it is still waiting for a worker."""
    delaying_draining.add("a")
    delaying_draining.get()
    delaying_draining.add_after("b", MINUTE)

    delaying_draining.drain()
    delaying_draining.until(2 * MINUTE)

    assert delaying_draining.get() is SHUTDOWN


@rule(cites=DRAIN, after=[after_a_shutdown_it_is_ignored], each=SOME_OR_NONE)
def during_a_drain_it_is_ignored(delaying_draining: DelayingQueue, row: Delay) -> None:
    """An AddAfter after ShutDownWithDrain MUST be ignored, though the drain is still waiting."""
    delaying_draining.add("a")
    delaying_draining.get()
    delaying_draining.drain()

    delaying_draining.add_after("b", row.span)
    delaying_draining.until(2 * MINUTE)

    assert delaying_draining.get() is SHUTDOWN


@rule(
    cites=(DELAYING["ShutDown"], DRAIN),
    after=[it_waits_for_what_is_in_processing, shutdown_ends_the_wait],
    contested=("the drain does not wait", "ShutDown ends the drain", "ShutDown does not end the drain"),
)
def whether_a_second_shutdown_ends_a_drain(delaying_draining: DelayingQueue) -> str:
    """A ShutDown during a drain MAY be without effect on it, if there was another ShutDown before the drain.

    It is the way out when a worker hangs, but client-go's delaying queue passes only the first ShutDown on.
    """
    delaying_draining.add("a")
    delaying_draining.get()
    delaying_draining.shut_down()
    drain = delaying_draining.drain()
    if not drain.waiting:
        return "the drain does not wait"

    delaying_draining.shut_down()

    return "ShutDown ends the drain" if drain.returned else "ShutDown does not end the drain"
