"""In which orders a race is run: every one, where that does not take long, and samples meanwhile.

Turn and turn about, one run of the search through all orders, and one at random. A small program of a
candidate with a lock is soon through; for all others the samples are what finds the fault.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count

from stingy.engine.reduction import Reduction
from stingy.engine.scheduler import Fair
from stingy.engine.shrinking import Program, shortest
from stingy.engine.strategies import RandomPriorities, Replay, Sparse
from stingy.language.order import Attempt, Explored, Order, parsed

POINTS = 60
"""How many scheduling points a run is taken to have."""

Spent = Callable[[int], bool]
"""Whether this was enough, after so many runs."""
Keeps = Callable[[Program], bool]
"""Whether a right candidate keeps the rule when this is left out of its programs."""


def explore(attempt: Attempt, seed: str, spent: Spent, keeps: Keeps | None = None) -> Explored:
    """Run a race in one order after the other until one fails; that is made short, if it is known how."""
    reduction = Reduction()
    samples = sampled(seed)
    for runs in count(1):
        systematic = reduction.turns() if reduction.open and runs % 2 else None
        order = Order(runs, systematic or next(samples))
        failure = attempt(order)
        if failure is not None:
            if keeps is not None:
                order, failure = shortest(attempt, keeps, order, failure, seed)
            return Explored(runs, failure=failure, token=order.token)
        if systematic is not None:
            reduction.learn(systematic, exact=order.exact)
            if reduction.complete:
                return Explored(runs, exhaustive=True)
        if spent(runs):
            return Explored(runs)
    raise AssertionError("count() ends never")


def sampled(seed: str) -> Iterator[Fair]:
    """Orders at random, the same ones for the same seed."""
    for n in count():
        name = f"{seed} {n}"
        yield RandomPriorities(name) if n % 4 == 3 else Sparse(name, POINTS, (2, 4, 8)[n % 4])


def few_orders(without: Program) -> Iterator[Order]:
    """Some orders of programs of which this is left out."""
    yield Order(0, Fair(), without)
    for n in range(4):
        yield Order(0, Sparse(str(n), POINTS, 1 + n), without)


def replay(attempt: Attempt, token: str) -> Explored:
    """Run a race once more in the order that a token says."""
    without, turns = parsed(token)
    order = Order(0, Replay(turns), without, aloud=True)
    failure = attempt(order)
    return Explored(1, failure=failure, token=token)
