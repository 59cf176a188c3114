"""Which orders to run a race in: first all without a pre-emption, then samples with a few.

Most faults need none or one; the first stage finds the former with the least that can be told about them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from stingy.engine.scheduler import Strategy
from stingy.engine.strategies import Branch, Fair, RandomPriorities, Sparse

SYSTEMATIC = 8
"""So many orders without a pre-emption at the most, before sampling begins."""

POINTS = 120
"""How many scheduling points a run is taken to have until one has been seen."""


def strategies(seed: int, orders: int) -> Iterator[Strategy]:
    """So many strategies, each for one run of the same race; the same ones for the same seed."""
    yield Fair()
    made = 1
    waiting: list[tuple[int, ...]] = [()]
    while waiting and made < min(orders, SYSTEMATIC):
        branch = Branch(waiting.pop())
        yield branch
        made += 1
        waiting += reversed(branch.alternatives)
    for n in count():
        if made >= orders:
            return
        name = f"{seed} {n}"
        yield RandomPriorities(name) if n % 4 == 3 else Sparse(name, POINTS, (2, 4, 8)[n % 4])
        made += 1
