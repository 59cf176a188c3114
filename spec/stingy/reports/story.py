"""A story as a table: a column for each lane, and beside them what the queue would hold."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from stingy.language.account import Held, Line

LANES = 4
"""With more lanes than these, the lanes are named in one column."""

LINES = 14
"""More lines of a story than this are not read; the JSON report has them all."""

ALIKE = 5
"""So many lines that say nearly the same are folded: the first two stand for them, and the last."""


def story(lines: Sequence[Line]) -> RenderableType:
    """The lines as they came, and the first that is wrong marked."""
    lanes = list(dict.fromkeys(line.lane for line in lines))
    wide = len(lanes) <= LANES
    held = any(line.held for line in lines)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("", justify="right", style="dim")
    for lane in lanes if wide else ("",):
        table.add_column(escape(lane), overflow="fold")
    for name in ("queue", "dirty", "processing") if held else ():
        table.add_column(name, style="dim", overflow="fold")
    shown, left_out = _shown(lines)
    for n, line, folded in shown:
        if folded:
            table.add_row("", f"[dim]… {folded} more like it[/]")
        cells = [_told(line) if lane == line.lane else "" for lane in lanes] if wide else [_named(line)]
        table.add_row(str(n), *cells, *(_held(line.held) if held else ()))
        if line.expected:
            cells = [_mark(line) if lane == line.lane else "" for lane in lanes] if wide else [_mark(line)]
            table.add_row("", *cells)
    return Group(table, Text(f"and {left_out} more", "dim")) if left_out else table


Shown = tuple[int, Line, int]
"""The number of a line, the line, and how many before it are folded away."""


def _shown(lines: Sequence[Line]) -> tuple[Sequence[Shown], int]:
    """As many as are read: the last ones before the first that is wrong; and how many are not."""
    shown = list(_folded(lines))
    wrong = next((row for row, (_, line, _) in enumerate(shown, 1) if line.expected), 0)
    first = max(0, min(wrong - LINES, len(shown) - LINES))
    return shown[first : first + LINES], max(0, len(shown) - LINES)


def _folded(lines: Sequence[Line]) -> Iterator[Shown]:
    for _, run in groupby(enumerate(lines, 1), key=lambda numbered: _gist(numbered[1])):
        alike = list(run)
        told = [*alike[:2], alike[-1]] if len(alike) >= ALIKE else alike
        for n, line in told:
            yield n, line, len(alike) - len(told) if n == alike[-1][0] else 0


def _gist(line: Line) -> tuple[str, str, bool]:
    """What is alike in lines that differ in an item or a number; the wrong one is like no other."""
    return line.lane, re.sub(r"'[^']*'|\d+", "", line.did), bool(line.expected)


def _told(line: Line) -> str:
    return escape(line.did + (f" → {line.outcome}" if line.outcome else ""))


def _named(line: Line) -> str:
    return f"[cyan]{escape(line.lane)}[/] {_told(line)}"


def _mark(line: Line) -> str:
    return f"[bold red]✗ expected {escape(line.expected)}[/]"


def _held(held: Held | None) -> Iterator[str]:
    if held is not None:
        for items in (held.queue, held.dirty, held.processing):
            yield escape(", ".join(items)) or "–"
