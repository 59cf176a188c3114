"""Shorten a failing run: leave out operations, interruptions and turns while it still fails.

An interruption is a turn that ends although its thread could continue. The result need not be the
shortest run that fails.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, groupby
from typing import Any, Protocol

from stingy.language.order import Attempt, Failure, Order, Place, Turn

ATTEMPTS = 250
"""The most runs in which operations are left out; what remains then is short enough."""
TURNS = 120
"""The most further runs, in which turns are left out."""

Program = frozenset[Place]
"""Operations to leave out of the lanes of a race."""


class Ways(Protocol):
    """Source of strategies that choose which lane of a race runs next."""

    def draw(self, seed: str, interruptions: float) -> Any:
        """Return a random strategy with about this many interruptions; for 0, one without any."""

    def again(self, trail: Sequence[Turn]) -> Any:
        """Return a strategy that repeats the turns of ``trail`` that are still possible."""


def shortest(
    attempt: Attempt, ways: Ways, keeps: Callable[[Program], bool], order: Order, failure: Failure, seed: str
) -> tuple[Order, Failure]:
    """Shorten a failing order; return an order that fails at the same line, and its failure.

    The short order is run once more, to record remarks for the printed failure. If it does not fail
    then, the given order and failure are returned. ``keeps`` returns True if a correct candidate
    keeps the rule without these operations: what the rule is about must not be left out.
    """
    best = _Shrinking(attempt, ways, keeps, order, failure.line, seed).result()
    aloud = Order(0, ways.again(best.trail), best.without, aloud=True)
    again = attempt(aloud)
    return (order, failure) if again is None else (aloud, again)


class _Shrinking:
    def __init__(
        self,
        attempt: Attempt,
        ways: Ways,
        keeps: Callable[[Program], bool],
        order: Order,
        line: int,
        seed: str,
    ) -> None:
        self._attempt = attempt
        self._ways = ways
        self._keeps = keeps
        self._best = order
        self._line = line
        self._seed = seed
        self._left = 0
        """The number of runs that may still be made."""

    def result(self) -> Order:
        self._left = ATTEMPTS
        for part in _parts(self._operations()):
            self._leave_out(part, times=2)
        while any(self._leave_out(frozenset({place}), times=6) for place in reversed(self._operations())):
            pass
        self._left = TURNS
        while self._simplify():
            pass
        return self._best

    def _operations(self) -> list[Place]:
        return [place for place in self._best.operations if place not in self._best.without]

    def _leave_out(self, part: Program, times: int) -> bool:
        """Leave operations out if the rule still fails without them; return True if it does.

        A few orders are tried, those with the fewest interruptions first.
        """
        without = self._best.without | part
        if without == self._best.without or not self._keeps(without):
            return False
        orders = chain(
            self._few(0.1, times),
            self._few(1, times),
            [self._ways.again(self._best.trail)],
            self._few(3, times),
        )
        return any(self._fails(turns, without) for turns in orders)

    def _simplify(self) -> bool:
        """Find a failing run with fewer interruptions or turns; return False if there is none."""
        now = _length(self._best.trail)
        orders = chain(self._few(0.1, 6), self._few(1, 12) if now[0] > 1 else ())
        shorter = chain(orders, map(self._ways.again, _simpler(self._best.trail)))
        return any(self._fails(turns, self._best.without, below=now) for turns in shorter)

    def _few(self, interruptions: float, times: int) -> Iterator[Any]:
        """Yield ``times`` random strategies; if ``interruptions`` < 1, one without any comes first."""
        if interruptions < 1:
            yield self._ways.draw("", 0)
        for _ in range(times):
            yield self._ways.draw(f"{self._seed} {self._left}", interruptions)

    def _fails(self, turns: Any, without: Program, below: tuple[int, int] | None = None) -> bool:
        if self._left == 0:
            return False
        self._left -= 1
        order = Order(0, turns, without)
        failure = self._attempt(order)
        if failure is None or failure.line != self._line:
            return False
        if below is not None and _length(order.trail) >= below:
            return False
        self._best = order
        return True


def _parts(operations: Sequence[Place]) -> Iterator[Program]:
    """Yield sets of operations to leave out together: whole lanes, then the ends of lanes."""
    lanes = [list(places) for _, places in groupby(operations, key=lambda place: place[0])]
    yield from map(frozenset, lanes)
    for lane in lanes:
        yield from (frozenset(lane[n:]) for n in range(1, len(lane)))


def _length(trail: Sequence[Turn]) -> tuple[int, int]:
    """Return the numbers of interruptions and of turns, to compare the length of two orders."""
    return sum(points is not None for _, points in trail), len(trail)


def _simpler(trail: Sequence[Turn]) -> Iterator[Sequence[Turn]]:
    """Yield variants of the turns ``trail`` that have one interruption less.

    The thread that was interrupted runs until it blocks, or its turn is left out.
    """
    for n, (name, points) in enumerate(trail):
        if points is not None:
            yield (*trail[:n], (name, None), *trail[n + 1 :])
            yield (*trail[:n], *trail[n + 1 :])
