"""A story as a table: a column for each lane, and beside them what the queue would hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from stingy.language.account import Held, Line

LANES = 4
"""With more lanes than these, they are named in a column of their own."""

LINES = 14
"""More lines of a story than this are not read; the JSON report has them all."""


def story(lines: Sequence[Line]) -> RenderableType:
    """The lines as they came, and the first that is wrong marked."""
    lanes = list(dict.fromkeys(line.lane for line in lines))
    wide = len(lanes) <= LANES
    held = any(line.held for line in lines)
    table = Table(
        box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim", show_header=wide or held
    )
    table.add_column("", justify="right", style="dim")
    for lane in lanes if wide else ():
        table.add_column(escape(lane), overflow="fold")
    if not wide:
        table.add_column("", style="cyan")
        table.add_column("", overflow="fold")
    for name in ("queue", "dirty", "processing") if held else ():
        table.add_column(name, style="dim", overflow="fold")
    shown, left_out = _shown(lines)
    for n, line in shown:
        cells = (
            [_told(line) if lane == line.lane else "" for lane in lanes]
            if wide
            else [escape(line.lane), _told(line)]
        )
        table.add_row(str(n), *cells, *(_held(line.held) if held else ()))
        if line.expected:
            cells = (
                [_mark(line) if lane == line.lane else "" for lane in lanes] if wide else ["", _mark(line)]
            )
            table.add_row("", *cells)
    return Group(table, Text(f"and {left_out} more", "dim")) if left_out else table


def _shown(lines: Sequence[Line]) -> tuple[Sequence[tuple[int, Line]], int]:
    """As many as are read, with their numbers: the last ones before the first that is wrong; how many are not."""
    numbered = list(enumerate(lines, 1))
    wrong = next((n for n, line in numbered if line.expected), 0)
    first = max(0, min(wrong - LINES, len(lines) - LINES))
    return numbered[first : first + LINES], max(0, len(lines) - LINES)


def _told(line: Line) -> str:
    return escape(line.did + (f" → {line.outcome}" if line.outcome else ""))


def _mark(line: Line) -> str:
    return f"[bold red]✗ expected {escape(line.expected)}[/]"


def _held(held: Held | None) -> Iterator[str]:
    if held is not None:
        for items in (held.queue, held.dirty, held.processing):
            yield escape(", ".join(items)) or "–"
