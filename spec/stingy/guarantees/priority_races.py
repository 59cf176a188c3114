"""Priorities: races.

Adds with priorities, Gets, Dones and a ShutDown meet here in every order without a pre-emption, and in many with a
few. An Add is not one thing to a priority queue, but a look and a change: which item is there, and what it becomes.
Who looks, lets somebody else in, and changes what is no longer so, lowers a priority or loses an item.
"""

from __future__ import annotations

from dataclasses import dataclass

from stingy.contract.sources import DESIGN, PRIORITY_QUEUE, PRIORITY_TESTS, QUEUE
from stingy.guarantees.priority import (
    MERGED,
)
from stingy.language import MINUTE, SECOND, Calls, PriorityRace, Program, Row, Small, programs_of, rule

A_RACE = 10 * SECOND
"""More time than passes until nothing moves any more in one."""
URGENTLY = "add {} at 1"
"""One of the ways to add an item, in small programs."""


@dataclass(frozen=True)
class RaceOfPriorities(Row):
    what_meets: str
    before: str
    at_once: str
    highest: int


WORKING = (
    Program("a waiting worker and an Add", "", "get, done | add a at 1"),
    Program("two waiting workers and two Adds", "", "get | get | add a, add b at 1"),
    Program("two Gets and one item", "add a", "get | get"),
    Program("a Get, and an Add that raises", "add a", "get, done | add a at 1"),
    Program("workers that keep what they get, and an Add", "add a", "get | get | add a at 1"),
    Program("two Gets, and an Add that changes the order", "add a; add b at 1", "get | get | add a at 2"),
    Program("two Adds and a worker", "", "add a at 1 | add a at 2 | get, done, get"),
    Program("a Done and an Add of its item", "add a; 1 get", "done a, get | add a at 1"),
    Program("a Done, an Add, and another item", "add a at 1; add b; 1 get", "done a | add a at 1"),
    Program("a Done, an Add, and a waiting worker", "add a; 1 get", "done a | add a | get"),
    Program("a Done, and two Adds that differ", "add a; 1 get", "done a | add a at 1 | add a, get"),
    Program("a Done that brings back, and a Get", "add a; 1 get; add a at 1", "done a | get"),
)


@rule(
    cites=MERGED,
    after=(
        "priority/nothing-more-urgent-is-left-behind",
        "readiness/priority-and-time-count-each-for-itself",
    ),
    each=[
        RaceOfPriorities("two priorities", "", "add a at 1 | add a at 2", 2),
        RaceOfPriorities("two raises", "add a", "add a at 2 | add a at 1", 2),
        RaceOfPriorities("three priorities", "", "add a at 3 | add a at 1 | add a at 2", 3),
        RaceOfPriorities("a higher one that waits, and one that does not", "", "add a at 1 in 10 | add a", 1),
    ],
)
def at_once_the_highest_priority_counts(race: PriorityRace, row: RaceOfPriorities) -> None:
    """An item that is added with several priorities at once MUST be handed out with the highest of them, and once."""
    history = race.play(row.before, row.at_once)

    assert history.raised() == []
    assert race.queue.take_with_priorities() == [("a", row.highest)]


@rule(
    cites=(DESIGN["After"], PRIORITY_QUEUE["ready time"]),
    after=("readiness/priority-and-time-count-each-for-itself", "readiness/the-later-time-brings-nothing"),
    each=[
        Program("two times", "", "add a in 10 | add a in 5"),
        Program("two earlier times", "add a in 15", "add a in 10 | add a in 5"),
        Program("three times", "", "add a in 15 | add a in 5 | add a in 10"),
        Program("a later one that is more urgent", "", "add a at 1 in 10 | add a in 5"),
    ],
)
def at_once_the_earliest_time_counts(race: PriorityRace, row: Program) -> None:
    """An item that is added with several delays at once MUST be ready after the shortest of them, and only once.

    That is 5 min here.
    """
    history = race.play(row.before, row.at_once)
    queue = race.queue
    worker = queue.ask()

    queue.elapse(5 * MINUTE - A_RACE)

    assert history.raised() == []
    assert queue.handed_out == []

    queue.elapse(A_RACE)

    assert worker.got == "a"

    queue.done("a")
    queue.elapse(20 * MINUTE)

    assert queue.take_all() == []


@rule(
    cites=(DESIGN["Priority"], PRIORITY_QUEUE["AddOpts"]),
    after="priority/the-highest-priority-goes-first",
    each=[
        Program("two Adds", "", "add a at 1, add b, get"),
        Program("an Add of what is more urgent", "add b", "add a at 1, get"),
        Program("an Add of what is less urgent", "add a at 1", "add b, get"),
    ],
)
def what_was_added_before_the_get_goes_by_priority(race: PriorityRace, row: Program) -> None:
    """A Get that begins when its caller's Adds have returned MUST be given what is most urgent.

    A queue that looks through its items on a thread of its own may be halfway when the Get comes. Whoever asks at each item anew
    whether somebody waits hands out one that is less urgent, for those before it were passed over while nobody did
    (kubernetes-sigs/controller-runtime#3363).
    """
    history = race.play(row.before, row.at_once)

    assert history.raised() == []
    assert history.still_held() == [("lane 1", "a")]


@rule(
    cites=(PRIORITY_TESTS["TestFuzzPriorityQueue"], PRIORITY_QUEUE["locked"]),
    after="priority/one-worker-at-a-time",
    each=WORKING,
)
def work_is_done_in_every_order(race: PriorityRace, row: Program) -> None:
    """Whatever the order, no item MUST be with two workers at once, run more often than added, be lost, or be overlooked by a worker that waits."""
    history = race.play(row.before, row.at_once)

    assert history.raised() == []
    assert history.held_twice() == []
    assert race.overlooked(history) == []
    whole = race.rest(history)
    assert whole.excess() == []
    assert whole.lost() == []


@rule(cites=QUEUE["Get"], after="priority/get-waits-while-nothing-is-ready", each=WORKING)
def nobody_is_sent_home_unasked(race: PriorityRace, row: Program) -> None:
    """Whatever the order, a Get MUST NOT report a shutdown that nobody has asked for."""
    history = race.play(row.before, row.at_once)

    assert history.sent_home_unasked() == []


@rule(
    cites=(PRIORITY_TESTS["TestFuzzPriorityQueue"], PRIORITY_QUEUE["locked"]),
    after="priority/one-worker-at-a-time",
    for_all={"program": programs_of(Calls(adds=("add {}", URGENTLY), needs=URGENTLY))},
)
def no_program_with_priorities_loses_an_item(race: PriorityRace, program: Small) -> None:
    """Whatever a few lanes do at once, no item MUST be lost, overlooked, with two workers or run too often, and no worker sent home."""
    history = race.play(program.before, program.at_once)

    assert history.raised() == []
    assert history.held_twice() == []
    assert history.sent_home_unasked() == []
    assert race.overlooked(history) == []
    whole = race.rest(history)
    assert whole.excess() == []
    assert whole.lost() == []


@rule(
    cites=(
        PRIORITY_QUEUE["GetWithPriority"],
        PRIORITY_TESTS["TestPriorityQueueDoesNotDeadlockOnShutdownWhileHandingOutItems"],
    ),
    after="priority_shutdown/shutdown-wakes-every-waiting-worker",
    each=[
        Program("a waiting worker and ShutDown", "", "get | shut_down"),
        Program("two waiting workers and ShutDown", "", "get | get | shut_down"),
        Program("a waiting worker, an Add, and ShutDown", "", "get | add a | shut_down"),
        Program("a worker at work, and ShutDown", "add a; 1 get", "add a, done a, get, done | shut_down"),
    ],
)
def a_shutdown_reaches_everybody_in_every_order(race: PriorityRace, row: Program) -> None:
    """Whatever the order, no Get MUST still wait after a ShutDown, and no item be with two workers at once."""
    history = race.play(row.before, row.at_once)

    assert history.raised() == []
    assert history.held_twice() == []
    assert history.waiting("get") == []


@rule(
    cites=PRIORITY_QUEUE["AddWithOpts"],
    after="priority_shutdown/get-reports-the-shutdown",
    each=[
        Program("an Add and ShutDown", "", "add a | shut_down, get, done, get"),
        Program("an Add with a priority, and ShutDown", "", "add a at 1 | shut_down, get, done, get"),
    ],
)
def nothing_comes_when_all_have_gone_home(race: PriorityRace, row: Program) -> None:
    """Once a Get has reported the shutdown, and nothing is in processing, nothing SHOULD be handed out any more.

    An Add may still be accepted that began before ShutDown. Not so late that nobody is there to do the work.
    """
    history = race.play(row.before, row.at_once)

    assert history.raised() == []
    assert race.left() == []
