"""Priorities.

controller-runtime's queue hands out first what is most urgent. An item is added with a *priority*, the
higher the sooner. Added again before it is handed out it is still one item, with the higher one of the two
priorities. As in any work queue, it is with one worker at a time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from stingy.contract.sources import DESIGN, PRIORITY_QUEUE, PRIORITY_TESTS
from stingy.guarantees.handing_out import EQUAL, UNEQUAL, Values
from stingy.language import (
    MINUTE,
    PriorityQueue,
    Row,
    With,
    forms,
    numbers,
    orders,
    parse_steps,
    rule,
    sequences,
    steps,
)

MERGED = PRIORITY_QUEUE["PriorityQueue"]

CALLS = forms("add ITEM at NUMBER", "get", "done")


@rule(
    cites=(DESIGN["Priority"], PRIORITY_TESTS["returns an item"]),
    for_all={"priority": numbers(-(2**31), 2**31 - 1)},
)
def an_item_comes_with_its_priority(prioritized: PriorityQueue, priority: int) -> None:
    """An item that was added MUST be handed out, together with the priority that it was added with.

    Whoever adds it again, after a failure, can then do so with the same one.
    """
    prioritized.add_with("a", priority=priority)

    assert prioritized.get_with_priority() == ("a", priority)


@rule(
    cites=(PRIORITY_TESTS["TestItemIsReturnedAsSoonAsPossible"], PRIORITY_QUEUE["waiters"]),
    after="priority/an-item-comes-with-its-priority",
)
def get_waits_while_nothing_is_ready(prioritized: PriorityQueue) -> None:
    """A Get MUST wait while nothing is ready, and return when something is added."""
    worker = prioritized.ask()

    assert worker.waiting

    prioritized.add_with("a")

    assert worker.got == "a"


@rule(
    cites=(DESIGN["Priority"], PRIORITY_QUEUE["AddOpts"]),
    after="priority/an-item-comes-with-its-priority",
    for_all={"added": orders("abcde")},
)
def the_highest_priority_goes_first(prioritized: PriorityQueue, added: list[str]) -> None:
    """Items MUST be handed out in the order of their priorities, the highest one first, whenever they were added."""
    priorities = {"a": 100, "b": 5, "c": 0, "d": -1, "e": -100}
    for item in added:
        prioritized.add_with(item, priority=priorities[item])

    assert prioritized.take_with_priorities() == list(priorities.items())


@rule(
    cites=(PRIORITY_QUEUE["placed at the end"], PRIORITY_TESTS["returns items in order"]),
    after="priority/the-highest-priority-goes-first",
    for_all={"added": orders("abcdef")},
)
def first_come_first_served_within_a_priority(prioritized: PriorityQueue, added: list[str]) -> None:
    """Items of the same priority MUST be handed out in the order in which they were first added."""
    for item in added:
        prioritized.add_with(item, priority=1 if item in "abc" else 0)

    urgent = [item for item in added if item in "abc"]
    others = [item for item in added if item not in "abc"]
    assert prioritized.take_all() == [*urgent, *others]


@rule(
    cites=(PRIORITY_QUEUE["PriorityQueue"], PRIORITY_TESTS["de-duplicates items"]),
    after="priority/an-item-comes-with-its-priority",
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
class Company(Row):
    the_first: str
    steps: str

    def cells(self) -> dict[str, str]:
        return {"the first": self.the_first}


@rule(
    cites=(
        PRIORITY_TESTS["TestWhenAddingMultipleItemsWithRatelimitTrueTheyDontAffectEachOther"],
        PRIORITY_QUEUE["lockedAddWithOpts"],
    ),
    after="priority/added-many-times-it-is-handed-out-once",
    each=[
        Company("is queued", "add"),
        Company("is not ready", "later"),
        Company("is held", "add, get"),
        Company("is held, and added again", "add, get, add"),
    ],
)
def of_items_added_together_each_is_added(
    prioritized: Annotated[PriorityQueue, With("limit"), With("several")], row: Company
) -> None:
    """Of several items that are added by one call, each MUST be handed out, wherever the others are."""
    for step in parse_steps(row.steps):
        match step:
            case "add":
                prioritized.add("a")
            case "later":
                prioritized.add_with("a", after=MINUTE)
            case _:
                prioritized.get()

    prioritized.add_all_with("a", "b", "c")

    assert sorted({*prioritized.take_all()}) == ["a", "b", "c"]


Valued = Annotated[PriorityQueue, With("values")]


@rule(
    cites=MERGED,
    after="priority/added-many-times-it-is-handed-out-once",
    each=UNEQUAL,
)
def unequal_values_are_different_items(valued: Valued, row: Values) -> None:
    """Two items that are not equal MUST both be handed out, of whatever type, even if their hashes or their texts are the same."""
    for value in row.both:
        valued.add(value)

    assert sorted(valued.take_all()) == sorted(row.both), "are items looked up by their hash or their text?"


@rule(
    cites=MERGED,
    after="priority/unequal-values-are-different-items",
    each=EQUAL,
)
def equal_values_are_one_item(valued: Valued, row: Values) -> None:
    """Two items that are equal MUST be handed out as one, of whatever type, even if their texts are different, and not while a worker holds one of them."""
    for value in row.both:
        valued.add(value)

    assert valued.takeable() == 1

    for value in row.both:
        valued.add(value)

    assert valued.takeable() == 0, "is what a worker holds looked up by its type or its text?"


@rule(cites=MERGED, after="priority/added-many-times-it-is-handed-out-once")
def two_queues_know_nothing_of_each_other(two: tuple[PriorityQueue, PriorityQueue]) -> None:
    """A priority queue MUST NOT notice which items another one in the same process has, at which priority, nor that it is shut down."""
    queue, other = two
    other.add_with("a", priority=7)
    other.add_with("b", priority=7)
    other.get()

    queue.add_with("a", priority=1)
    queue.add_with("b", priority=2)

    assert queue.take_with_priorities() == [("b", 2), ("a", 1)], (
        "is something kept on the class, or in the module?"
    )

    other.shut_down()
    queue.add_with("c", priority=3)

    assert queue.get_with_priority() == ("c", 3), "is something kept on the class, or in the module?"


@dataclass(frozen=True)
class Again(Row):
    what: str
    first: int
    again: int
    priority: int


@rule(
    cites=(PRIORITY_QUEUE["PriorityQueue"], PRIORITY_TESTS["retains the highest priority"]),
    after="priority/an-item-comes-with-its-priority",
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


@dataclass(frozen=True)
class Often(Row):
    priorities: tuple[int, ...]
    highest: int


@rule(
    cites=MERGED,
    after="priority/the-higher-priority-counts",
    each=[Often((0, 2, 1), 2), Often((1, 0, 2), 2), Often((2, 0, 1), 2), Often((-3, -1, -2, -2), -1)],
)
def of_all_priorities_the_highest_counts(prioritized: PriorityQueue, row: Often) -> None:
    """An item that is added many times before it is handed out MUST keep the highest of all the priorities.

    Who compares with the first one, or with the last, forgets what was said in between.
    """
    for priority in row.priorities:
        prioritized.add_with("a", priority=priority)

    assert prioritized.get_with_priority() == ("a", row.highest)


@rule(
    cites=(PRIORITY_TESTS["gets pushed to the front if the priority increases"], DESIGN["Priority"]),
    after=(
        "priority/first-come-first-served-within-a-priority",
        "priority/added-many-times-it-is-handed-out-once",
        "priority/the-higher-priority-counts",
    ),
)
def a_raised_item_overtakes(prioritized: PriorityQueue) -> None:
    """An item that is added again with a higher priority MUST go before all that are now less urgent than it."""
    for item in "abc":
        prioritized.add_with(item)

    prioritized.add_with("c", priority=1)

    assert prioritized.take_all() == ["c", "a", "b"]


@rule(
    cites=PRIORITY_QUEUE["placed at the end"],
    after=(
        "priority/first-come-first-served-within-a-priority",
        "priority/added-many-times-it-is-handed-out-once",
        "priority/the-higher-priority-counts",
    ),
)
def a_raised_item_goes_to_the_end_of_its_level(prioritized: PriorityQueue) -> None:
    """An item whose priority is raised MUST go behind those that have the new priority already.

    It kept the place of its first Add once (kubernetes-sigs/controller-runtime#3408), and so was served
    before items that had been as urgent for longer.
    """
    prioritized.add_with("a")
    prioritized.add_with("b", priority=1)

    prioritized.add_with("a", priority=1)

    assert prioritized.take_all() == ["b", "a"]


@rule(
    cites=(PRIORITY_QUEUE["placed at the end"], PRIORITY_QUEUE["addedCounter"]),
    after=("priority/first-come-first-served-within-a-priority", "priority/the-higher-priority-counts"),
    each=[
        Again("the same", 1, 1, 1),
        Again("a lower one", 1, 0, 1),
        Again("a lower one below 0", -1, -2, -1),
    ],
)
def an_item_that_is_not_raised_keeps_its_place(prioritized: PriorityQueue, row: Again) -> None:
    """An item that is added again with no higher priority MUST keep the place it has.

    Otherwise a busy item is pushed back by its own events, and never runs.
    """
    prioritized.add_with("a", priority=row.first)
    prioritized.add_with("b", priority=row.first)

    prioritized.add_with("a", priority=row.again)

    assert prioritized.take_with_priorities() == [("a", row.priority), ("b", row.priority)]


@rule(
    cites=(DESIGN["Priority"], PRIORITY_QUEUE["AddOpts"]),
    after="priority/a-raised-item-overtakes",
)
def however_often_items_are_raised_their_order_is_right(prioritized: PriorityQueue) -> None:
    """Items MUST be handed out in the order of their highest priorities, and with these, however often they have been raised.

    What raises leave behind in a heap is thrown out some day, and what is left then may be no heap any more.
    """
    names = "abcdefghijklmnopqrstuvwxyz0123456789"
    priorities: dict[str, int] = {}
    for n in range(200):
        item = names[2**n % 997 % len(names)]  # in an order without a pattern
        priorities[item] = priorities.get(item, 0) + n * 7 % 10
        prioritized.add_with(item, priority=priorities[item])

    taken = prioritized.take_with_priorities()

    assert dict(taken) == priorities
    assert taken == sorted(taken, key=lambda handed_out: -handed_out[1])


@rule(
    cites=(PRIORITY_QUEUE["locked"], PRIORITY_TESTS["doesn't return an item that is currently locked"]),
    after="priority/get-waits-while-nothing-is-ready",
)
def one_worker_at_a_time(prioritized: PriorityQueue) -> None:
    """An item that a worker holds MUST NOT be handed out before that worker's Done, and is then, however urgent."""
    prioritized.add_with("a")
    prioritized.get()
    prioritized.add_with("a", priority=9)
    other = prioritized.ask()

    assert other.waiting

    prioritized.done("a")

    assert other.got == "a"


@rule(
    cites=(PRIORITY_TESTS["doesn't return an item that is currently locked"], PRIORITY_QUEUE["locked"]),
    after="priority/one-worker-at-a-time",
)
def an_item_that_waits_for_its_done_holds_up_no_other(prioritized: PriorityQueue) -> None:
    """An item that waits for its Done MUST NOT keep workers from less urgent ones."""
    prioritized.add_with("a")
    prioritized.get()

    prioritized.add_with("a", priority=9)
    prioritized.add_with("b")

    assert prioritized.get() == "b"


@rule(
    cites=(PRIORITY_TESTS["TestFuzzPriorityQueue"], PRIORITY_QUEUE["PriorityQueue"]),
    after=("priority/the-higher-priority-counts", "priority/one-worker-at-a-time"),
)
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


@rule(
    cites=MERGED,
    after=("priority/the-highest-priority-goes-first", "priority/the-next-run-has-its-own-priority"),
    each=[Often((3, 5), 5), Often((-2, -3), -2)],
)
def what_is_added_during_a_run_is_as_urgent_as_it_says(prioritized: PriorityQueue, row: Often) -> None:
    """An item that is added while a worker holds it MUST come back with the highest priority it was added with."""
    prioritized.add_with("a")
    prioritized.get()

    prioritized.add_with("b", priority=4)
    for priority in row.priorities:
        prioritized.add_with("a", priority=priority)

    assert {*prioritized.take_with_priorities()} == {("a", row.highest), ("b", 4)}


@rule(
    cites=PRIORITY_QUEUE["locked"].in_code,
    after=("priority/first-come-first-served-within-a-priority", "priority/one-worker-at-a-time"),
)
def an_item_comes_back_to_the_place_of_its_add(prioritized: PriorityQueue) -> None:
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
    cites=(DESIGN["Priority"], PRIORITY_QUEUE["AddOpts"]),
    after=(
        "priority/a-raised-item-overtakes",
        "priority/an-item-that-waits-for-its-done-holds-up-no-other",
        "priority/what-is-added-during-a-run-is-as-urgent-as-it-says",
    ),
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
        match CALLS.read(call):
            case ["add at", item, priority]:
                prioritized.add_with(item, priority=priority)
                queued[item] = max(priority, queued.get(item, priority))
            case ["get"] if takeable:
                highest = max(queued[item] for item in takeable)
                item, got = prioritized.get_with_priority()
                assert (item in takeable, got) == (True, highest)
                assert queued.pop(item) == highest
            case ["done"] if prioritized.held:
                prioritized.done(prioritized.held[0])


@rule(cites=PRIORITY_QUEUE["Done"], after="priority/one-worker-at-a-time", probe=True)
def a_done_without_a_get(prioritized: PriorityQueue) -> str:
    """What a queue does on a Done without a Get MAY be anything: callers pair Get and Done.

    In controller-runtime nothing happens, if nobody holds the item. If somebody does, it is that one's
    Done, and the next worker is let in.
    """
    prioritized.add_with("a")
    if refused := prioritized.done_unpaired("a"):
        return refused
    prioritized.get()
    second = prioritized.ask()
    if not second.waiting:
        return "the item is handed out twice at once"
    prioritized.add_with("a")
    prioritized.done_unpaired("a")
    return "nothing happens" if second.waiting else "the next worker is let in"
