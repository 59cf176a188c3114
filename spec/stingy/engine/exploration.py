"""In which orders a race is run: every one, where that does not take long, and samples elsewhere.

All runs are of the search through all orders where its end is near: a small program of a candidate with a lock is soon
through. Where the end is far, one of three is, and the others are drawn: they are what finds the fault there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import count

from stingy.engine.reduction import FEW, Reduction
from stingy.engine.scheduler import Fair
from stingy.engine.shrinking import Program, Ways, shortest
from stingy.engine.strategies import FewChanges, RandomPriorities, Replay, Sparse
from stingy.engine.systematic import Systematic
from stingy.language.order import Attempt, Budget, Explored, Failure, Order, Turn, parse_order
from stingy.language.session import Hangs

AT_FIRST = 6
"""A small program has hardly more orders: they are searched through before any is drawn. Where they cannot be, so few are drawn."""
NEAR = 2
"""A search of so many times the orders of the budget is near its end: how many there are is a rough guess."""

POINTS = 60
"""How many scheduling points a run is taken to have."""

WAYS: tuple[Callable[[str], Fair], ...] = (
    lambda seed: FewChanges(seed, POINTS, 2),
    RandomPriorities,
    lambda seed: Sparse(seed, POINTS, 6),
)
"""To sample orders: each finds what the others hardly do."""

Keeps = Callable[[Program], bool]
"""Whether a right candidate keeps the rule when this is left out of its programs."""


class Threads:
    """How threads under control can take turns."""

    def draw(self, seed: str, interruptions: float) -> Fair:
        return Sparse(seed, POINTS, interruptions) if interruptions else Fair()

    def again(self, trail: Sequence[Turn]) -> Fair:
        return Replay(trail)


def explore(attempt: Attempt, seed: str, budget: Budget, keeps: Keeps | None = None) -> Explored:
    """Run a race in one order after the other until one fails; that is made short, if it is known how.

    A small program is searched through at first, and run in but a few orders where that cannot be done.
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
            return describe_failure(attempt, Threads(), keeps, order, failure, seed)
        if systematic is not None:
            reduction.learn(systematic, exact=order.exact)
            if reduction.complete:
                return Explored(runs, exhaustive=not unseen, unseen=unseen)
        else:
            drawn += 1
        # Where the end was near, and then was not, some are to be drawn all the same.
        enough = not near and (budget.small or drawn >= budget.orders / 3)
        if budget.spent(runs) and (budget.timed or enough):
            return Explored(runs, unseen=unseen)
        if budget.small and runs >= AT_FIRST and not reduction.open:
            return Explored(runs, unseen=unseen)
    raise AssertionError("count() does not end")


def describe_failure(
    attempt: Attempt, ways: Ways, keeps: Keeps | None, order: Order, failure: Failure, seed: str
) -> Explored:
    """What is to be told of an order that failed: a shorter one, if it is known how."""
    runs = order.number
    if keeps is not None and not isinstance(failure.error, Hangs):  # to hang takes its time, each time
        order, failure = shortest(attempt, ways, keeps, order, failure, seed)
    return Explored(runs, failure=failure, token=order.token)


def sample_orders(seed: str) -> Iterator[Fair]:
    """Orders at random, the same ones for the same seed."""
    for n in count():
        name = f"{seed} {n}"
        yield WAYS[n % len(WAYS)](name)


def replay(attempt: Attempt, ways: Ways, token: str) -> Explored:
    """Run a race once more in the order that a token says."""
    without, turns = parse_order(token)
    return Explored(1, failure=attempt(Order(1, ways.again(turns), without, aloud=True)), token=token)


def few_orders(without: Program) -> Iterator[Order]:
    """Some orders of programs of which this is left out."""
    yield Order(0, Fair(), without)
    for n in range(4):
        yield Order(0, Sparse(str(n), POINTS, 1 + n), without)
