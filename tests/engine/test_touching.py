"""What threads touch is told apart, and no order is lost by it: whatever can be seen of a program is seen in one of those that are run."""

from itertools import combinations_with_replacement, count
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stingy.contract import SECOND
from stingy.engine.access import Deferred
from stingy.engine.patches import patched, running
from stingy.engine.places import BEGINS_A_CALL
from stingy.engine.points import come_to
from stingy.engine.reduction import Reduction
from stingy.engine.scheduler import Fair, Scheduler
from stingy.engine.systematic import Systematic
from stingy.engine.tracing import files_of, tracer
from test_reduction import EveryChoice
from things import Things

BESIDE = {"start", "make", "made", "is_empty"}
STEPS = [
    name for name, thing in vars(Things).items() if callable(thing) and name[0] != "_" and name not in BESIDE
]
PAIRS = [f"{one} | {two}" for one, two in combinations_with_replacement(STEPS, 2)]
MOST = 2_000


class Lane:
    """Calls one after the other, each with its answer, and with when it began and ended."""

    def __init__(self, scheduler, strategy, clock, things, name, steps):
        self.answers, self.spans = [], []
        self._scheduler, self._strategy, self._clock = scheduler, strategy, clock
        self._things, self._name, self._steps = things, name, steps

    def run(self):
        for step in self._steps:
            call = getattr(self._things, step)
            self.spans.append([])
            self._scheduler.will_begin(self._scheduler.current, self._begin)
            try:
                answer = repr(call(self._name))
            except Exception as error:  # noqa: BLE001 - it is an answer, too
                answer = type(error).__name__
            if not self.spans[-1]:
                come_to(BEGINS_A_CALL)
            self._begin()
            self._strategy.call_ends()
            self.spans[-1].append(next(self._clock))
            self.answers.append(answer)

    def _begin(self):
        if not self.spans[-1]:
            self._strategy.call_begins()
            self.spans[-1].append(next(self._clock))


def outcome(program, strategy):
    """What the calls of one run have answered, which of them were over before which others, and what is left; and if that was sure."""
    scheduler = Scheduler(Fair())
    with running(scheduler), patched():
        made = []
        scheduler.start("maker", lambda: made.append(Things()))
        scheduler.settle()
        scheduler.follow(strategy, tracer(files_of(Things)))
        clock = count()
        lanes = [
            Lane(scheduler, strategy, clock, made[0], name, steps)
            for name, steps in zip("abc", program, strict=False)
        ]
        for lane, name in zip(lanes, "abc", strict=False):
            scheduler.start(name, lane.run)
        scheduler.settle(SECOND)
        exact = scheduler.exact
        scheduler.follow(Fair())
        left = []
        scheduler.start("maker", lambda: left.append(state(made[0])))
        scheduler.settle()
        scheduler.close()
    calls = [span for lane in lanes for span in lane.spans]
    before = tuple(one[-1] < other[0] for one in calls for other in calls)
    return (tuple(tuple(lane.answers) for lane in lanes), before, left[0]), exact


def state(things):
    """All there is, as a text."""
    parts = vars(things) | {
        "slot": things.slot.held,
        "bag": things.bag.content,
        "numbers": next(things.numbers),
        "iterator": list(things.iterator),
        "flag": things.flag.is_set(),
        "tell": things.ask(),
    }
    unseen = ("lock", "adds", "sees", "ask", "alias", "names")
    said = {name: repr(it) for name, it in parts.items() if name not in unseen}
    return repr((said, sorted(things.names), Things.shared, things.hear("")))


def with_reduction(program):
    reduction, seen, runs = Reduction(), set(), 0
    while reduction.open:
        turns = Systematic(reduction)
        found, exact = outcome(program, turns)
        reduction.learn(turns, exact=exact)
        seen.add(found)
        runs += 1
        if runs > MOST:
            return None, runs
    assert reduction.complete
    return seen, runs


def without(program, most):
    """Whatever any order leads to, with a choice wherever the code touches anything at all; None if there are too many of them."""
    waiting, seen, runs = [()], set(), 0
    with patch.object(Deferred, "seen_from", lambda access, *_: access):
        while waiting:
            strategy = EveryChoice(waiting.pop())
            seen.add(outcome(program, strategy)[0])
            waiting += strategy.others
            runs += 1
            if runs > most:
                return None, runs
    return seen, runs


def strictest(seen):
    """Without what orders fewer calls than another one that is otherwise the same: that shows all that it shows."""
    return {
        (answers, before, left)
        for answers, before, left in seen
        if not any(
            (answers, left) == (also, there)
            and before != other
            and all(b <= o for b, o in zip(before, other, strict=True))
            for also, other, there in seen
        )
    }


@pytest.mark.parametrize("pair", PAIRS)
def test_two_calls_at_once_show_nothing_else(pair):
    program = [[step] for step in pair.split(" | ")]
    everything, _ = without(program, MOST)
    reduced, _ = with_reduction(program)
    assert None in (everything, reduced) or strictest(reduced) == strictest(everything)


@settings(max_examples=10, deadline=None)
@given(st.lists(st.lists(st.sampled_from(STEPS), min_size=1, max_size=2), min_size=2, max_size=3))
def test_small_programs_show_nothing_else(program):
    everything, _ = without(program, MOST)
    reduced, _ = with_reduction(program)
    assert None in (everything, reduced) or strictest(reduced) == strictest(everything)
