"""Shorten a failing run: its story gets fewer rows while the same line of the rule still fails.

Operations, interruptions and turns are left out, until none of the steps below finds a shorter run.
An interruption is a turn that ends although its thread could continue. The steps do not depend on
the seed, so most seeds end in the same run. It need not be the shortest run that fails.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, groupby, islice, pairwise, permutations, product
from typing import Any, NamedTuple, Protocol

from stingy.language.account import account, find_wrong
from stingy.language.order import Attempt, Failure, Order, Place, Turn

RUNS = 1_000
"""The most runs made to shorten a failing one; at about 2 ms each, this takes up to 2 s."""
NEAR = 20
"""Scheduling points by which an interruption is moved if another operation or turn is left out."""
BESIDE = 5
"""Scheduling points by which an interruption is moved if its thread only makes a few more or fewer."""
POINTS = 100
"""Scheduling points by which an interruption is moved to an earlier place of the same story."""
STARTS = 24
"""The most orders in which lanes are tried to begin: all of four lanes."""

Program = frozenset[Place]
"""Operations to leave out of the lanes of a race."""


class Ways(Protocol):
    """Source of strategies that choose which lane of a race runs next."""

    def draw(self, seed: str, interruptions: float) -> Any:
        """Return a random strategy with about this many interruptions; for 0, one without any."""

    def again(self, trail: Sequence[Turn]) -> Any:
        """Return a strategy that repeats the turns of ``trail`` that are still possible."""


def shortest(
    attempt: Attempt, ways: Ways, keeps: Callable[[Program], bool], order: Order, failure: Failure
) -> tuple[Order, Failure]:
    """Shorten a failing order; return an order that fails at the same line, and its failure.

    The short order is run once more, to record remarks for the printed failure, and with
    interruptions a little later: between two calls, an interruption takes a row less. If it does
    not fail then, the given order and failure are returned. ``keeps`` returns True if a correct
    candidate keeps the rule without these operations: what the rule is about must not be left out.
    """
    best = _Shrinking(attempt, ways, keeps, order, failure.line).result()

    def tell(turns: Trail) -> tuple[Order, Failure | None]:
        aloud = Order(0, ways.again(turns), best.without, aloud=True)
        return aloud, attempt(aloud)

    trail = tuple(best.trail)
    shown, _ = tell(trail)
    for turns in _moved(trail, 0, BESIDE):
        other, its_failure = tell(turns)
        if its_failure and its_failure.line == failure.line and _is_told_better(other, shown):
            shown, trail = other, turns
    aloud, again = tell(trail)  # the last run is the one whose story is shown
    return (order, failure) if again is None else (aloud, again)


class Drawn(NamedTuple):
    """A random strategy: its seed, and about how many interruptions it makes."""

    seed: str
    interruptions: float


FAIR = Drawn("", 0)
"""The strategy without interruptions that lets the lane run which has waited longest."""

Trail = tuple[Turn, ...]
Step = tuple[Trail | Drawn, Program]
"""A run to try: how lanes take turns, and the operations left out."""


class _Shrinking:
    def __init__(
        self, attempt: Attempt, ways: Ways, keeps: Callable[[Program], bool], order: Order, line: int
    ) -> None:
        self._attempt = attempt
        self._ways = ways
        self._keeps = keeps
        self._first = order.without
        self._best = order
        self._line = line
        self._known: dict[Program, bool] = {order.without: True}
        """Results of ``keeps``."""
        self._marked = _is_marked(order)
        self._tried: set[Step] = set()

    def result(self) -> Order:
        """Return the shortest run that was found; call this once."""
        before = None
        while self._best is not before:
            before = self._best
            while any(self._is_shorter(*step) for step in self._shorter()):
                pass
            while any(self._is_shorter(*step) for step in _rearranged(self._best)):
                pass
        return self._best

    def _shorter(self) -> Iterator[Step]:
        """Yield runs that may be shorter than the best one, the most promising first."""
        best, trail = self._best.without, tuple(self._best.trail)
        operations = _operations(self._best)
        smaller = [best | part for part in _parts(operations)]
        several = self._best.interruptions > 1
        first = _draws(5, 30, 30) if self._best.interruptions else _draws(5, 0, 0)
        yield from product(first, [self._first])
        for without in smaller:
            yield trail, without
            yield FAIR, without
        yield FAIR, best
        yield from product(_simpler(trail), [best])
        yield from product(_starts(operations), [best])
        yield from product(_draws(4, 4, 0), [best])
        yield from product(_merged(trail), [best])
        draws = list(_draws(1, 4, 8) if several else _draws(2, 4, 0))
        for without in reversed(smaller):
            yield from product(draws, [without])
        interrupted = {name for name, points in trail if points is not None}
        for part in (*_lanes(operations), *(frozenset({place}) for place in operations)):
            earlier = NEAR if several or any(lane in interrupted for lane, _ in part) else BESIDE
            yield from product(_moved(trail, earlier, BESIDE), [best | part])
        for part in _pairs(operations) if several else ():
            yield from product(draws, [best | part])

    def _is_shorter(self, turns: Trail | Drawn, without: Program) -> bool:
        """Run the rule; if it fails and its story is shorter, make this run the best one and return True."""
        step = turns, without
        if step in self._tried or len(self._tried) >= RUNS or self._known.get(without) is False:
            return False
        self._tried.add(step)
        ways = self._ways
        order = Order(0, ways.draw(*turns) if isinstance(turns, Drawn) else ways.again(turns), without)
        failure = self._attempt(order)
        if failure is None or failure.line != self._line or _length(order) >= _length(self._best):
            return False
        if without not in self._known:
            self._known[without] = self._keeps(without)
        if not self._known[without] or (self._marked and not _is_marked(order)):
            return False
        self._best = order
        return True


def _is_marked(order: Order) -> bool:
    """Return True if the model names a wrong row in the story; False if it cannot, or all are right.

    A story without a wrong row may be that of a correct queue: only the assertion of the rule fails.
    """
    return find_wrong(account(order.story)) is not None


def _is_told_better(order: Order, other: Order) -> bool:
    """Return True if the story of ``order`` has fewer rows, and a wrong one if that of ``other`` has."""
    return len(order.story) < len(other.story) and _is_marked(order) >= _is_marked(other)


def _operations(order: Order) -> list[Place]:
    """Return the operations that a run did not leave out, each once."""
    return [place for place in dict.fromkeys(order.operations) if place not in order.without]


def _length(order: Order) -> tuple[Any, ...]:
    """Return a key that is less for a run with a shorter story.

    A thread that continues in a further turn adds two rows to a story: where its call was
    interrupted or waited, and where the call ends. Runs with equally long stories are compared by
    their number of operations, then of interruptions, then by the numbers of their lanes and
    operations, and last by how early they are interrupted.
    """
    further_turns = len(order.trail) - len({name for name, _ in order.trail})
    number = {lane: n for n, lane in enumerate(dict.fromkeys(lane for lane, _ in order.operations))}
    return (
        len(order.story) + 2 * further_turns,
        len(_operations(order)),
        order.interruptions,
        [(number[lane], n) for lane, n in _operations(order)],
        [(number.get(name, len(number)), name, points or 0) for name, points in order.trail],
    )


def _parts(operations: Sequence[Place]) -> Iterator[Program]:
    """Yield sets of operations to leave out together: lanes, ends of lanes, neighbours, single ones."""
    lanes = [list(places) for _, places in groupby(operations, key=lambda place: place[0])]
    yield from _lanes(operations)
    for lane in lanes:
        yield from (frozenset(lane[n:]) for n in range(1, len(lane)))
        yield from (frozenset(lane[:n]) for n in range(len(lane) - 1, 0, -1))
    for lane in lanes:
        yield from map(frozenset, pairwise(lane))
    yield from (frozenset({place}) for place in reversed(operations))


def _lanes(operations: Sequence[Place]) -> Iterator[Program]:
    for _, places in groupby(operations, key=lambda place: place[0]):
        yield frozenset(places)


def _pairs(operations: Sequence[Place]) -> Iterator[Program]:
    """Yield sets of operations to leave out together: a lane, and an operation of another one."""
    for gone in dict.fromkeys(lane for lane, _ in operations):
        whole = {place for place in operations if place[0] == gone}
        yield from (frozenset({*whole, place}) for place in operations if place not in whole)


def _simpler(trail: Trail) -> Iterator[Trail]:
    """Yield variants of a trail with up to three turns less.

    In some of them, a thread that was interrupted runs until it blocks instead.
    """
    for n, (name, points) in enumerate(trail):
        for after in range(n + 1, min(n + 4, len(trail) + 1)):
            if points is not None:
                yield (*trail[:n], (name, None), *trail[after:])
            yield (*trail[:n], *trail[after:])


def _starts(operations: Sequence[Place]) -> Iterator[Trail]:
    """Yield trails without interruptions, by the order in which the lanes begin."""
    lanes = dict.fromkeys(lane for lane, _ in operations)
    for names in islice(permutations(lanes), STARTS):
        yield tuple((name, None) for name in names)


def _draws(none: int, one: int, more: int) -> Iterator[Drawn]:
    """Yield random strategies: ``none`` of them hardly interrupt, ``one`` about once, ``more`` more often."""
    for number, interruptions in ((none, 0.1), (one, 1.0), (more, 3.0)):
        yield from (Drawn(str(n), interruptions) for n in range(number))


def _rearranged(order: Order) -> Iterator[Step]:
    """Yield variants of a run that are as long: other lanes, earlier operations, earlier interruptions."""
    trail, without = tuple(order.trail), order.without
    everything = dict.fromkeys(order.operations)
    for one, other in combinations(dict.fromkeys(lane for lane, _ in everything), 2):
        swapped = {one: other, other: one}
        turns = tuple((swapped.get(name, name), points) for name, points in trail)
        left_out = ((swapped.get(lane, lane), n) for lane, n in without)
        yield turns, frozenset(place for place in left_out if place in everything)
    for lane, n in _operations(order):
        for earlier in range(n):
            if (lane, earlier) in without:
                yield trail, without - {(lane, earlier)} | {(lane, n)}
    for turns in _moved(trail, POINTS, 0):
        yield turns, without


def _moved(trail: Trail, earlier: int, later: int) -> Iterator[Trail]:
    """Yield variants of a trail in which one interruption is at most these numbers of points away."""
    for n, (name, points) in enumerate(trail):
        if points is not None:
            for moved in (*range(max(1, points - earlier), points), *range(points + 1, points + 1 + later)):
                yield (*trail[:n], (name, moved), *trail[n + 1 :])


def _merged(trail: Trail) -> Iterator[Trail]:
    """Yield variants of a trail in which a turn is left out and the same thread's next one is longer."""
    for n, (name, _) in enumerate(trail):
        later = next((m for m in range(n + 1, len(trail)) if trail[m][0] == name), None)
        if later is not None and (points := trail[later][1]) is not None:
            for more in range(1, NEAR):
                yield (*trail[:n], *trail[n + 1 : later], (name, points + more), *trail[later + 1 :])
