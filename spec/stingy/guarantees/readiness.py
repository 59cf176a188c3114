"""Priorities with delays.

An item with a priority may be added with a delay, after which it is *ready*; added rate limited, it is so when
its rate limiter says. Added again before it is handed out, it is ready at the earlier one of the two times. Only
what is ready is handed out, and what is more urgent does not wait any longer for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from stingy.contract import Nanoseconds
from stingy.contract.sources import DESIGN, LIMITERS, PRIORITY_QUEUE, PRIORITY_TESTS
from stingy.guarantees.delays import SET, Setting
from stingy.guarantees.handing_out import A_CROWD
from stingy.guarantees.priority import (
    MERGED,
)
from stingy.language import MILLISECOND, MINUTE, SECOND, PriorityQueue, Row, With, between, format_span, rule

READY_TIME = PRIORITY_QUEUE["ready time"]
LIMITED = PRIORITY_QUEUE["lockedAddWithOpts"]
AN_HOUR = 60 * MINUTE


@rule(
    cites=(DESIGN["After"], PRIORITY_TESTS["TestItemIsOnlyReturnedAfterAfterHasPassed"]),
    after="priority/get-waits-while-nothing-is-ready",
    for_all={"delay": between(MINUTE, 10 * MINUTE)},
)
def nothing_comes_before_its_time(prioritized: PriorityQueue, delay: Nanoseconds) -> None:
    """An item that is added with a delay MUST NOT be handed out before the delay has passed."""
    prioritized.add_with("a", after=delay)
    prioritized.ask()

    prioritized.elapse(delay - MILLISECOND)

    assert prioritized.handed_out == []


@rule(
    cites=(DESIGN["After"], PRIORITY_TESTS["TestItemIsReturnedAsSoonAsPossible"]),
    after="priority/get-waits-while-nothing-is-ready",
    for_all={"delay": between(MINUTE, 10 * MINUTE)},
)
def when_its_time_has_come_a_worker_gets_it(prioritized: PriorityQueue, delay: Nanoseconds) -> None:
    """When its delay has passed an item MUST be handed out to a worker that waits, though nobody calls."""
    prioritized.add_with("a", priority=3, after=delay)
    worker = prioritized.ask()

    prioritized.elapse(delay)

    assert worker.got == "a"


@dataclass(frozen=True)
class Wait(Row):
    what: str
    delay: Nanoseconds

    def cells(self) -> dict[str, str]:
        return {"what": self.what, "delay": format_span(self.delay)}


@rule(
    cites=(
        PRIORITY_TESTS["TestHighPriorityItemsAreReturnedBeforeLowPriorityItemMultipleTimes"],
        PRIORITY_QUEUE["lockedAddWithOpts"],
    ),
    after="priority/get-waits-while-nothing-is-ready",
    each=[
        Wait("none", 0),
        Wait("one that is just over", -MILLISECOND),
        Wait("one that has long been over", -AN_HOUR),
    ],
)
def an_item_without_a_delay_is_ready(prioritized: PriorityQueue, row: Wait) -> None:
    """An item that is added with a delay of 0, or less, MUST be ready at once."""
    prioritized.add_with("a", after=row.delay)

    assert prioritized.get() == "a"


@rule(
    cites=(DESIGN["After"], PRIORITY_TESTS["TestItemIsOnlyReturnedAfterAfterHasPassed"]),
    after=("readiness/nothing-comes-before-its-time", "readiness/when-its-time-has-come-a-worker-gets-it"),
    each=[
        Wait("half a second", 500 * MILLISECOND),
        Wait("as short as can be told", MILLISECOND),
    ],
)
def a_moment_is_waited_for_too(prioritized: PriorityQueue, row: Wait) -> None:
    """An item that is added with a delay of less than a second MUST be handed out when the delay has passed, and not before.

    Where delays are whole seconds it is none, and what fails is tried again in a busy loop.
    """
    prioritized.add_with("a", after=row.delay)
    worker = prioritized.ask()

    assert prioritized.handed_out == []

    prioritized.elapse(row.delay)

    assert worker.got == "a"


@rule(
    cites=(DESIGN["After"], PRIORITY_TESTS["TestMultipleItemsWithAfterAreReturnedInCorrectOrder"]),
    after=("readiness/nothing-comes-before-its-time", "readiness/when-its-time-has-come-a-worker-gets-it"),
)
def a_sooner_one_does_not_wait_for_a_later_one(prioritized: PriorityQueue) -> None:
    """A delay that ends before those that were there already MUST NOT be noticed only at the end of theirs."""
    prioritized.add_with("a", after=10 * MINUTE)
    prioritized.add_with("b", after=MINUTE)
    worker = prioritized.ask()

    prioritized.elapse(MINUTE)

    assert worker.got == "b"


@rule(
    cites=(DESIGN["After"], PRIORITY_TESTS["TestMultipleItemsWithAfterAreReturnedInCorrectOrder"]),
    after=("readiness/nothing-comes-before-its-time", "readiness/when-its-time-has-come-a-worker-gets-it"),
)
def all_that_is_due_is_handed_out(prioritized: PriorityQueue) -> None:
    """Of several items that become ready at once, each MUST be handed out if there is a worker for it.

    One wake-up for all of them leaves work lying beside workers that wait.
    """
    workers = [prioritized.ask() for _ in "abc"]
    for item in "abc":
        prioritized.add_with(item, after=MINUTE)

    prioritized.elapse(MINUTE)

    assert sorted(str(worker.got) for worker in workers) == ["a", "b", "c"]


@rule(
    cites=MERGED,
    after=("priority/added-many-times-it-is-handed-out-once", "readiness/all-that-is-due-is-handed-out"),
)
def of_many_items_none_is_lost(prioritized: PriorityQueue) -> None:
    """However many items are ready, or wait until they are due, each MUST be handed out, and once."""
    ready, late = ([f"{when}-{n}" for n in range(A_CROWD)] for when in ("ready", "late"))
    prioritized.add_straight(ready)
    prioritized.add_straight_after(late, MINUTE)

    assert sorted(prioritized.take_straight(A_CROWD)) == sorted(ready), "is there a buffer that can be full?"

    prioritized.elapse(MINUTE)

    assert sorted(prioritized.take_straight(A_CROWD)) == sorted(late), "is there a buffer that can be full?"


@rule(
    cites=DESIGN["After"],
    after=("readiness/nothing-comes-before-its-time", "readiness/when-its-time-has-come-a-worker-gets-it"),
    each=SET,
)
def a_clock_that_is_set_changes_no_time(prioritized: PriorityQueue, row: Setting) -> None:
    """An item MUST come when its time has passed, and not before, though somebody sets the wall clock meanwhile."""
    worker = prioritized.ask()
    prioritized.add_with("a", after=MINUTE)

    prioritized.set_clock(row.by)
    prioritized.elapse(MINUTE - MILLISECOND)

    assert prioritized.handed_out == [], "are deadlines times of day? Use a monotonic clock."

    prioritized.elapse(MILLISECOND)

    assert worker.got == "a", "are deadlines times of day? Use a monotonic clock."


@dataclass(frozen=True)
class Sooner(Row):
    what: str
    first: Nanoseconds
    again: Nanoseconds
    due: Nanoseconds

    def cells(self) -> dict[str, str]:
        spans = {"first": self.first, "again": self.again, "due": self.due}
        return {"what": self.what} | {name: format_span(span) for name, span in spans.items()}


@rule(
    cites=(DESIGN["After"], PRIORITY_QUEUE["ready time"]),
    after=("readiness/nothing-comes-before-its-time", "readiness/when-its-time-has-come-a-worker-gets-it"),
    each=[
        Sooner("a shorter delay", 10 * MINUTE, 5 * MINUTE, 5 * MINUTE),
        Sooner("a longer delay", 5 * MINUTE, 10 * MINUTE, 5 * MINUTE),
        Sooner("the same delay", 5 * MINUTE, 5 * MINUTE, 5 * MINUTE),
    ],
)
def the_earlier_time_counts(prioritized: PriorityQueue, row: Sooner) -> None:
    """An item that is added again while it waits for its time MUST be ready at the earlier one of the two times."""
    prioritized.add_with("a", after=row.first)
    prioritized.add_with("a", after=row.again)
    worker = prioritized.ask()

    prioritized.elapse(row.due - MILLISECOND)

    assert prioritized.handed_out == []

    prioritized.elapse(MILLISECOND)

    assert worker.got == "a"


@rule(
    cites=(PRIORITY_QUEUE["ready time"], PRIORITY_TESTS["retains the lowest after duration"]),
    after="readiness/an-item-without-a-delay-is-ready",
    each=[
        Sooner("a delay, when it is ready", 0, AN_HOUR, 0),
        Sooner("no delay, when it waits", AN_HOUR, 0, 0),
    ],
)
def ready_is_earlier_than_any_time(prioritized: PriorityQueue, row: Sooner) -> None:
    """An item that is added once with a delay and once without, in whichever order, MUST be ready at once."""
    prioritized.add_with("a", after=row.first)

    prioritized.add_with("a", after=row.again)

    assert prioritized.get() == "a"


@dataclass(frozen=True)
class Merged(Row):
    what: str
    first: int
    first_after: Nanoseconds
    again: int
    again_after: Nanoseconds
    priority: int
    due: Nanoseconds

    def cells(self) -> dict[str, str]:
        return {
            "what": self.what,
            "first": f"{self.first} after {format_span(self.first_after)}",
            "again": f"{self.again} after {format_span(self.again_after)}",
            "handed out": f"{self.priority} after {format_span(self.due)}",
        }


@rule(
    cites=(MERGED, READY_TIME),
    after=(
        "priority/the-higher-priority-counts",
        "readiness/the-earlier-time-counts",
        "readiness/ready-is-earlier-than-any-time",
    ),
    each=[
        Merged("higher and later, when it is ready", 0, 0, 5, AN_HOUR, 5, 0),
        Merged("lower and at once, when it waits", 5, AN_HOUR, 0, 0, 5, 0),
        Merged("higher and later", 0, 5 * MINUTE, 5, 10 * MINUTE, 5, 5 * MINUTE),
        Merged("higher and sooner", 0, 10 * MINUTE, 5, 5 * MINUTE, 5, 5 * MINUTE),
        Merged("lower and later", 5, 5 * MINUTE, 0, 10 * MINUTE, 5, 5 * MINUTE),
        Merged("lower and sooner", 5, 10 * MINUTE, 0, 5 * MINUTE, 5, 5 * MINUTE),
    ],
)
def priority_and_time_count_each_for_itself(prioritized: PriorityQueue, row: Merged) -> None:
    """The higher priority and the earlier time MUST count together, though each may come from another Add."""
    prioritized.add_with("a", priority=row.first, after=row.first_after)
    prioritized.add_with("a", priority=row.again, after=row.again_after)

    prioritized.elapse(row.due)

    assert prioritized.get_with_priority() == ("a", row.priority)


@rule(
    cites=MERGED,
    after=("readiness/the-earlier-time-counts", "readiness/ready-is-earlier-than-any-time"),
    each=[
        Sooner("a delay, when it is ready", 0, 5 * MINUTE, 0),
        Sooner("no delay, when it waits", 5 * MINUTE, 0, 0),
        Sooner("a longer delay", 5 * MINUTE, 10 * MINUTE, 5 * MINUTE),
        Sooner("a shorter delay", 10 * MINUTE, 5 * MINUTE, 5 * MINUTE),
    ],
)
def the_later_time_brings_nothing(prioritized: PriorityQueue, row: Sooner) -> None:
    """An item that is added twice, with a delay and without or with two, MUST be handed out once.

    In client-go's delaying queue an Add and a pending AddAfter are two.
    """
    prioritized.add_with("a", after=row.first)
    prioritized.add_with("a", after=row.again)

    for _ in range(3):
        prioritized.take_all()
        prioritized.elapse(5 * MINUTE)

    assert prioritized.runs("a") == 1


@rule(
    cites=(DESIGN["After"], PRIORITY_QUEUE["ready time"]),
    after="readiness/the-later-time-brings-nothing",
)
def an_old_time_is_not_that_of_the_next_add(prioritized: PriorityQueue) -> None:
    """A time that an item did not wait for MUST NOT make it ready later, when it waits for another one."""
    prioritized.add_with("a", after=10 * MINUTE)
    prioritized.add_with("a")
    prioritized.get()
    prioritized.done("a")
    prioritized.add_with("a", after=30 * MINUTE)
    prioritized.ask()

    prioritized.elapse(20 * MINUTE)

    assert prioritized.handed_out == ["a"]


@rule(
    cites=(
        DESIGN["Priority"],
        PRIORITY_TESTS["TestHighPriorityItemThatBecameReadyIsReturnedBeforeLowPriorityItem"],
    ),
    after=("priority/the-highest-priority-goes-first", "readiness/when-its-time-has-come-a-worker-gets-it"),
)
def a_delay_costs_no_priority(prioritized: PriorityQueue) -> None:
    """An item that becomes ready after a delay MUST go before less urgent ones that have been ready for longer.

    It had to wait until these were gone once (kubernetes-sigs/controller-runtime#3330).
    """
    prioritized.add_with("a", priority=-100)
    prioritized.add_with("b", after=MINUTE)

    prioritized.elapse(MINUTE + 2 * SECOND)

    assert prioritized.take_all() == ["b", "a"]


@rule(
    cites=PRIORITY_QUEUE["handleWaitingItems"].in_code,
    after=(
        "readiness/nothing-comes-before-its-time",
        "priority/first-come-first-served-within-a-priority",
        "readiness/when-its-time-has-come-a-worker-gets-it",
    ),
)
def an_item_has_the_place_of_when_it_became_ready(prioritized: PriorityQueue) -> None:
    """Among items of its priority, one that had a delay SHOULD have the place of when it became ready.

    It was added first here, but it did not wait for a worker then.
    """
    prioritized.add_with("a", after=5 * MINUTE)
    prioritized.add_with("b")
    prioritized.elapse(5 * MINUTE + 2 * SECOND)
    prioritized.add_with("c")

    assert prioritized.take_all() == ["b", "a", "c"]


@rule(
    cites=(PRIORITY_QUEUE["locked"], DESIGN["After"]),
    after=("priority/one-worker-at-a-time", "readiness/when-its-time-has-come-a-worker-gets-it"),
)
def what_becomes_ready_during_a_run_waits_for_its_end(prioritized: PriorityQueue) -> None:
    """An item whose time comes while a worker holds it MUST be handed out after that worker's Done."""
    prioritized.add_with("a")
    prioritized.get()
    prioritized.add_with("a", after=MINUTE)
    other = prioritized.ask()
    prioritized.elapse(2 * MINUTE)

    assert other.waiting

    prioritized.done("a")

    assert other.got == "a"


@rule(
    cites=(DESIGN["After"], PRIORITY_QUEUE["ready time"]),
    after=("readiness/nothing-comes-before-its-time", "readiness/when-its-time-has-come-a-worker-gets-it"),
)
def a_done_does_not_end_a_delay(prioritized: PriorityQueue) -> None:
    """An item that is added with a delay while a worker holds it MUST come when the delay has passed, and not at that worker's Done.

    This is how a reconciler asks to be called again in ten minutes.
    """
    prioritized.add_with("a")
    prioritized.get()
    prioritized.add_with("a", after=10 * MINUTE)
    prioritized.done("a")
    worker = prioritized.ask()

    prioritized.elapse(10 * MINUTE - MILLISECOND)

    assert prioritized.handed_out == ["a"]

    prioritized.elapse(MILLISECOND)

    assert worker.got == "a"


@rule(
    cites=MERGED,
    after=("priority/one-worker-at-a-time", "readiness/the-later-time-brings-nothing"),
)
def an_event_during_a_run_takes_the_place_of_a_delay(prioritized: PriorityQueue) -> None:
    """Of an Add and one with a delay while a worker holds the item, the earlier one MUST count, and be all there is.

    So a reconciler that asks to be called again in ten minutes is not, if something happened meanwhile: it is
    called at once, and has to ask again.
    """
    prioritized.add_with("a")
    prioritized.get()
    prioritized.add_with("a", after=10 * MINUTE)
    prioritized.add_with("a")

    prioritized.done("a")

    assert prioritized.get() == "a"

    prioritized.take_all()
    prioritized.elapse(20 * MINUTE)

    assert prioritized.runs("a") == 2


@rule(
    cites=(DESIGN["RateLimited"], PRIORITY_QUEUE["lockedAddWithOpts"]),
    after=("readiness/nothing-comes-before-its-time", "readiness/when-its-time-has-come-a-worker-gets-it"),
)
def a_rate_limited_item_waits_for_its_limiter(prioritized: Annotated[PriorityQueue, With("limit")]) -> None:
    """An item that is added rate limited MUST wait as long as its rate limiter says, longer each time."""
    for runs, delay in enumerate([MINUTE, 2 * MINUTE, 4 * MINUTE]):
        prioritized.add_with("a", rate_limited=True)
        worker = prioritized.ask()

        prioritized.elapse(delay - MILLISECOND)

        assert prioritized.handed_out == ["a"] * runs

        prioritized.elapse(MILLISECOND)

        assert worker.got == "a"

        prioritized.done("a")


@rule(
    cites=(
        PRIORITY_TESTS["TestWhenAddingMultipleItemsWithRatelimitTrueTheyDontAffectEachOther"],
        PRIORITY_QUEUE["lockedAddWithOpts"],
    ),
    after="readiness/a-rate-limited-item-waits-for-its-limiter",
)
def each_rate_limited_item_waits_for_itself(prioritized: Annotated[PriorityQueue, With("limit")]) -> None:
    """Of items that are added rate limited, each MUST wait as long as it has failed, whatever others have done.

    The delay of one became that of the next once (kubernetes-sigs/controller-runtime#3103).
    """
    prioritized.add_with("b", rate_limited=True)
    prioritized.elapse(MINUTE)
    prioritized.get()
    prioritized.done("b")
    first, second = prioritized.ask(), prioritized.ask()

    prioritized.add_with("a", rate_limited=True)
    prioritized.add_with("b", rate_limited=True)
    prioritized.elapse(2 * MINUTE - MILLISECOND)

    assert prioritized.handed_out == ["b", "a"]

    prioritized.elapse(MILLISECOND)

    assert {first.got, second.got} == {"a", "b"}


@rule(
    cites=(
        PRIORITY_TESTS["TestWhenAddingMultipleItemsWithRatelimitTrueTheyDontAffectEachOther"],
        PRIORITY_QUEUE["lockedAddWithOpts"],
    ),
    after=("readiness/each-rate-limited-item-waits-for-itself", "readiness/all-that-is-due-is-handed-out"),
)
def items_of_one_call_each_wait_for_themselves(
    prioritized: Annotated[PriorityQueue, With("limit"), With("several")],
) -> None:
    """Of items that are added rate limited in one call, each MUST wait as long as it has failed itself.

    The delay of one became that of the next (kubernetes-sigs/controller-runtime#3103), and nobody noticed for some releases.
    """
    prioritized.add_with("b", rate_limited=True)
    prioritized.elapse(MINUTE)
    prioritized.get()
    prioritized.done("b")
    workers = [prioritized.ask() for _ in "abc"]

    prioritized.add_all_with("a", "b", "c", rate_limited=True)
    prioritized.elapse(2 * MINUTE - MILLISECOND)

    assert sorted(prioritized.handed_out) == ["a", "b", "c"]

    prioritized.elapse(MILLISECOND)

    assert sorted(worker.got for worker in workers) == ["a", "b", "c"]


@rule(
    cites=(DESIGN["RateLimited"], LIMITERS["NumRequeues"]),
    after="readiness/a-rate-limited-item-waits-for-its-limiter",
)
def an_add_is_no_failure(prioritized: Annotated[PriorityQueue, With("limit")]) -> None:
    """An item that is added without its rate limiter, with a delay or none, MUST NOT have failed more often by it."""
    prioritized.add_with("a")
    prioritized.get()
    prioritized.done("a")
    prioritized.add_with("a", after=MINUTE)
    prioritized.elapse(MINUTE)
    prioritized.get()
    prioritized.done("a")

    prioritized.add_with("a", rate_limited=True)
    prioritized.elapse(MINUTE)

    assert prioritized.get() == "a"


@dataclass(frozen=True)
class LimiterAndDelay(Row):
    what: str
    after: Nanoseconds
    due: Nanoseconds

    def cells(self) -> dict[str, str]:
        return {"what": self.what, "after": format_span(self.after), "due": format_span(self.due)}


@rule(
    cites=LIMITED,
    after="readiness/a-rate-limited-item-waits-for-its-limiter",
    each=[
        LimiterAndDelay("a shorter delay", 10 * SECOND, 10 * SECOND),
        LimiterAndDelay("a longer delay", 5 * MINUTE, MINUTE),
        LimiterAndDelay("a delay that is over", -SECOND, 0),
    ],
)
def the_sooner_of_limiter_and_delay_counts(
    prioritized: Annotated[PriorityQueue, With("limit")], row: LimiterAndDelay
) -> None:
    """An item that is added rate limited and with a delay SHOULD be ready at the earlier one of the two times."""
    prioritized.add_with("a", after=row.after, rate_limited=True)
    worker = prioritized.ask()

    prioritized.elapse(max(0, row.due - MILLISECOND))

    assert prioritized.handed_out == ["a"] * (row.due == 0)

    prioritized.elapse(MILLISECOND)

    assert worker.got == "a"


@rule(cites=LIMITED, after="readiness/a-rate-limited-item-waits-for-its-limiter")
def the_limiter_is_asked_though_a_delay_is_shorter(
    prioritized: Annotated[PriorityQueue, With("limit")],
) -> None:
    """An item that is added rate limited and with a shorter delay SHOULD have failed once more by it."""
    prioritized.add_with("a", after=SECOND, rate_limited=True)
    prioritized.elapse(MINUTE)
    prioritized.get()
    prioritized.done("a")

    prioritized.add_with("a", rate_limited=True)
    prioritized.ask()
    prioritized.elapse(2 * MINUTE - MILLISECOND)

    assert prioritized.handed_out == ["a"]


@rule(
    cites=(PRIORITY_QUEUE["Len"], PRIORITY_TESTS["doesn't include non-ready items in Len()"]),
    after=("readiness/nothing-comes-before-its-time", "priority/added-many-times-it-is-handed-out-once"),
)
def len_counts_what_is_ready(prioritized: PriorityQueue) -> None:
    """Len MUST be the number of items that are ready: not of those that wait for their time, or were handed out."""
    prioritized.add_with("a", priority=1)
    prioritized.add_with("b")
    prioritized.add_with("b", priority=2)
    prioritized.add_with("c", after=AN_HOUR)

    assert len(prioritized) == 2

    prioritized.get()

    assert len(prioritized) == 1


@rule(
    cites=PRIORITY_QUEUE["Len"],
    after="priority/one-worker-at-a-time",
    contested=("it is counted", "it is not counted"),
)
def whether_len_counts_what_waits_for_its_done(prioritized: PriorityQueue) -> str:
    """Len MAY count an item that was added again while a worker holds it.

    controller-runtime counts it, and has a test that says so; client-go does not: nobody can take it.
    """
    prioritized.add_with("a")
    prioritized.get()

    prioritized.add_with("a")

    return {0: "it is not counted", 1: "it is counted"}.get(len(prioritized), f"Len is {len(prioritized)}")
