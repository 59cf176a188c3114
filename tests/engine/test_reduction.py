"""The search through all orders loses none: what any order at all can lead to, one of its orders leads to."""

from collections import deque
from functools import partial
from operator import call
from unittest.mock import patch

from hypothesis import given, settings
from hypothesis import strategies as st

from stingy.contract import SECOND
from stingy.engine.access import Deferred
from stingy.engine.patches import patched, running
from stingy.engine.reduction import Reduction
from stingy.engine.scheduler import Fair, Scheduler
from stingy.engine.systematic import Systematic
from stingy.engine.tracing import tracer
from world import World

STEPS = [name for name in vars(World) if not name.startswith("_") and name != "start"]


class EveryChoice(Fair):
    """One run of a search that leaves nothing out."""

    stop = 0
    looks = True

    def __init__(self, prefix):
        self.prefix, self.path, self.others = prefix, [], []

    def at_point(self, scheduler, current):
        return self.choose(scheduler.ready(), current) if current.access else current

    def when_blocked(self, scheduler, ready):
        return self.choose(ready, ready[0])

    def choose(self, ready, current):
        ready = sorted(ready, key=lambda task: (task is not current, task.name))
        choice = self.prefix[len(self.path)] if len(self.path) < len(self.prefix) else 0
        if len(self.path) >= len(self.prefix):
            self.others += [(*self.path, n) for n in range(1, len(ready))]
        self.path.append(choice)
        return ready[choice]


def job(world, steps, name):
    """The steps one after the other, without any code of this file's between them."""
    calls = [partial(getattr(world, step), name) for step in steps]
    return partial(deque, map(call, calls), 0)


def outcome(program, strategy):
    """What one run of the program leaves behind, who is still at work, and whether that was sure to be so."""
    scheduler = Scheduler(Fair())
    with running(scheduler), patched():
        made = []
        scheduler.start("maker", lambda: made.append(World()))
        scheduler.settle()
        world = made[0]
        scheduler.follow(strategy, tracer(World))
        tasks = [
            scheduler.start(name, job(world, steps, name))
            for name, steps in zip("abc", program, strict=False)
        ]
        scheduler.settle(SECOND)
        stuck = "".join(task.name for task in tasks if task.busy)
        exact = scheduler.exact
        scheduler.follow(Fair())
        scheduler.close()
    return (world.number, world.other, "".join(world.said), stuck), exact


def with_reduction(program):
    reduction, seen, runs = Reduction(), set(), 0
    while reduction.open:
        turns = Systematic(reduction)
        found, exact = outcome(program, turns)
        reduction.learn(turns, exact=exact)
        seen.add(found)
        runs += 1
        if runs > 1500:
            return None, runs
    assert reduction.complete
    return seen, runs


def without(program, most):
    waiting, seen, runs = [()], set(), 0
    while waiting:
        strategy = EveryChoice(waiting.pop())
        with patch.object(
            Deferred, "seen_from", lambda access, *_: access
        ):  # nothing is too small to come before it
            seen.add(outcome(program, strategy)[0])
        waiting += strategy.others
        runs += 1
        if runs > most:
            return None, runs
    return seen, runs


def losses(programs, most):
    """Return the programs of which the search loses an outcome; those with more than ``most`` orders are left out."""
    found = []
    for program in programs:
        everything, _ = without(program, most)
        reduced, _ = with_reduction(program) if everything is not None else (None, 0)
        if reduced is not None and reduced != everything:
            found.append(program)
    return found


def test_two_steps_at_once_lead_nowhere_else():
    """Each step beside itself, and beside the next one; lab/tests has all pairs."""
    assert losses([[[one], [two]] for n, one in enumerate(STEPS) for two in STEPS[n : n + 2]], 200) == []


@settings(max_examples=4)
@given(st.lists(st.lists(st.sampled_from(STEPS), min_size=1, max_size=2), min_size=2, max_size=3))
def test_small_programs_lead_nowhere_else(program):
    """A few of them; lab/tests has more, and larger ones."""
    assert losses([program], 200) == []


def test_it_is_far_less_than_everything():
    program = [["count", "say_locked"], ["count_locked"]]
    everything, all_runs = without(program, 2_000)
    reduced, runs = with_reduction(program)
    assert reduced == everything
    assert runs * 100 < all_runs
