"""The shortest failing run that can be made of one that failed: fewest operations, interruptions, turns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, groupby

from stingy.engine.scheduler import Fair
from stingy.engine.strategies import RandomPriorities, Replay, Sparse
from stingy.language.order import Attempt, Failure, Order, Place, Turn

ATTEMPTS = 250
"""So many runs to leave operations out, and what is left by then is short enough."""
TURNS = 120
"""So many more to take turns away."""
POINTS = 40
"""How many scheduling points a short program is taken to have."""

Program = frozenset[Place]
"""What is left out of the rule's programs."""


def shortest(
    attempt: Attempt, keeps: Callable[[Program], bool], order: Order, failure: Failure, seed: str
) -> tuple[Order, Failure]:
    """An order that fails in the same way and cannot well be made shorter, run aloud.

    ``keeps``: whether a right candidate keeps the rule when this is left out; what a rule is about must
    not be cut away. The failure given comes back where the same turns do not lead to it again.
    """
    shrinking = _Shrinking(attempt, keeps, order, failure.line, seed)
    best = shrinking.result()
    aloud = Order(0, Replay(best.trail), best.without, aloud=True)
    again = attempt(aloud)
    return (order, failure) if again is None else (aloud, again)


class _Shrinking:
    def __init__(
        self, attempt: Attempt, keeps: Callable[[Program], bool], order: Order, line: int, seed: str
    ) -> None:
        self._attempt = attempt
        self._keeps = keeps
        self._best = order
        self._line = line
        self._seed = seed
        self._left = 0
        """How many runs may still be made."""

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
        """Leave it out if it fails without, in one of a few orders, the simplest first."""
        without = self._best.without | part
        if without == self._best.without or not self._keeps(without):
            return False
        orders = chain(
            self._few(0.1, times), self._few(1, times), [Replay(self._best.trail)], self._few(3, times)
        )
        return any(self._fails(strategy, without) for strategy in orders)

    def _simplify(self) -> bool:
        """Take turns away, if any can be."""
        now = _length(self._best.trail)
        orders = chain(self._few(0.1, 6), self._few(1, 12) if now[0] > 1 else ())
        shorter = chain(orders, map(Replay, _simpler(self._best.trail)))
        return any(self._fails(strategy, self._best.without, below=now) for strategy in shorter)

    def _few(self, interruptions: float, times: int) -> Iterator[Fair]:
        yield Fair() if interruptions < 1 else RandomPriorities(f"{self._seed} {self._left}")
        for _ in range(times):
            yield Sparse(f"{self._seed} {self._left}", POINTS, interruptions)

    def _fails(self, strategy: Fair, without: Program, below: tuple[int, int] | None = None) -> bool:
        if self._left == 0:
            return False
        self._left -= 1
        order = Order(0, strategy, without)
        failure = self._attempt(order)
        if failure is None or failure.line != self._line:
            return False
        if below is not None and _length(order.trail) >= below:
            return False
        self._best = order
        return True


def _parts(operations: Sequence[Place]) -> Iterator[Program]:
    """What could be left out at once: whole lanes, then what they do last."""
    lanes = [list(places) for _, places in groupby(operations, key=lambda place: place[0])]
    yield from map(frozenset, lanes)
    for lane in lanes:
        yield from (frozenset(lane[n:]) for n in range(1, len(lane)))


def _length(trail: Sequence[Turn]) -> tuple[int, int]:
    return sum(points is not None for _, points in trail), len(trail)


def _simpler(trail: Sequence[Turn]) -> Iterator[Sequence[Turn]]:
    for n, (name, points) in enumerate(trail):
        if points is not None:
            yield (*trail[:n], (name, None), *trail[n + 1 :])
            yield (*trail[:n], *trail[n + 1 :])
