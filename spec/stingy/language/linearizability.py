"""Whether some order of the calls, one after the other, explains a history (Wing and Gong, with Lowe's memory).

A call may be put anywhere between its beginning and its end. When all is quiet, a call that still waits
must be one that the model, too, would leave waiting: so lost wake-ups, deadlocks and drains that hang are
histories without an order, and no time-out is needed to see them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stingy.language.call import NEVER, Call
from stingy.language.model import ANYTHING, SHUTDOWN, State, must_return, step

STATES = 200_000
"""So many states looked at, and it is given up: nothing is known then."""


class Unknown(Exception):  # noqa: N818 - it is no error
    """The search was given up."""


@dataclass(frozen=True)
class Point:
    """Where a call takes effect; ShutDownWithDrain has two: it begins, and it ends."""

    op: str
    item: str | None
    answer: object
    start: float
    end: float
    call: Call
    behind: int | None = None
    """The point that must come first."""


@dataclass(frozen=True)
class Unexplained:
    """The longest order that explains a part of the history, and what has no place in it."""

    order: Sequence[Call]
    state: State
    call: Call
    waits: bool
    """Whether the trouble is that the call still waits."""

    def __str__(self) -> str:
        said = f"{self.call.op}({self.call.item or ''}) of {self.call.lane}"
        if self.waits:
            return f"{said} still waits; it ought to return with {self.state}"
        answer = "shutdown" if self.call.shutdown else self.call.result
        got = f" answered {answer!r}," if self.call.op in ("get", "len", "shutting_down") else ""
        return f"{said}{got} which no order of the calls explains: before it, {self.state}"


def unexplained(calls: Sequence[Call]) -> Unexplained | None:
    """None if some order explains the history of a work queue at whose end all is quiet."""
    points = _points(calls)
    finished = sum(1 << n for n, point in enumerate(points) if point.end != NEVER)
    by_start = sorted(range(len(points)), key=lambda n: points[n].start)
    seen: set[tuple[int, State]] = set()
    best: tuple[int, tuple[int, ...], State, int, bool] = (
        -1,
        (),
        State(),
        by_start[0] if by_start else 0,
        False,
    )
    stack: list[tuple[int, State, tuple[int, ...]]] = [(0, State(), ())]
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
                return None
            best = max(best, (len(order), order, state, late[0], True), key=lambda it: it[0])
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
                continue  # what waits for ever has not taken effect
            after = step(state, point.op, point.item, point.answer)
            if after is None:
                stuck = n
            else:
                stack.append((placed | 1 << n, after, (*order, n)))
        if stuck is not None:
            best = max(best, (len(order), order, state, stuck, False), key=lambda it: it[0])
    _, order, state, culprit, waits = best
    return Unexplained([points[n].call for n in order], state, points[culprit].call, waits)


def _open(points: Sequence[Point], placed: int, by_start: Sequence[int]) -> list[int]:
    """The points not placed whose turn it could be."""
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
