"""Linearizability check: does some sequential order of the calls explain a history?

The algorithm is Wing and Gong's, with Lowe's memoization. A call takes effect somewhere between its
start and its end. If a call still waits at quiescence, it must have to wait in the model too. So
lost wake-ups, deadlocks and hanging drains have no explaining order, and the check needs no
time-outs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from msgspec import Struct

from stingy.contract.ops import OPS
from stingy.contract.testimony import show
from stingy.language.call import NEVER, Call
from stingy.language.model import ANYTHING, SHUTDOWN, State, must_return, step

STATES = 200_000
"""Number of visited states after which the search is given up with ``Unknown``."""


class Unknown(Exception):  # noqa: N818 - not an error
    """The search was given up: whether an order explains the history is unknown."""


class Point(Struct, frozen=True):
    """A moment at which a call takes effect; ShutDownWithDrain has two: its start and its end."""

    op: str
    item: str | None
    answer: object
    start: float
    end: float
    call: Call
    behind: int | None = None
    """Index of the point that must come first; None if there is none."""


@dataclass(frozen=True)
class Placed:
    """A call (or the end of a drain) at its place in a sequential order, and the state after it."""

    call: Call
    state: State


@dataclass(frozen=True)
class Trouble:
    """A call that fits into no sequential order of the history."""

    call: Call
    state: State
    """The state in which the call would have to take effect."""
    waits: bool
    """True if the trouble is that the call still waits; False if its result is wrong."""

    def __str__(self) -> str:
        said = f"{self.call.op}({self.call.item or ''}) of {self.call.lane}"
        if self.waits:
            return f"{said} still waits; it ought to return with {self.state}"
        answer = "shutdown" if self.call.shutdown else self.call.result
        got = f" answered {show(answer)}," if OPS[self.call.op].result is not None else ""
        return f"{said}{got} which no order of the calls explains: before it, {self.state}"


@dataclass(frozen=True)
class Explanation:
    """A sequential order that explains the calls of a history.

    With ``trouble``, the longest order found that explains a part of them.
    """

    order: Sequence[Placed]
    trouble: Trouble | None = None


def find_unexplained(calls: Sequence[Call]) -> Trouble | None:
    """Return the call that fits into no order; None if some order explains the history.

    The calls are those of a work queue until quiescence.
    """
    return explanation(calls).trouble


def explanation(calls: Sequence[Call], *, in_order: bool = True) -> Explanation:
    """Search for a sequential order that explains all calls; return it, or the longest partial one.

    ``in_order=False``: a Get may return any queued item. Raises Unknown if the search is given up.
    """
    points = _points(calls)
    finished = sum(1 << n for n, point in enumerate(points) if point.end != NEVER)
    by_start = sorted(range(len(points)), key=lambda n: points[n].start)
    seen: set[tuple[int, State]] = set()
    best: tuple[Placing, Trouble | None] = ((), None)
    stack: list[tuple[int, State, Placing]] = [(0, State(), ())]
    while stack:
        placed, state, order = stack.pop()
        if (placed, state) in seen:
            continue
        seen.add((placed, state))
        if len(seen) > STATES:
            raise Unknown
        if placed & finished == finished:
            late = [
                n for n in _open(points, placed, by_start) if must_return(state, points[n].op, points[n].item)
            ]
            if not late:
                return Explanation(_place(points, order))
            best = _longer(best, order, Trouble(points[late[0]].call, state, waits=True))
        horizon = min((point.end for n, point in enumerate(points) if not placed >> n & 1), default=NEVER)
        stuck = None
        for n in reversed(by_start):
            point = points[n]
            if (
                placed >> n & 1
                or point.start > horizon
                or (point.behind is not None and not placed >> point.behind & 1)
            ):
                continue
            if point.end == NEVER and point.op != "drain begins":
                continue  # a call that never returns has not taken effect
            after = step(state, point.op, point.item, point.answer, in_order=in_order)
            if after is None:
                stuck = n
            else:
                stack.append((placed | 1 << n, after, (*order, (n, after))))
        if stuck is not None:
            best = _longer(best, order, Trouble(points[stuck].call, state, waits=False))
    return Explanation(_place(points, best[0]), best[1])


Placing = tuple[tuple[int, State], ...]
"""An order of points: the index of each, with the state after it."""


def _place(points: Sequence[Point], order: Placing) -> Sequence[Placed]:
    return [Placed(points[n].call, state) for n, state in order]


def _longer(
    best: tuple[Placing, Trouble | None], order: Placing, trouble: Trouble
) -> tuple[Placing, Trouble | None]:
    return best if best[1] is not None and len(best[0]) >= len(order) else (order, trouble)


def _open(points: Sequence[Point], placed: int, by_start: Sequence[int]) -> list[int]:
    """Return the indices of points that can be placed next, sorted by start.

    ``placed`` has a bit for each point that is placed; the point that has to come first must be.
    """
    return [
        n
        for n in by_start
        if not placed >> n & 1 and (points[n].behind is None or placed >> (points[n].behind or 0) & 1)
    ]


def _points(calls: Sequence[Call]) -> list[Point]:
    points: list[Point] = []
    for call in calls:
        answer: object = ANYTHING
        if call.end is not None:
            answer = SHUTDOWN if call.shutdown else call.result
        if call.op == "shut_down_with_drain":
            points.append(Point("drain begins", None, answer, call.start, call.over, call))
            points.append(Point("drain ends", None, answer, call.start, call.over, call, len(points) - 1))
        else:
            points.append(Point(call.op, call.item, answer, call.start, call.over, call))
    return points
