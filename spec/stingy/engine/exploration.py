"""Choice of the orders in which a race is run: all of them if that is quick, samples otherwise.

While the search through all orders is near its end, every run belongs to it: a small program of a
candidate with one lock is soon searched. If the end is far, one run in three belongs to the search
and the other two are sampled, because samples are what finds the fault there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import count

from stingy.engine.reduction import FEW, Reduction
from stingy.engine.scheduler import Fair
from stingy.engine.shrinking import Program, Ways, shortest
from stingy.engine.strategies import BetweenCalls, FewChanges, RandomPriorities, Replay, Sparse
from stingy.engine.systematic import Systematic
from stingy.language.order import Attempt, Budget, Explored, Failure, Order, Turn, parse_order
from stingy.language.session import Hangs

AT_FIRST = 6
"""The number of runs at the start of a small program's race that all belong to the search.

A small program hardly has more orders. If it cannot be searched, only this many are run.
"""
NEAR = 2
"""A search is near its end if it needs at most this many times the budget's orders.

The factor allows for a rough estimate of how many orders there are.
"""

BY_CALLS = 8
"""Random orders, without preemption in a call, in which a correct queue is run.

They check that it keeps a rule without some operations; five calls have few such orders.
"""

POINTS = 60
"""Scheduling points that a run is assumed to have; samples spread their preemptions over them."""

WAYS: tuple[Callable[[str], Fair], ...] = (
    lambda seed: FewChanges(seed, POINTS, 2),
    RandomPriorities,
    lambda seed: Sparse(seed, POINTS, 6),
)
"""Strategies that draw orders, used in turn: each finds faults that the others rarely find."""

Keeps = Callable[[Program], bool]
"""Returns whether a correct candidate passes the rule if these operations are left out."""


class Threads:
    """Source of strategies for controlled threads: random ones, or the turns of an earlier run."""

    def draw(self, seed: str, interruptions: float) -> Fair:
        return Sparse(seed, POINTS, interruptions) if interruptions else Fair()

    def again(self, trail: Sequence[Turn]) -> Fair:
        return Replay(trail)


def explore(attempt: Attempt, seed: str, budget: Budget, keeps: Keeps | None = None) -> Explored:
    """Run a race in one order after another until one fails, then shorten that order.

    Returns what was found. A small program is searched first, and run in only a few orders if it
    cannot be searched. ``keeps`` says which operations may be left out. Without it, the failing
    order is not shortened.
    """
    reduction = Reduction(seed)
    samples = sample_orders(seed)
    drawn, unseen = 0, ""
    for runs in count(1):
        near = reduction.is_near_its_end(budget.orders * NEAR, min(FEW, budget.orders / 3))
        searches = near or runs % 3 == 1 or (budget.small and runs <= AT_FIRST)
        systematic = Systematic(reduction) if reduction.open and searches else None
        order = Order(runs, systematic or next(samples))
        failure = attempt(order)
        unseen = unseen or order.unseen
        if failure is not None:
            return describe_failure(attempt, Threads(), keeps, order, failure)
        if systematic is not None:
            reduction.learn(systematic, exact=order.exact)
            if reduction.complete:
                return Explored(runs, exhaustive=not unseen, unseen=unseen)
        else:
            drawn += 1
        # If the end seemed near and then was not, some orders are sampled all the same.
        enough = not near and (budget.small or drawn >= budget.orders / 3)
        if budget.spent(runs) and (budget.timed or enough):
            return Explored(runs, unseen=unseen)
        if budget.small and runs >= AT_FIRST and not reduction.open:
            return Explored(runs, unseen=unseen)
    raise AssertionError("count() does not end")


def describe_failure(
    attempt: Attempt, ways: Ways, keeps: Keeps | None, order: Order, failure: Failure
) -> Explored:
    """Return the result for a race that failed in ``order``, shortened first if ``keeps`` is given."""
    runs = order.number
    # A run that hangs takes real time, so it is not repeated to shorten it.
    if keeps is not None and not isinstance(failure.error, Hangs):
        order, failure = shortest(attempt, ways, keeps, order, failure)
    return Explored(runs, failure=failure, token=order.token)


def sample_orders(seed: str) -> Iterator[Fair]:
    """Yield random orders of a race without end, the same ones for the same seed."""
    for n in count():
        name = f"{seed} {n}"
        yield WAYS[n % len(WAYS)](name)


def replay(attempt: Attempt, ways: Ways, token: str) -> Explored:
    """Run a race once more, in the order that a token describes, and return the result."""
    without, turns = parse_order(token)
    return Explored(1, failure=attempt(Order(1, ways.again(turns), without, aloud=True)), token=token)


def few_orders(without: Program) -> Iterator[Order]:
    """Yield a few orders that leave these operations out: a fair one and random ones."""
    yield Order(0, Fair(), without)
    for n in range(4):
        yield Order(0, Sparse(str(n), POINTS, 1 + n), without)
    for n in range(BY_CALLS):
        yield Order(0, BetweenCalls(str(n)), without)
