"""Priorities.

controller-runtime's queue hands out first what is most urgent. An item is added with a *priority*, the
higher the sooner, and perhaps with a delay, after which it is *ready*. Added again before it is handed out
it is still one item: with the higher one of the two priorities, and the earlier one of the two times.
"""

from __future__ import annotations

from dataclasses import dataclass

from stingy.contract import Nanoseconds
from stingy.language import (
    MILLISECOND,
    MINUTE,
    SECOND,
    SHUTDOWN,
    PriorityQueue,
    Row,
    between,
    numbers,
    orders,
    rule,
    sequences,
    spoken,
    steps,
)
from stingy.sources import PRIORITY_QUEUE

MERGED = PRIORITY_QUEUE["PriorityQueue"]
PRIORITY = PRIORITY_QUEUE["AddOpts"]
FIFO = PRIORITY_QUEUE["addedCounter"]
READY_TIME = PRIORITY_QUEUE["ready time"]
LOCKED = PRIORITY_QUEUE["locked"]
LIMITED = PRIORITY_QUEUE["lockedAddWithOpts"]
SHUT = PRIORITY_QUEUE["GetWithPriority"]

AN_HOUR = 60 * MINUTE


@rule(cites=PRIORITY, for_all={"priority": numbers(-1000, 1000)})
def an_item_comes_with_its_priority(prioritized: PriorityQueue, priority: int) -> None:
    """An item that was added MUST be handed out, together with the priority that it was added with.

    Whoever adds it again, after a failure, can then do so with the same one.
    """
    prioritized.add_with("a", priority=priority)

    assert prioritized.get_with_priority() == ("a", priority)


@rule(cites=SHUT, after=[an_item_comes_with_its_priority])
def get_waits_while_nothing_is_ready(prioritized: PriorityQueue) -> None:
    """A Get MUST wait while nothing is ready, and return when something is added."""
    worker = prioritized.ask()

    assert worker.waiting

    prioritized.add_with("a")

    assert worker.got == "a"


@rule(cites=PRIORITY, after=[an_item_comes_with_its_priority], for_all={"added": orders("abcde")})
def the_highest_priority_goes_first(prioritized: PriorityQueue, added: list[str]) -> None:
    """Items MUST be handed out in the order of their priorities, the highest one first, whenever they were added."""
    priorities = {"a": 100, "b": 5, "c": 0, "d": -1, "e": -100}
    for item in added:
        prioritized.add_with(item, priority=priorities[item])

    assert prioritized.take_with_priorities() == list(priorities.items())


@rule(cites=FIFO, after=[the_highest_priority_goes_first], for_all={"added": orders("abcdef")})
def first_come_first_served_within_a_priority(prioritized: PriorityQueue, added: list[str]) -> None:
    """Items of the same priority MUST be handed out in the order in which they were first added."""
    for item in added:
        prioritized.add_with(item, priority=1 if item in "abc" else 0)

    urgent = [item for item in added if item in "abc"]
    others = [item for item in added if item not in "abc"]
    assert prioritized.take_all() == [*urgent, *others]


@rule(
    cites=MERGED,
    after=[an_item_comes_with_its_priority],
    for_all={"added": sequences("abc", 1, 12)},
)
def added_many_times_it_is_handed_out_once(prioritized: PriorityQueue, added: list[str]) -> None:
    """An item that is added any number of times before it is handed out MUST be handed out once.

    Whatever the priorities: two lanes, of which both may hold the same item, are not enough.
    """
    for n, item in enumerate(added):
        prioritized.add_with(item, priority=n % 3)

    assert sorted(prioritized.take_all()) == sorted(set(added))


@dataclass(frozen=True)
class Again(Row):
    what: str
    first: int
    again: int
    priority: int


@rule(
    cites=MERGED,
    after=[an_item_comes_with_its_priority],
    each=[
        Again("a higher one", 1, 2, 2),
        Again("a lower one", 2, 1, 2),
        Again("the same", 2, 2, 2),
        Again("a higher one below 0", -2, -1, -1),
        Again("none, after a high one", 3, 0, 3),
        Again("none, after one below 0", -3, 0, 0),
    ],
)
def the_higher_priority_counts(prioritized: PriorityQueue, row: Again) -> None:
    """An item that is added again before it is handed out MUST keep the higher one of the two priorities."""
    prioritized.add_with("a", priority=row.first)

    prioritized.add_with("a", priority=row.again)

    assert prioritized.get_with_priority() == ("a", row.priority)


@rule(
    cites=MERGED,
    after=[
        first_come_first_served_within_a_priority,
        added_many_times_it_is_handed_out_once,
        the_higher_priority_counts,
    ],
)
def a_raised_item_overtakes(prioritized: PriorityQueue) -> None:
    """An item that is added again with a higher priority MUST go before all that are now less urgent than it."""
    for item in "abc":
        prioritized.add_with(item)

    prioritized.add_with("c", priority=1)

    assert prioritized.take_all() == ["c", "a", "b"]


@rule(
    cites=PRIORITY_QUEUE["placed at the end"],
    after=[
        first_come_first_served_within_a_priority,
        added_many_times_it_is_handed_out_once,
        the_higher_priority_counts,
    ],
)
def a_raised_item_goes_to_the_end_of_its_level(prioritized: PriorityQueue) -> None:
    """An item whose priority is raised SHOULD go behind those that have the new priority already.

    It kept the place of its first Add once (kubernetes-sigs/controller-runtime#3408), and so was served
    before items that had been as urgent for longer.
    """
    prioritized.add_with("a")
    prioritized.add_with("b", priority=1)

    prioritized.add_with("a", priority=1)

    assert prioritized.take_all() == ["b", "a"]


@rule(
    cites=FIFO,
    after=[first_come_first_served_within_a_priority, the_higher_priority_counts],
    each=[
        Again("the same", 1, 1, 1),
        Again("a lower one", 1, 0, 1),
        Again("a lower one below 0", -1, -2, -1),
    ],
)
def otherwise_it_keeps_its_place(prioritized: PriorityQueue, row: Again) -> None:
    """An item that is added again with no higher priority MUST keep the place it has.

    Otherwise a busy item is pushed back by its own events, and never runs.
    """
    prioritized.add_with("a", priority=row.first)
    prioritized.add_with("b", priority=row.first)

    prioritized.add_with("a", priority=row.again)

    assert prioritized.take_with_priorities() == [("a", row.priority), ("b", row.priority)]


@rule(
    cites=READY_TIME,
    after=[get_waits_while_nothing_is_ready],
    for_all={"delay": between(MINUTE, 10 * MINUTE)},
)
def nothing_comes_before_its_time(prioritized: PriorityQueue, delay: Nanoseconds) -> None:
    """An item that is added with a delay MUST NOT be handed out before the delay has passed."""
    prioritized.add_with("a", after=delay)
    prioritized.ask()

    prioritized.elapse(delay - MILLISECOND)

    assert prioritized.handed_out == []


@rule(
    cites=READY_TIME,
    after=[get_waits_while_nothing_is_ready],
    for_all={"delay": between(MINUTE, 10 * MINUTE)},
)
def when_its_time_has_come_a_worker_gets_it(prioritized: PriorityQueue, delay: Nanoseconds) -> None:
    """When its delay has passed an item MUST be handed out to a worker that waits, though nobody calls."""
    prioritized.add_with("a", priority=3, after=delay)
    worker = prioritized.ask()

    prioritized.elapse(delay)

    assert worker.got == "a"


@dataclass(frozen=True)
class Delay(Row):
    what: str
    delay: Nanoseconds

    def cells(self) -> dict[str, str]:
        return {"what": self.what, "delay": spoken(self.delay)}


@rule(
    cites=LIMITED,
    after=[get_waits_while_nothing_is_ready],
    each=[
        Delay("none", 0),
        Delay("one that is just over", -MILLISECOND),
        Delay("one that has long been over", -AN_HOUR),
    ],
)
def without_a_delay_it_is_ready(prioritized: PriorityQueue, row: Delay) -> None:
    """An item that is added with a delay of 0, or less, MUST be ready at once."""
    prioritized.add_with("a", after=row.delay)

    assert prioritized.get() == "a"


@rule(cites=READY_TIME, after=[nothing_comes_before_its_time, when_its_time_has_come_a_worker_gets_it])
def a_sooner_one_does_not_wait_for_a_later_one(prioritized: PriorityQueue) -> None:
    """A delay that ends before those that were there already MUST NOT be noticed only at the end of theirs."""
    prioritized.add_with("a", after=10 * MINUTE)
    prioritized.add_with("b", after=MINUTE)
    worker = prioritized.ask()

    prioritized.elapse(MINUTE)

    assert worker.got == "b"


@rule(cites=READY_TIME, after=[nothing_comes_before_its_time, when_its_time_has_come_a_worker_gets_it])
def all_that_is_due_is_handed_out(prioritized: PriorityQueue) -> None:
    """Of several items that become ready at once, each MUST be handed out if there is a worker for it.

    One wake-up for all of them leaves work lying beside workers that wait.
    """
    workers = [prioritized.ask() for _ in "abc"]
    for item in "abc":
        prioritized.add_with(item, after=MINUTE)

    prioritized.elapse(MINUTE)

    assert sorted(str(worker.got) for worker in workers) == ["a", "b", "c"]


@dataclass(frozen=True)
class Sooner(Row):
    what: str
    first: Nanoseconds
    again: Nanoseconds
    due: Nanoseconds

    def cells(self) -> dict[str, str]:
        spans = {"first": self.first, "again": self.again, "due": self.due}
        return {"what": self.what} | {name: spoken(span) for name, span in spans.items()}


@rule(
    cites=READY_TIME,
    after=[nothing_comes_before_its_time, when_its_time_has_come_a_worker_gets_it],
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
    cites=READY_TIME,
    after=[without_a_delay_it_is_ready],
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
            "first": f"{self.first} after {spoken(self.first_after)}",
            "again": f"{self.again} after {spoken(self.again_after)}",
            "handed out": f"{self.priority} after {spoken(self.due)}",
        }


@rule(
    cites=(MERGED, READY_TIME),
    after=[the_higher_priority_counts, the_earlier_time_counts, ready_is_earlier_than_any_time],
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
    after=[the_earlier_time_counts, ready_is_earlier_than_any_time],
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


@rule(cites=READY_TIME, after=[nothing_comes_before_its_time, the_later_time_brings_nothing])
def an_old_time_is_not_the_next_ones(prioritized: PriorityQueue) -> None:
    """A time that an item did not wait for MUST NOT make it ready later, when it waits for another one."""
    prioritized.add_with("a", after=10 * MINUTE)
    prioritized.add_with("a")
    prioritized.get()
    prioritized.done("a")
    prioritized.add_with("a", after=30 * MINUTE)
    worker = prioritized.ask()

    prioritized.elapse(20 * MINUTE)

    assert prioritized.handed_out == ["a"]

    prioritized.elapse(10 * MINUTE)

    assert worker.got == "a"


@rule(
    cites=READY_TIME,
    after=[the_highest_priority_goes_first, when_its_time_has_come_a_worker_gets_it],
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
    cites=PRIORITY_QUEUE["handleWaitingItems"],
    after=[
        nothing_comes_before_its_time,
        first_come_first_served_within_a_priority,
        when_its_time_has_come_a_worker_gets_it,
    ],
)
def it_has_the_place_of_when_it_became_ready(prioritized: PriorityQueue) -> None:
    """Among items of its priority, one that had a delay SHOULD have the place of when it became ready.

    It was added first here, but it did not wait for a worker then.
    """
    prioritized.add_with("a", after=5 * MINUTE)
    prioritized.add_with("b")
    prioritized.elapse(5 * MINUTE + 2 * SECOND)
    prioritized.add_with("c")

    assert prioritized.take_all() == ["b", "a", "c"]


@rule(cites=LOCKED, after=[get_waits_while_nothing_is_ready])
def one_worker_at_a_time(prioritized: PriorityQueue) -> None:
    """An item that a worker holds MUST NOT be handed out before that worker's Done, and is then, however urgent."""
    prioritized.add_with("a")
    prioritized.get()
    prioritized.add_with("a", priority=9)
    other = prioritized.ask()

    assert other.waiting

    prioritized.done("a")

    assert other.got == "a"


@rule(cites=LOCKED, after=[one_worker_at_a_time])
def it_does_not_hold_up_the_others(prioritized: PriorityQueue) -> None:
    """An item that waits for its Done MUST NOT keep workers from less urgent ones."""
    prioritized.add_with("a")
    prioritized.get()

    prioritized.add_with("a", priority=9)
    prioritized.add_with("b")

    assert prioritized.get() == "b"


@rule(cites=LOCKED, after=[one_worker_at_a_time, when_its_time_has_come_a_worker_gets_it])
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


@rule(cites=LOCKED, after=[nothing_comes_before_its_time, when_its_time_has_come_a_worker_gets_it])
def a_done_does_not_end_a_delay(prioritized: PriorityQueue) -> None:
    """An item that is added with a delay while a worker holds it MUST wait for its time after that one's Done, too.

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


@rule(cites=MERGED, after=[one_worker_at_a_time, the_later_time_brings_nothing])
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


@rule(cites=MERGED, after=[the_higher_priority_counts, one_worker_at_a_time])
def the_next_run_has_its_own_priority(prioritized: PriorityQueue) -> None:
    """A priority MUST be that of one run: what is added after the Get, before the Done or after it, begins anew."""
    prioritized.add_with("a", priority=9)
    prioritized.get()

    prioritized.add_with("a", priority=1)
    prioritized.done("a")

    assert prioritized.get_with_priority() == ("a", 1)

    prioritized.done("a")
    prioritized.add_with("a")

    assert prioritized.get_with_priority() == ("a", 0)


@rule(cites=MERGED, after=[the_highest_priority_goes_first, the_next_run_has_its_own_priority])
def what_is_added_during_a_run_is_as_urgent_as_it_says(prioritized: PriorityQueue) -> None:
    """An item that is added while a worker holds it MUST come back with the highest priority it was added with."""
    prioritized.add_with("a")
    prioritized.get()

    prioritized.add_with("a", priority=3)
    prioritized.add_with("b", priority=4)
    prioritized.add_with("a", priority=5)

    assert prioritized.take_with_priorities() == [("a", 5), ("b", 4)]


@rule(cites=LOCKED, after=[first_come_first_served_within_a_priority, one_worker_at_a_time])
def it_comes_back_to_the_place_of_its_add(prioritized: PriorityQueue) -> None:
    """An item that was added while it was processed SHOULD come back to the place of that Add, not to the end.

    client-go puts it behind all that was queued before its Done. That is fair in another way.
    """
    prioritized.add_with("a")
    prioritized.add_with("b")
    prioritized.get()
    prioritized.add_with("a")
    prioritized.add_with("c")

    prioritized.done("a")

    assert prioritized.take_all() == ["b", "a", "c"]


@rule(
    cites=PRIORITY,
    after=[
        a_raised_item_overtakes,
        it_does_not_hold_up_the_others,
        what_is_added_during_a_run_is_as_urgent_as_it_says,
    ],
    for_all={
        "calls": steps(
            *("add a at 0", "add a at 2", "add b at 1", "add b at 3", "get", "done"),
            least=12,
            most=30,
        )
    },
)
def nothing_more_urgent_is_left_behind(prioritized: PriorityQueue, calls: list[str]) -> None:
    """Whatever has been called before, a Get MUST return an item such that no other one it could is more urgent."""
    queued: dict[str, int] = {}
    for call in calls:
        takeable = [item for item in queued if item not in prioritized.held]
        match call.split():
            case ["add", item, "at", priority]:
                prioritized.add_with(item, priority=int(priority))
                queued[item] = max(int(priority), queued.get(item, int(priority)))
            case ["get"] if takeable:
                highest = max(queued[item] for item in takeable)
                item, got = prioritized.get_with_priority()
                assert (item in takeable, got) == (True, highest)
                assert queued.pop(item) == highest
            case ["done"] if prioritized.held:
                prioritized.done(prioritized.held[0])


@rule(cites=LIMITED, after=[nothing_comes_before_its_time, when_its_time_has_come_a_worker_gets_it])
def rate_limited_it_waits_for_its_limiter(prioritized_limiting: PriorityQueue) -> None:
    """An item that is added rate limited MUST wait as long as its rate limiter says, longer each time."""
    for runs, delay in enumerate([MINUTE, 2 * MINUTE, 4 * MINUTE]):
        prioritized_limiting.add_with("a", rate_limited=True)
        worker = prioritized_limiting.ask()

        prioritized_limiting.elapse(delay - MILLISECOND)

        assert prioritized_limiting.handed_out == ["a"] * runs

        prioritized_limiting.elapse(MILLISECOND)

        assert worker.got == "a"

        prioritized_limiting.done("a")


@rule(cites=LIMITED, after=[rate_limited_it_waits_for_its_limiter])
def each_item_waits_for_itself(prioritized_limiting: PriorityQueue) -> None:
    """Of items that are added rate limited, each MUST wait as long as it has failed, whatever others have done.

    The delay of one became that of the next once (kubernetes-sigs/controller-runtime#3103).
    """
    prioritized_limiting.add_with("b", rate_limited=True)
    prioritized_limiting.elapse(MINUTE)
    prioritized_limiting.get()
    prioritized_limiting.done("b")
    first, second = prioritized_limiting.ask(), prioritized_limiting.ask()

    prioritized_limiting.add_with("a", rate_limited=True)
    prioritized_limiting.add_with("b", rate_limited=True)
    prioritized_limiting.elapse(2 * MINUTE - MILLISECOND)

    assert prioritized_limiting.handed_out == ["b", "a"]

    prioritized_limiting.elapse(MILLISECOND)

    assert {first.got, second.got} == {"a", "b"}


@rule(cites=LIMITED, after=[rate_limited_it_waits_for_its_limiter])
def an_add_is_no_failure(prioritized_limiting: PriorityQueue) -> None:
    """An item that is added without its rate limiter, with a delay or none, MUST NOT have failed more often by it."""
    prioritized_limiting.add_with("a")
    prioritized_limiting.get()
    prioritized_limiting.done("a")
    prioritized_limiting.add_with("a", after=MINUTE)
    prioritized_limiting.elapse(MINUTE)
    prioritized_limiting.get()
    prioritized_limiting.done("a")

    prioritized_limiting.add_with("a", rate_limited=True)
    prioritized_limiting.elapse(MINUTE)

    assert prioritized_limiting.get() == "a"


@dataclass(frozen=True)
class Both(Row):
    what: str
    after: Nanoseconds
    due: Nanoseconds

    def cells(self) -> dict[str, str]:
        return {"what": self.what, "after": spoken(self.after), "due": spoken(self.due)}


@rule(
    cites=LIMITED,
    after=[rate_limited_it_waits_for_its_limiter],
    each=[
        Both("a shorter delay", 10 * SECOND, 10 * SECOND),
        Both("a longer delay", 5 * MINUTE, MINUTE),
        Both("a delay that is over", -SECOND, 0),
    ],
)
def the_sooner_of_limiter_and_delay_counts(prioritized_limiting: PriorityQueue, row: Both) -> None:
    """An item that is added rate limited and with a delay SHOULD be ready at the earlier one of the two times."""
    prioritized_limiting.add_with("a", after=row.after, rate_limited=True)
    worker = prioritized_limiting.ask()

    prioritized_limiting.elapse(max(0, row.due - MILLISECOND))

    assert prioritized_limiting.handed_out == ["a"] * (row.due == 0)

    prioritized_limiting.elapse(MILLISECOND)

    assert worker.got == "a"


@rule(cites=LIMITED, after=[rate_limited_it_waits_for_its_limiter])
def the_limiter_is_asked_all_the_same(prioritized_limiting: PriorityQueue) -> None:
    """An item that is added rate limited and with a shorter delay SHOULD have failed once more by it."""
    prioritized_limiting.add_with("a", after=SECOND, rate_limited=True)
    prioritized_limiting.elapse(MINUTE)
    prioritized_limiting.get()
    prioritized_limiting.done("a")

    prioritized_limiting.add_with("a", rate_limited=True)
    prioritized_limiting.ask()
    prioritized_limiting.elapse(2 * MINUTE - MILLISECOND)

    assert prioritized_limiting.handed_out == ["a"]


@rule(
    cites=PRIORITY_QUEUE["Len"], after=[nothing_comes_before_its_time, added_many_times_it_is_handed_out_once]
)
def len_counts_what_is_ready(prioritized: PriorityQueue) -> None:
    """Len SHOULD be the number of items that are ready: not of those that wait for their time, or were handed out."""
    prioritized.add_with("a", priority=1)
    prioritized.add_with("b")
    prioritized.add_with("b", priority=2)
    prioritized.add_with("c", after=AN_HOUR)

    assert len(prioritized) == 2

    prioritized.get()

    assert len(prioritized) == 1


@rule(
    cites=PRIORITY_QUEUE["Len"],
    after=[one_worker_at_a_time],
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


@rule(cites=SHUT, after=[get_waits_while_nothing_is_ready])
def get_reports_the_shutdown(prioritized: PriorityQueue) -> None:
    """Get on an empty queue that was shut down MUST report the shutdown at once, every time it is asked.

    It blocked for ever once (kubernetes-sigs/controller-runtime#3239).
    """
    prioritized.shut_down()

    assert prioritized.get() is SHUTDOWN
    assert prioritized.get() is SHUTDOWN


@rule(cites=SHUT, after=[get_reports_the_shutdown], for_all={"workers": numbers(1, 6)})
def shutdown_wakes_every_waiting_worker(prioritized: PriorityQueue, workers: int) -> None:
    """ShutDown MUST send every worker that waits in Get home, with the flag and without an item.

    They stayed where they were once (kubernetes-sigs/controller-runtime#3337).
    """
    waiting = [prioritized.ask() for _ in range(workers)]

    prioritized.shut_down()

    assert [worker.got for worker in waiting] == [SHUTDOWN] * workers


@rule(cites=PRIORITY_QUEUE["AddWithOpts"], after=[get_reports_the_shutdown])
def what_is_added_after_a_shutdown_is_ignored(prioritized: PriorityQueue) -> None:
    """What is added after ShutDown MUST be ignored, whatever its priority or its delay."""
    prioritized.shut_down()

    prioritized.add_with("a", priority=9)
    prioritized.add_with("b", after=MINUTE)
    prioritized.elapse(2 * MINUTE)

    assert prioritized.get() is SHUTDOWN


@rule(cites=PRIORITY_QUEUE["ShutDown"], after=[nothing_comes_before_its_time, get_reports_the_shutdown])
def a_shutdown_ends_every_wait_for_a_time(prioritized: PriorityQueue) -> None:
    """What waits for its time at a ShutDown MUST NOT be waited for, nor be handed out when its time has come."""
    prioritized.add_with("a", after=MINUTE)

    prioritized.shut_down()

    assert prioritized.get() is SHUTDOWN

    prioritized.elapse(2 * MINUTE)

    assert prioritized.get() is SHUTDOWN


@rule(cites=SHUT, after=[get_reports_the_shutdown])
def the_flag_means_no_item(prioritized: PriorityQueue) -> None:
    """The shutdown flag MUST NOT accompany an item: a worker that sees the flag goes home, and drops it.

    controller-runtime's did so in 1 of 4,000 runs, where a Get and a ShutDown met.
    """
    prioritized.add_with("a")
    prioritized.add_with("b")
    prioritized.shut_down()

    answers = [prioritized.ask() for _ in range(3)]

    assert SHUTDOWN in {answer.got for answer in answers}
    assert not any(answer.with_item for answer in answers)


@rule(
    cites=PRIORITY_QUEUE["ShutDown"],
    after=[get_reports_the_shutdown],
    contested=("it is handed out", "it is dropped"),
)
def whether_a_shutdown_drops_what_is_ready(prioritized: PriorityQueue) -> str:
    """What is ready at a ShutDown MAY be dropped.

    controller-runtime drops it: whoever starts next lists all objects anyway. client-go's queues hand it out.
    """
    prioritized.add_with("a")

    prioritized.shut_down()

    return "it is dropped" if prioritized.get() is SHUTDOWN else "it is handed out"


@rule(cites=PRIORITY_QUEUE["ShutDown"], after=[get_reports_the_shutdown])
def a_second_shutdown_changes_nothing(prioritized: PriorityQueue) -> None:
    """ShutDown SHOULD be callable more than once.

    controller-runtime's priority queue panics, as client-go's delaying queue once did
    (kubernetes/kubernetes#77170).
    """
    prioritized.shut_down()

    prioritized.shut_down()

    assert prioritized.get() is SHUTDOWN


@rule(cites=PRIORITY_QUEUE["Done"], after=[one_worker_at_a_time], probe=True)
def a_done_without_a_get(prioritized: PriorityQueue) -> str:
    """What a queue does on a Done without a Get MAY be anything: callers pair Get and Done.

    In controller-runtime nothing happens, if nobody holds the item. If somebody does, it is that one's
    Done, and the next worker is let in.
    """
    prioritized.add_with("a")
    try:
        prioritized.done_unpaired("a")
    except AssertionError:
        return "the Done raises"
    prioritized.get()
    second = prioritized.ask()
    if not second.waiting:
        return "the item is handed out twice at once"
    prioritized.add_with("a")
    prioritized.done_unpaired("a")
    return "nothing happens" if second.waiting else "the next worker is let in"
