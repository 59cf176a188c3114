"""A story as a picture: a row for each lane, and a bar for each call from its start to its end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from stingy.language.account import Line

LEFT, TOP = 130, 28
"""Space for the names of lanes and for the numbers of steps, in pixels."""
STEP, LANE = 124, 44
"""Width of a step and height of a lane, in pixels."""
BAR = 28
LETTERS = 14
"""Characters of text that fit into the width of one step."""


@dataclass(frozen=True)
class Bar:
    """A call in the diagram of a story: its lane, and its first and last step, counted from 0."""

    lane: int
    first: int
    last: int
    text: str
    kind: str
    """``wrong``, ``waits``, ``call``, or ``aside`` for a step that is no call of a queue."""
    height: int = BAR

    @property
    def x(self) -> int:
        return LEFT + self.first * STEP + 3

    @property
    def y(self) -> int:
        return TOP + self.lane * LANE + (LANE - BAR) // 2

    @property
    def width(self) -> int:
        return (self.last - self.first + 1) * STEP - 6

    @property
    def short(self) -> str:
        most = LETTERS * (self.last - self.first + 1)
        return self.text if len(self.text) <= most else self.text[: most - 1] + "…"


@dataclass(frozen=True)
class Timeline:
    lanes: Sequence[str]
    bars: Sequence[Bar]
    steps: int

    @property
    def numbers(self) -> Sequence[tuple[int, int]]:
        """The steps' numbers, counted from 1, each with the x coordinate of its middle."""
        return [(n + 1, LEFT + n * STEP + STEP // 2) for n in range(self.steps)]

    @property
    def rows(self) -> Sequence[tuple[str, int]]:
        """The lanes' names, each with the y coordinate of its middle."""
        return [(lane, TOP + n * LANE + LANE // 2) for n, lane in enumerate(self.lanes)]

    @property
    def width(self) -> int:
        return LEFT + self.steps * STEP

    @property
    def height(self) -> int:
        return TOP + len(self.lanes) * LANE


def timeline(lines: Sequence[Line]) -> Timeline:
    lanes = list(dict.fromkeys(line.lane for line in lines))
    return Timeline(lanes, list(_bars(lines, lanes)), len(lines))


def _bars(lines: Sequence[Line], lanes: Sequence[str]) -> Iterator[Bar]:
    told: set[int] = set()
    for n, line in enumerate(lines):
        if n in told:
            continue
        end = _end(lines, n)
        if _tells_the_end(line, lines[end]):
            told.add(end)
        yield Bar(lanes.index(line.lane), n, end, _text(line, lines[end]), _kind(line, lines[end]))


def _end(lines: Sequence[Line], n: int) -> int:
    """Return the index of the story's line that ends the call begun in line ``n``.

    The last line if the call never returns; ``n`` itself if the call begins and ends there.
    """
    line = lines[n]
    if not (line.did.endswith(" begins") or (line.op and line.outcome == "waits")):
        return n
    did = line.did.removesuffix(" begins")
    later = (
        m
        for m, other in enumerate(lines[n + 1 :], n + 1)
        if other.lane == line.lane and other.did.removesuffix(" ends") == did
    )
    return next(later, len(lines) - 1 if line.outcome == "waits" else n)


def _text(first: Line, last: Line) -> str:
    did = first.did.removesuffix(" begins")
    outcome = last.outcome if _tells_the_end(first, last) else first.outcome
    return did + (f" → {outcome}" if outcome else "")


def _tells_the_end(first: Line, last: Line) -> bool:
    """Return True if ``last`` is the line that ends the call of the line ``first``.

    False if it is only the last line of the story, up to which the call waits.
    """
    return last.lane == first.lane and last.did.removesuffix(" ends") == first.did.removesuffix(" begins")


def _kind(first: Line, last: Line) -> str:
    returned = _tells_the_end(first, last)
    if last.expected_of == first.lane or (
        not last.expected_of and (first.expected or (last.expected and returned))
    ):
        return "wrong"
    if first.outcome == "waits" and (last is first or not returned):
        return "waits"
    return "call" if first.op or (last.op and returned) else "aside"
