"""A story as a table: a column for each lane, and beside them what the queue would hold."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from stingy.language.account import Held, Line
from stingy.testimony import NAME, in_a_line

LANES = 4
"""With more lanes than these, they are named in a column of their own."""

LINES = 14
"""More lines of a story than this are not read; the JSON report has them all."""

ALIKE = 5
"""So many lines that say nearly the same are folded: the first two stand for them, and the last."""


AT_ONCE = "Each call stands where it began; the sets are what the model holds, and not what yours does."
"""Of a story in which several lanes are at it at once, and the candidate cannot be looked into."""


def story(lines: Sequence[Line], *, at_once: bool = False) -> RenderableType:
    """The lines as they came, and the first that is wrong marked."""
    lanes = list(dict.fromkeys(line.lane for line in lines))
    wide = len(lanes) <= LANES
    held = any(line.held for line in lines)
    table = Table(
        box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim", show_header=wide or held
    )
    table.add_column("", justify="right", style="dim")
    for lane in lanes if wide else ():
        table.add_column(Text(in_a_line(lane, NAME)), overflow="fold")
    if not wide:
        table.add_column("", style="cyan")
        table.add_column("", overflow="fold")
    for name in ("queue", "dirty", "processing") if held else ():
        table.add_column(name, style="dim", overflow="fold")

    def cells(lane: str, told: Text) -> list[Text | str]:
        return [told if it == lane else "" for it in lanes] if wide else [Text(in_a_line(lane, NAME)), told]

    shown, left_out = _choose(lines)
    for n, line, folded in shown:
        if folded:
            table.add_row("", *cells(line.lane if wide else "", Text(f"… {folded} more like it", "dim")))
        table.add_row(
            str(n), *cells(line.lane, _describe(line)), *(_describe_held(line.held) if held else ())
        )
        if line.expected:
            table.add_row("", *cells(line.lane if wide else "", _mark(line)))
    below = [f"and {left_out} more"] if left_out else []
    below += [AT_ONCE] if at_once and held else []
    return Group(table, *(Text(said, "dim") for said in below))


Shown = tuple[int, Line, int]
"""The number of a line, the line, and how many before it are folded away."""


def _choose(lines: Sequence[Line]) -> tuple[Sequence[Shown], int]:
    """As many as are read: the last ones before the first that is wrong; and how many are not."""
    shown = list(_fold(lines))
    wrong = next((row for row, (_, line, _) in enumerate(shown, 1) if line.expected), 0)
    first = max(0, min(wrong - LINES, len(shown) - LINES))
    return shown[first : first + LINES], max(0, len(shown) - LINES)


def _fold(lines: Sequence[Line]) -> Iterator[Shown]:
    for _, run in groupby(enumerate(lines, 1), key=lambda numbered: _gist(numbered[1])):
        alike = list(run)
        told = [*alike[:2], alike[-1]] if len(alike) >= ALIKE else alike
        for n, line in told:
            yield n, line, len(alike) - len(told) if n == alike[-1][0] else 0


def _gist(line: Line) -> tuple[str, str, bool]:
    """What is alike in lines that differ in an item or a number; the wrong one is like no other."""
    return line.lane, re.sub(r"'[^']*'|\d+", "", line.did), bool(line.expected)


def _describe(line: Line) -> Text:
    return Text(in_a_line(line.did) + (f" → {in_a_line(line.outcome)}" if line.outcome else ""))


def _mark(line: Line) -> Text:
    return Text(f"✗ expected {in_a_line(line.expected)}", "bold red")


def _describe_held(held: Held | None) -> Iterator[Text]:
    if held is not None:
        for items in (held.queue, held.dirty, held.processing):
            yield Text(in_a_line(", ".join(items)) or "–")
