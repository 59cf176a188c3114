"""A story as a table: a column for each lane, and the content of the queue beside them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from stingy.contract.testimony import NAME, in_a_line
from stingy.language.account import Held, Line

LANES = 4
"""Most lanes that have a column each; if there are more, one column has the lanes' names."""

LINES = 14
"""Most lines shown: nobody reads more, and the JSON report has all."""

ALIKE = 5
"""From this many similar lines on, show only the first two and the last."""


AT_ONCE = "Each call is shown where it began; the sets are those of the model, not of your queue."
"""Note below the story of a race: the candidate's own state cannot be observed."""


def story(lines: Sequence[Line], *, at_once: bool = False, most: int = LINES) -> RenderableType:
    """Return the story as a table to print, with a mark at the first wrong line.

    ``at_once``: True for a race; a note below then explains what the columns of sets show.
    ``most``: most lines to show.
    """
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

    def add_note(lane: str, note: str) -> None:
        table.add_row("", *cells(lane if wide else "", Text(note, "dim")))

    shown, before, after = _choose(lines, most)
    if before:
        add_note(shown[0][1].lane, f"… {count(before, 'row')} before")
    for n, line, folded in shown:
        if folded:
            add_note(line.lane, f"… {folded} more like it")
        table.add_row(
            str(n), *cells(line.lane, _describe(line)), *(_describe_held(line.held) if held else ())
        )
        if line.expected:
            of, expected = (line.expected_of or line.lane, line.expected) if wide else ("", line.wanted)
            table.add_row("", *cells(of, _mark(expected)))
    if after:
        add_note(shown[-1][1].lane, f"… {count(after, 'row')} after")
    return Group(table, *([Text(AT_ONCE, "dim")] if at_once and held else []))


Shown = tuple[int, Line, int]
"""The number of a line, the line, and how many lines before it are folded away."""


def _choose(lines: Sequence[Line], most: int) -> tuple[Sequence[Shown], int, int]:
    """Return at most ``most`` lines of a story to show, and the numbers of lines before and after them.

    The first wrong line is always shown; it is the last one if it comes late in the story. If no
    line is wrong, the end of the story is shown, where the rule's check failed.
    """
    shown = list(_fold(lines))
    wrong = next((row for row, (_, line, _) in enumerate(shown, 1) if line.expected), len(shown))
    first = max(0, wrong - most)
    chosen = shown[first : first + most]
    if first:
        n, line, _ = chosen[0]
        chosen[0] = n, line, 0  # lines folded away before it are among those left out
    return chosen, chosen[0][0] - 1 if first else 0, len(lines) - chosen[-1][0] if chosen else 0


def count(number: int, what: str) -> str:
    """Return a number of things, as in ``1 row`` and ``2 rows``."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _fold(lines: Sequence[Line]) -> Iterator[Shown]:
    for _, run in groupby(enumerate(lines, 1), key=lambda numbered: _gist(numbered[1])):
        alike = list(run)
        told = [*alike[:2], alike[-1]] if len(alike) >= ALIKE else alike
        for n, line in told:
            yield n, line, len(alike) - len(told) if n == alike[-1][0] else 0


def _gist(line: Line) -> tuple[str, str, bool]:
    """Return a key that is equal for lines that differ only in items and numbers.

    A wrong line never has the same key as a correct one.
    """
    return line.lane, re.sub(r"'[^']*'|\d+", "", line.did), bool(line.expected)


def _describe(line: Line) -> Text:
    return Text(in_a_line(line.did) + (f" → {in_a_line(line.outcome)}" if line.outcome else ""))


def _mark(expected: str) -> Text:
    return Text(f"✗ expected {in_a_line(expected)}", "bold red")


def _describe_held(held: Held | None) -> Iterator[Text]:
    if held is not None:
        for items in (held.queue, held.dirty, held.processing):
            yield Text(in_a_line(", ".join(items)) or "–")
