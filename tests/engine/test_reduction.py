"""The search loses no outcome: each outcome of any order is the outcome of an order that it keeps."""

from collections import deque
from functools import partial
from operator import call
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import steps
from scheduling import did, scheduled
from stingy.contract import SECOND
from stingy.engine.access import Deferred
from stingy.engine.reduction import Reduction
from stingy.engine.scheduler import Fair
from stingy.engine.systematic import Systematic
from stingy.engine.tracing import tracer
from world import World

CALL = st.lists(st.sampled_from(["r x", "r y", "w x", "w y"]), min_size=1, max_size=2) | st.sampled_from(
    [["l m", "r x", "u m"], ["l m", "w x", "u m"], ["l m", "l n", "u n", "u m"], ["l n", "l m", "u m", "u n"]]
)
"""A call of a program that ``steps`` runs."""
STEPS = [name for name in vars(World) if not name.startswith("_") and name != "start"]


class EveryChoice(Fair):
    """A strategy that runs one order of a search through all orders, without reduction."""

    stop = 0
    looks = True

    def __init__(self, prefix):
        self.prefix, self.path, self.others = prefix, [], []

    def at_point(self, scheduler, current):
        return self.choose(scheduler.lineup.ready(), current) if current.access else current

    def when_blocked(self, scheduler, ready):
        return self.choose(ready, ready[0])

    def choose(self, ready, current):
        ready = sorted(ready, key=lambda task: (task is not current, task.name))
        choice = self.prefix[len(self.path)] if len(self.path) < len(self.prefix) else 0
        if len(self.path) >= len(self.prefix):
            self.others += [(*self.path, n) for n in range(1, len(ready))]
        self.path.append(choice)
        return ready[choice]


def outcome(program, strategy):
    """Run a program, a list of steps for each lane, with this strategy.

    Return the outcome (data, and lanes that still wait), and True if this order always gives it.
    """
    with scheduled() as scheduler:
        world = did(scheduler, World)
        scheduler.follow(strategy, tracer(World))
        tasks = []
        for name, steps in zip("abc", program, strict=False):
            calls = [partial(getattr(world, step), name) for step in steps]
            tasks.append(scheduler.start(name, partial(deque, map(call, calls), 0)))
        scheduler.settle(SECOND)
        stuck = "".join(task.name for task in tasks if task.busy)
        exact = scheduler.record.exact
        scheduler.follow(Fair())
    return (world.number, world.other, "".join(world.said), stuck), exact


def search(outcome_by, most):
    """Run the orders that the search with reduction keeps.

    ``outcome_by`` runs the program in one order. Return the outcomes, or None if there are more than
    ``most`` orders, and the number of orders.
    """
    reduction, seen, runs = Reduction(), set(), 0
    while reduction.open:
        turns = Systematic(reduction)
        found, exact = outcome_by(turns)
        reduction.learn(turns, exact=exact)
        seen.add(found)
        runs += 1
        if runs > most:
            return None, runs
    assert reduction.complete
    return seen, runs


def search_all(outcome_by, most):
    """Run all orders of threads, without reduction, and return the same as ``search``."""
    waiting, seen, runs = [()], set(), 0
    with patch.object(Deferred, "seen_from", lambda access, *_: access):
        while waiting:
            strategy = EveryChoice(waiting.pop())
            seen.add(outcome_by(strategy)[0])
            waiting += strategy.others
            runs += 1
            if runs > most:
                return None, runs
    return seen, runs


def with_reduction(program):
    return search(partial(outcome, program), 1500)


def without(program, most):
    return search_all(partial(outcome, program), most)


def losses(programs, most):
    """Return the programs of which the search loses an outcome.

    Programs with more than ``most`` orders are left out."""
    found = []
    for program in programs:
        everything, _ = without(program, most)
        reduced, _ = with_reduction(program) if everything is not None else (None, 0)
        if reduced is not None and reduced != everything:
            found.append(program)
    return found


def test_the_search_of_two_steps_loses_no_outcome():
    """Each step is paired with itself and the next one; test_every_order.py in lab tests all pairs."""
    assert losses([[[one], [two]] for n, one in enumerate(STEPS) for two in STEPS[n : n + 2]], 200) == []


@settings(max_examples=4)
@given(st.lists(st.lists(st.sampled_from(STEPS), min_size=1, max_size=2), min_size=2, max_size=3))
def test_the_search_of_small_programs_loses_no_outcome(program):
    assert losses([program], 200) == []


def test_the_search_keeps_less_than_a_hundredth_of_all_orders():
    program = [["count", "say_locked"], ["count_locked"]]
    everything, all_runs = without(program, 2_000)
    reduced, runs = with_reduction(program)
    assert reduced == everything
    assert runs * 100 < all_runs


def lost(program):
    """Return the outcomes that the search loses of a program that ``steps`` runs."""
    everything, _ = search_all(partial(steps.outcome, program), 400)
    reduced, _ = search(partial(steps.outcome, program), 400)
    return set() if everything is None else steps.strictest(everything) - steps.strictest(reduced)


@pytest.mark.parametrize(
    "program",
    [
        [[["r y"]], [["r x", "w y"]], [["w x"]]],
        [[["l m", "r x", "u m", "w y"]], [["r x", "w y"]], [["w x"]]],
        [[["w y", "r x"]], [["w y", "r x", "w x"]], [["w x", "w y"]]],
    ],
)
def test_a_race_is_reversed_in_an_order_that_begins_with_a_third_thread(program):
    assert lost(program) == set()


def test_a_race_is_reversed_in_an_order_that_keeps_other_calls_apart():
    assert lost([[["r x"]], [["w y"], ["w y", "w x"]], [["r y"]]]) == set()


@settings(max_examples=60)
@given(st.lists(st.lists(CALL, min_size=1, max_size=2), min_size=2, max_size=3))
def test_the_search_of_calls_of_few_steps_loses_no_outcome(program):
    assert lost(program) == set()
