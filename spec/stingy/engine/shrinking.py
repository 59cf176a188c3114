"""Shorten a failing run: leave out operations, interruptions and turns while it still fails.

The result need not be the shortest one that fails.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, groupby
from typing import Any, Protocol

from stingy.language.order import Attempt, Failure, Order, Place, Turn

ATTEMPTS = 250
"""The most runs to leave operations out; what is left after them is short enough."""
TURNS = 120
"""The most runs after those, to take turns away."""

Program = frozenset[Place]
"""Operations that are left out of the rule's programs."""


class Ways(Protocol):
    """Ways in which the lanes of a candidate can take turns."""

    def draw(self, seed: str, interruptions: float) -> Any:
        """Return a random way with about this many interruptions; the plainest one for 0."""

    def again(self, trail: Sequence[Turn]) -> Any:
        """Return the way in which they took turns before, as far as that is still possible."""


def shortest(
    attempt: Attempt, ways: Ways, keeps: Callable[[Program], bool], order: Order, failure: Failure, seed: str
) -> tuple[Order, Failure]:
    """Return a short order that fails in the same way, and its failure with asides for a story.

    ``keeps`` tells whether a correct candidate keeps the rule without these operations: what the
    rule is about must not be cut away. If the short order does not fail when it is run again, the
    given order and failure are returned.
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
        """Runs that may still be made."""

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
        """Leave operations out if the run fails without them; return whether it does.

        A few orders are tried, the simplest first.
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
        """Take turns away from the run; return False if that is not possible."""
        now = _length(self._best.trail)
        orders = chain(self._few(0.1, 6), self._few(1, 12) if now[0] > 1 else ())
        shorter = chain(orders, map(self._ways.again, _simpler(self._best.trail)))
        return any(self._fails(turns, self._best.without, below=now) for turns in shorter)

    def _few(self, interruptions: float, times: int) -> Iterator[Any]:
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
    """Yield operations that may be left out together: whole lanes, then the ends of lanes."""
    lanes = [list(places) for _, places in groupby(operations, key=lambda place: place[0])]
    yield from map(frozenset, lanes)
    for lane in lanes:
        yield from (frozenset(lane[n:]) for n in range(1, len(lane)))


def _length(trail: Sequence[Turn]) -> tuple[int, int]:
    """Return how many interruptions and how many turns there are; fewer is shorter."""
    return sum(points is not None for _, points in trail), len(trail)


def _simpler(trail: Sequence[Turn]) -> Iterator[Sequence[Turn]]:
    """Yield trails with one interruption less: its thread runs until it blocks, or not at all."""
    for n, (name, points) in enumerate(trail):
        if points is not None:
            yield (*trail[:n], (name, None), *trail[n + 1 :])
            yield (*trail[:n], *trail[n + 1 :])
