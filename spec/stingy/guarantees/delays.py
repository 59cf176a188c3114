"""Delays: AddAfter.

AddAfter adds an item when a time has passed. Until then the item waits outside the queue: no worker can
take it, and Len does not count it. Its *deadline* is the moment of the call plus the delay; then it is
added as by Add.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from stingy.contract.sources import ASYNCIO, DELAYING, DELAYING_TESTS, QUEUE
from stingy.guarantees.cancellation import CANCELLED, CancelledAt, moments_of
from stingy.guarantees.handing_out import NAMES, Name
from stingy.language import (
    MILLISECOND,
    MINUTE,
    SECOND,
    DelayingQueue,
    Key,
    Nanoseconds,
    Row,
    Value,
    With,
    between,
    given,
    numbers,
    orders,
    rule,
)

ADD_AFTER = DELAYING["AddAfter"]
NO_DELAY = DELAYING["AddAfter with no delay"]
LOOP = DELAYING["waitingLoop"]

HOUR = 60 * MINUTE
"""Longer than any rule lasts."""

A_BUFFER = 1_050
"""More than fit into the buffers that upstream and its ports put between AddAfter and their clerk, which is 1,000; not so many
that the clerk, busy with all of them at once, looks to a driver like a loop without end."""


@dataclass(frozen=True)
class Delay(Row):
    delay: str
    span: Nanoseconds

    def cells(self) -> dict[str, str]:
        return {"delay": self.delay}


NONE_OR_LESS = (Delay("0 s", 0), Delay("−1 min", -MINUTE), Delay("−1 h", -HOUR))
SOME_OR_NONE = (Delay("1 min", MINUTE), *NONE_OR_LESS)


@rule(
    cites=(DELAYING_TESTS["TestSimpleQueue"], DELAYING["AddAfter"]),
    after="handing_out/an-added-item-is-handed-out",
)
def addafter_holds_nobody_up(delaying: DelayingQueue) -> None:
    """AddAfter MUST return at once, and hold nobody up while its item waits.

    It is the item that waits, not the worker that has failed with it: that one has others to process.
    """
    delaying.add_after("a", HOUR)

    delaying.add("b")

    assert "b" in delaying.take_all(), "does AddAfter sleep, or hold a lock while the item waits?"


@rule(
    cites=(ADD_AFTER, LOOP),
    after="delays/addafter-holds-nobody-up",
    for_all={"delay": between(MILLISECOND, MINUTE)},
)
def an_item_is_there_when_its_delay_is_over(delaying: DelayingQueue, delay: Nanoseconds) -> None:
    """An item that was added with AddAfter MUST be handed out once its delay has passed."""
    delaying.add_after("a", delay)

    delaying.until(delay)

    assert delaying.get() == "a"


@rule(
    cites=(ADD_AFTER, LOOP),
    after="delays/an-item-is-there-when-its-delay-is-over",
    for_all={"delay": between(2 * MILLISECOND, MINUTE)},
)
def an_item_is_not_there_before_its_delay_is_over(delaying: DelayingQueue, delay: Nanoseconds) -> None:
    """An item that was added with AddAfter MUST NOT be handed out before its delay has passed.

    The delay is what keeps a failing item from being tried again and again, as fast as the processor goes.
    """
    delaying.add_after("a", delay)

    delaying.until(delay - MILLISECOND)
    delaying.ask()

    assert delaying.handed_out == []


@rule(cites=NO_DELAY, after="handing_out/an-added-item-is-handed-out", each=NONE_OR_LESS)
def without_a_delay_an_item_is_added_now(delaying: DelayingQueue, row: Delay) -> None:
    """With a delay of zero, or of less, AddAfter MUST add the item now.

    Delays are computed, and what is computed from a deadline that has passed is negative. A queue that
    drops such items passes client-go's own suite.
    """
    delaying.add_after("a", row.span)

    assert delaying.get() == "a"


@rule(
    cites=DELAYING["AddAfter with no delay"].in_code,
    after="delays/without-a-delay-an-item-is-added-now",
    each=NONE_OR_LESS,
)
def without_a_delay_an_item_is_there_at_once(delaying: DelayingQueue, row: Delay) -> None:
    """With a delay of zero, or of less, the item SHOULD be in the queue before any time has passed.

    client-go adds it before AddAfter returns. To leave it to a clerk who looks once in a while is sane.
    """
    delaying.add_after("a", row.span)

    assert len(delaying) == 1


@rule(cites=ADD_AFTER, after="delays/an-item-is-not-there-before-its-delay-is-over")
def an_empty_item_can_wait(delaying: DelayingQueue) -> None:
    """An item whose value is empty MUST be added later like any other.

    `while item := next_due():` looks harmless until the first empty key, and nothing comes after it.
    """
    delaying.add_after("", MINUTE)

    delaying.until(MINUTE)

    assert delaying.get() == ""


@rule(
    cites=(DELAYING["AddAfter"], QUEUE["Get"]),
    after="delays/an-item-is-not-there-before-its-delay-is-over",
)
def a_waiting_worker_is_woken(delaying: DelayingQueue) -> None:
    """An item whose deadline comes MUST wake a worker that waits in Get."""
    worker = delaying.ask()
    delaying.add_after("a", MINUTE)

    delaying.until(MINUTE)

    assert worker.got == "a"


@rule(
    cites=QUEUE["Get"],
    after="delays/a-waiting-worker-is-woken",
)
def a_deadline_sends_nobody_home(delaying: DelayingQueue) -> None:
    """Of two workers that wait in Get, the one that gets nothing when a deadline comes MUST wait on.

    A wait that ends with a time-out is no shutdown: nobody has asked for one, and the worker would go home for ever.
    """
    workers = [delaying.ask(), delaying.ask()]
    delaying.add_after("a", MINUTE)

    delaying.until(2 * MINUTE)

    assert [worker.waiting for worker in workers].count(True) == 1, (
        "does a worker that was woken at a deadline look again in a loop, if another one has got the item?"
    )


@rule(
    cites=ASYNCIO["Queue.get"],
    after=(
        "cancellation/a-cancelled-get-takes-no-wake-up-with-it",
        "cancellation/a-cancelled-get-takes-no-item-with-it",
        "delays/a-waiting-worker-is-woken",
    ),
    each=(*moments_of("the deadline"), CancelledAt("three moments after the deadline", 3)),
    for_all={"items": numbers(1, 2), "others": numbers(0, 1), **CANCELLED},
)
def a_cancelled_get_takes_nothing_with_it_that_is_due(
    delaying: Annotated[DelayingQueue, With("cancel")],
    row: CancelledAt,
    items: int,
    others: int,
    cancelled: int,
    later: int,
) -> None:
    """Some Gets that wait are cancelled: items whose deadline comes MUST reach others, which wait or are yet to come.

    Where a timer puts the item into the queue, it wakes a worker as Add does, and has to care for the same.
    """
    due = ["a", "b"][:items]
    for item in due:
        delaying.add_after(item, MINUTE)
    waiting = [delaying.ask() for _ in range(cancelled + others)]
    del waiting[cancelled - later : cancelled - later + others]

    with delaying.cancelling(waiting, row.turns):
        delaying.elapse(MINUTE)

    assert [delaying.runs(item) for item in due] == [1] * items, (
        "does a deadline wake a Get that still waits, and does one that is cancelled after it was woken wake the next?"
    )


@rule(
    cites=(ADD_AFTER, LOOP),
    after="delays/a-waiting-worker-is-woken",
    for_all={"delay": between(1, MILLISECOND)},
)
def an_item_is_there_however_short_its_delay(delaying: DelayingQueue, delay: Nanoseconds) -> None:
    """An item MUST be handed out, too, if its delay is over before anybody has looked at it."""
    delaying.add_after("a", delay)

    assert delaying.get() == "a", (
        "is an item handed out that is overdue when its deadline is first looked at?"
    )


@rule(
    cites=(DELAYING_TESTS["TestSimpleQueue"], QUEUE["Len"]),
    after="delays/an-item-is-not-there-before-its-delay-is-over",
)
def len_leaves_out_what_waits(delaying: DelayingQueue) -> None:
    """Len MUST NOT count an item that waits for its deadline."""
    delaying.add_after("a", HOUR)

    assert len(delaying) == 0


@rule(
    cites=DELAYING["AddAfter"],
    after=("delays/an-item-is-not-there-before-its-delay-is-over", "handing_out/a-finished-item-stays-away"),
)
def a_delayed_item_comes_once(delaying: DelayingQueue) -> None:
    """An item that was added with AddAfter MUST be handed out once: AddAfter is no ticker."""
    delaying.add_after("a", MINUTE)
    delaying.until(MINUTE)
    delaying.get()

    delaying.elapse(3 * MINUTE)

    assert delaying.take_all() == []


@rule(cites=DELAYING["AddAfter"], after="delays/an-item-is-not-there-before-its-delay-is-over")
def an_item_can_be_delayed_again(delaying: DelayingQueue) -> None:
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
    cites=DELAYING["AddAfter"],
    after="delays/an-item-is-not-there-before-its-delay-is-over",
    each=[Calls("the one with the sooner deadline", True), Calls("the one with the later deadline", False)],
)
def a_later_deadline_holds_up_no_sooner_one(delaying: DelayingQueue, row: Calls) -> None:
    """An item MUST come at its deadline, though others wait whose deadlines are later.

    A timer that was set for one item has to be set anew for a sooner one, and only then.
    """
    calls = [("sooner", MINUTE), ("later", HOUR)]
    for item, delay in calls if row.sooner_first else reversed(calls):
        delaying.add_after(item, delay)

    delaying.until(MINUTE)

    assert delaying.get() == "sooner", (
        "is the thread that waits for the later deadline woken when a sooner one is added?"
    )


@rule(
    cites=DELAYING["AddAfter"],
    after="delays/a-later-deadline-holds-up-no-sooner-one",
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
    after=(
        "delays/a-waiting-worker-is-woken",
        "delays/an-item-can-be-delayed-again",
        "delays/all-that-is-due-comes",
    ),
    for_all={"other": between(10 * SECOND, MINUTE), "delay": between(10 * SECOND, MINUTE)},
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

    assert "a" not in delaying.handed_out, "is the deadline computed in AddAfter itself, and not later?"

    delaying.until(called + delay)

    assert delaying.runs("a") == 1, "is the deadline computed in AddAfter itself, and not later?"


@rule(
    cites=(DELAYING_TESTS["TestCopyShifting"], DELAYING["waitForPriorityQueue"]),
    after="delays/the-delay-counts-from-the-call",
    for_all={"order": orders("abcd")},
)
def items_come_in_the_order_of_their_deadlines(delaying: DelayingQueue, order: list[str]) -> None:
    """Items whose deadlines differ MUST be handed out in the order of these, not of the calls."""
    for item in sorted(order):
        delaying.add_after(item, (1 + order.index(item)) * 10 * SECOND)

    delaying.until(MINUTE)

    assert delaying.take_all() == order


@rule(cites=ADD_AFTER, after="delays/items-come-in-the-order-of-their-deadlines")
def values_that_have_no_order_can_have_one_deadline(
    delaying: Annotated[DelayingQueue, With("values")],
) -> None:
    """Items that are due at one moment MUST all be handed out, also where one cannot be compared with another.

    A heap of pairs, a deadline and an item, compares the items as soon as two deadlines are equal.
    """
    mixed = (7, "7", None, ("shop", 7), ("shop", None), -1, -2, Key("web"), Key("shop"))
    items = [Value.of(it) for it in mixed]
    for item in items:
        delaying.add_after(item, MINUTE)

    delaying.until(MINUTE)

    assert sorted(delaying.take_all()) == sorted(items)


@dataclass(frozen=True)
class First(Row):
    first: str
    step: int

    def cells(self) -> dict[str, str]:
        return {"the first delay is of": self.first}


@rule(
    cites=ADD_AFTER,
    after="delays/a-waiting-worker-is-woken",
    each=[First("the queue that goes on", 1), First("the queue that is shut down", -1)],
)
def two_queues_have_deadlines_of_their_own(two: tuple[DelayingQueue, DelayingQueue], row: First) -> None:
    """An item MUST come when its delay has passed, whatever another queue in the same process has been told of the same item, and when that is shut down.

    A thread for the deadlines of all queues ends with the queue that has started it.
    """
    queue, other = two
    delays = [
        (queue, "a", MINUTE),
        (other, "a", 10 * SECOND),
        (queue, "b", 10 * SECOND),
        (other, "b", MINUTE),
        (queue, "c", MINUTE),
        (other, "c", HOUR),
    ]
    for each, item, delay in delays[:: row.step]:
        each.add_after(item, delay)

    queue.until(10 * SECOND)

    assert queue.take_all() == ["b"], "is something kept on the class, or in the module?"

    other.shut_down()
    queue.until(MINUTE)

    assert sorted(queue.take_all()) == ["a", "c"], "is something kept on the class, or in the module?"


@dataclass(frozen=True)
class Setting(Row):
    the_clock_is_set: str
    by: Nanoseconds

    def cells(self) -> dict[str, str]:
        return {"the clock is set": self.the_clock_is_set}


SET = (Setting("an hour forward", HOUR), Setting("an hour back", -HOUR))


@rule(
    cites=ADD_AFTER,
    after="delays/a-waiting-worker-is-woken",
    each=SET,
)
def a_clock_that_is_set_makes_nothing_due(delaying: DelayingQueue, row: Setting) -> None:
    """An item MUST NOT come before its delay has passed, though somebody sets the wall clock meanwhile.

    A machine that has slept, or asks for the time of day at last, sets it by hours; every retry would come at once then.
    """
    delaying.ask()
    delaying.add_after("a", MINUTE)

    delaying.set_clock(row.by)
    delaying.until(MINUTE - MILLISECOND)

    assert delaying.handed_out == [], "are deadlines times of day? Use a monotonic clock."


@rule(
    cites=ADD_AFTER,
    after="delays/a-waiting-worker-is-woken",
    each=SET,
)
def a_clock_that_is_set_puts_nothing_off(delaying: DelayingQueue, row: Setting) -> None:
    """An item MUST come when its delay has passed, though somebody sets the wall clock meanwhile."""
    worker = delaying.ask()
    delaying.add_after("a", MINUTE)

    delaying.set_clock(row.by)
    delaying.until(MINUTE)

    assert worker.got == "a", "are deadlines times of day? Use a monotonic clock."


@rule(
    cites=ADD_AFTER,
    after=("delays/all-that-is-due-comes", "delays/len-leaves-out-what-waits"),
)
def of_many_delayed_items_none_is_lost(delaying: DelayingQueue) -> None:
    """However many items are added with AddAfter at once, each MUST come.

    Java's queue drops what does not fit into a buffer of 1,000, silently: of 5,000 items it loses 2,800.
    """
    delaying.add_each_after([f"item-{n}" for n in range(A_BUFFER)], MINUTE)

    with given():
        assert len(delaying) == 0

    delaying.elapse(2 * MINUTE)

    assert len(delaying) == A_BUFFER, "does AddAfter drop an item if a buffer is full?"


@rule(
    cites=ADD_AFTER,
    after=("delays/of-many-delayed-items-none-is-lost",),
)
def of_many_without_a_pause_none_is_lost(delaying: DelayingQueue) -> None:
    """However many items are added with AddAfter without a pause, each MUST come.

    The clerk who empties the buffer has had no time to look until the last call returns, or waits for room.
    """
    delaying.add_straight_after([f"item-{n}" for n in range(A_BUFFER)], MINUTE)

    delaying.elapse(2 * MINUTE)

    assert len(delaying) == A_BUFFER, "does AddAfter drop an item if a buffer is full?"


CENTURIES = 2_562_047 * HOUR
"""292 years: as many whole hours as 64 bits hold in nanoseconds."""


@rule(
    cites=ADD_AFTER,
    after=(
        "delays/an-empty-item-can-wait",
        "delays/an-item-can-be-delayed-again",
        "delays/a-delayed-item-comes-once",
        "delays/a-later-deadline-holds-up-no-sooner-one",
    ),
    each=NAMES,
)
def an_item_may_wait_whatever_it_is_called(delaying: DelayingQueue, row: Name) -> None:
    """An item MUST wait for its deadline as any other, whatever its name means elsewhere."""
    delaying.add_after(row.item, HOUR)
    delaying.add_after("a", 2 * MINUTE)
    delaying.add_after(row.item, MINUTE)

    delaying.until(MINUTE)

    assert delaying.take_all() == [row.item]

    delaying.until(3 * MINUTE)

    assert delaying.take_all() == ["a"]


FAR_AWAY = (
    Delay("30 days: more than 2³¹ ms", 30 * 24 * HOUR),
    Delay("60 days: more than 2³² ms", 60 * 24 * HOUR),
    Delay("150 years: more than 2⁶² ns", 150 * 365 * 24 * HOUR),
    Delay("292 years: hardly less than 2⁶³ ns", CENTURIES),
)


@rule(
    cites=ADD_AFTER,
    after="delays/a-later-deadline-holds-up-no-sooner-one",
    each=FAR_AWAY,
)
def what_is_far_away_does_not_come_soon(delaying: DelayingQueue, row: Delay) -> None:
    """An item whose delay is as long as can be said MUST NOT come within the hour, nor hold up another one.

    A timer of 32 bits in milliseconds ends after 24 days, and JavaScript's then fires at once. The sum of now and the
    delay may be more than 64 bits hold, and what is negative has long been due.
    """
    delaying.add_after("far", row.span)
    delaying.add_after("near", MINUTE)

    delaying.until(HOUR)

    assert delaying.take_all() == ["near"], (
        "does the sum of now and the delay overflow, or does a timer cut off a long time-out?"
    )


@rule(
    cites=DELAYING["insert"],
    after=("delays/what-is-far-away-does-not-come-soon",),
    each=FAR_AWAY,
)
def what_is_far_away_can_be_hurried_up(delaying: DelayingQueue, row: Delay) -> None:
    """An item whose delay is as long as can be said MUST come earlier if it is added again with a shorter one."""
    delaying.add_after("a", row.span)
    delaying.add_after("a", MINUTE)

    delaying.until(MINUTE)

    assert delaying.get() == "a"


@rule(
    cites=(ADD_AFTER, LOOP),
    after="delays/a-waiting-worker-is-woken",
    each=[
        Delay("5 ms", 5 * MILLISECOND),
        Delay("4 ms", 4 * MILLISECOND),
        Delay("2 ms", 2 * MILLISECOND),
    ],
)
def a_short_delay_is_a_delay(delaying: DelayingQueue, row: Delay) -> None:
    """A delay of a few milliseconds MUST count as any other: a worker that waits is not woken before it is over, and is then.

    The first wait of an item that has failed is 5 ms by default.
    """
    worker = delaying.ask()
    delaying.add_after("a", row.span)

    delaying.until(row.span - MILLISECOND)

    assert delaying.handed_out == [], "is a short delay rounded down to none?"

    delaying.until(row.span)

    assert worker.got == "a"
