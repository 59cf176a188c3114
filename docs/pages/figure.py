"""Figures of a story: a picture of its calls, a table of them, and data for the stepper script."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from itertools import accumulate
from math import ceil
from typing import Any

from stingy.language.account import Held, Line, find_wrong
from stingy.reports.timeline import Bar, timeline

SETS = ("queue", "dirty", "processing")

# Lengths are in units of the SVG picture: one pixel each, if it is not scaled.
LETTER, LEADING = 7.3, 16
"""Width of a letter of the picture's monospaced font, and height of a line."""
NUMBER, HEAD, GAP = 28, 30, 3
"""Width of the step numbers, height of the column names, and margin of a bar."""
NARROW, WIDE = 96, 232
"""Minimum and maximum width of a lane."""
FULL = 650
"""Width of a page's column. Lanes that need less share the rest."""
PAD = 8
"""Padding around texts."""
CHIP = 22
"""Minimum width of an item in a set."""
MOST = 16
"""Maximum number of lines of a story that are shown: readers do not read more."""


def figure(lines: Sequence[Line], title: str) -> str:
    """Return the HTML of a story as a picture and a table, with buttons to step through it.

    The accessible names of the parts contain ``title``, so each title must be used once on a page.
    """
    told = json.dumps([_describe(line) for line in lines], ensure_ascii=False)
    return (
        f'<div class="stingy-figure" data-search-exclude><stingy-stepper data-trace="{quote(told)}">\n'
        f'<div class="stingy-scroll" role="region" tabindex="0" aria-label="{quote(title)}: a picture">\n'
        f"{picture(lines, title)}\n</div>\n"
        '<details class="stingy-told" open><summary>The same as a table</summary>\n'
        f"{table(lines, title)}\n</details>\n"
        "</stingy-stepper></div>\n"
    )


def table(lines: Sequence[Line], title: str, left_out: int = 0) -> str:
    """Return a story as an HTML table with a row for each line; wrong lines are marked.

    ``left_out`` is the number of earlier lines that are not shown; the first row has the number
    after it.
    """
    sets = any(line.held for line in lines)
    columns = ("step", "who", "call", *(SETS if sets else ()))
    rows = "\n".join(_row(n, line, sets=sets) for n, line in enumerate(lines, 1 + left_out))
    return (
        f'<div class="stingy-scroll" role="region" tabindex="0" aria-label="{quote(title)}: a table">'
        f'<table class="stingy-story">{head(columns)}\n<tbody>\n{rows}\n</tbody></table></div>'
    )


def head(columns: Sequence[str]) -> str:
    cells = "".join(f'<th scope="col">{name}</th>' for name in columns)
    return f"<thead><tr>{cells}</tr></thead>"


def read(lines: Sequence[Line]) -> tuple[Sequence[Line], int]:
    """Return the lines of a story to show, and the number of lines before them.

    These are the last ``MOST`` lines up to the first wrong one, or to the end if none is wrong.
    """
    wrong = find_wrong(lines)
    end = len(lines) if wrong is None else wrong + 1
    first = max(0, end - MOST)
    return lines[first:end], first


def _describe(line: Line) -> Mapping[str, Any]:
    """Return the data of a story's line that ``scripts/stepper.js`` needs to show it."""
    told: dict[str, Any] = {"says": str(line)}
    if line.held:
        told["held"] = [list(items) for items in _of(line.held)]
    if line.expected:
        told["expected"] = line.wanted
    return told


def _row(number: int, line: Line, *, sets: bool) -> str:
    call = line.did + (f" → {line.outcome}" if line.outcome else "")
    wrong = f"<br><strong>✗ expected {escape_html(line.wanted)}</strong>" if line.expected else ""
    held = [", ".join(items) or "–" for items in _of(line.held)] if line.held else [""] * len(SETS)
    told = [f"<td>{escape_html(line.lane)}</td>", f"<td>{escape_html(call)}{wrong}</td>"]
    if sets:  # on a narrow screen, a cell is named by data-of, since its column has no head
        told += [
            f'<td data-of="{name}">{escape_html(items)}</td>' for name, items in zip(SETS, held, strict=True)
        ]
    kind = ' class="wrong"' if line.expected else ""
    return f'<tr{kind} data-step="{number}"><th scope="row">{number}</th>{"".join(told)}</tr>'


def _of(held: Held) -> Sequence[Sequence[str]]:
    return held.queue, held.dirty, held.processing


# In the picture, time goes down. Each lane has a column, and right of these each set of the queue.


def picture(lines: Sequence[Line], title: str) -> str:
    return "\n".join(_Picture(lines).draw(title))


@dataclass(frozen=True)
class _Picture:
    lines: Sequence[Line]

    @cached_property
    def lanes(self) -> Sequence[str]:
        return timeline(self.lines).lanes

    @cached_property
    def bars(self) -> Sequence[Bar]:
        return timeline(self.lines).bars

    @cached_property
    def widths(self) -> Sequence[int]:
        """Width of each lane's column: that of the longest text in it, from ``NARROW`` to ``WIDE``."""
        longest = [
            max(len(lane), *(len(bar.text) for bar in self.bars if bar.lane == n))
            for n, lane in enumerate(self.lanes)
        ]
        needed = [max(NARROW, min(WIDE, ceil(letters * LETTER) + 3 * PAD)) for letters in longest]
        left = FULL - NUMBER - sum(needed) - PAD - sum(self.sets.values())
        return [min(WIDE, width + max(0, left) // len(needed)) for width in needed]

    @cached_property
    def lefts(self) -> Sequence[int]:
        return list(accumulate(self.widths, initial=NUMBER))

    @cached_property
    def tops(self) -> Sequence[int]:
        """Top edge of each step's row, and bottom edge of the last; a row is as high as its longest text."""
        high = [1] * len(self.lines)
        for bar in self.bars:
            high[bar.first] = max(high[bar.first], len(self.text(bar)))
        return list(accumulate((rows * LEADING + 2 * PAD for rows in high), initial=HEAD))

    @cached_property
    def sets(self) -> Mapping[str, int]:
        """Width of the columns ``queue``, ``dirty`` and ``processing``, by name; empty without such sets."""
        held = [_of(line.held) for line in self.lines if line.held]
        most = (max(_chips(sets[n]) for sets in held) for n in range(len(SETS))) if held else ()
        return {
            name: max(round(len(name) * LETTER), chips) + 2 * PAD
            for name, chips in zip(SETS, most, strict=False)
        }

    @cached_property
    def edges(self) -> Sequence[int]:
        """Left edge of the column of each set of the queue, and right edge of the last column."""
        return list(accumulate(self.sets.values(), initial=self.lefts[-1] + (PAD if self.sets else 0)))

    def text(self, bar: Bar) -> Sequence[str]:
        return textwrap.wrap(bar.text, int((self.widths[bar.lane] - 3 * PAD) / LETTER) or 1)

    def draw(self, title: str) -> Iterator[str]:
        width, height = self.edges[-1], self.tops[-1]
        yield (
            f'<svg class="stingy-picture" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
            f'role="img" aria-label="{quote(title)}: the calls of the table below, in their order">'
        )
        for lane, left, wide in zip(self.lanes, self.lefts, self.widths, strict=False):
            yield _text("name", left + PAD, HEAD - 11, lane)
            yield f'<path class="lane" d="M{left + wide / 2:g} {HEAD}V{height}"/>'
        for name, left in zip(self.sets, self.edges, strict=False):
            yield _text("name", left + PAD, HEAD - 11, name)
        for n, line in enumerate(self.lines):
            yield from self._step(n, line)
        for bar in self.bars:
            yield from self._bar(bar)
        yield "</svg>"

    def _step(self, n: int, line: Line) -> Iterator[str]:
        top, middle = self.tops[n], self.tops[n] + PAD + 12
        yield f'<g class="step" data-step="{n + 1}">'
        yield f'<rect class="row" x="0" y="{top}" width="{self.edges[-1]}" height="{self.tops[n + 1] - top}"/>'
        yield _text("number", NUMBER - PAD, middle, str(n + 1))
        for left, items in zip(self.edges, _of(line.held) if line.held else (), strict=False):
            x = left + PAD
            for item in items:
                wide = _chips([item])
                yield f'<rect class="item" x="{x}" y="{middle - 13}" width="{wide - 4}" height="18" rx="4"/>'
                yield _text("item", x + (wide - 4) / 2, middle, item)
                x += wide
            if not items:
                yield _text("nothing", x, middle, "–")
        yield "</g>"

    def _bar(self, bar: Bar) -> Iterator[str]:
        left, top = self.lefts[bar.lane] + GAP, self.tops[bar.first] + GAP
        width, height = self.widths[bar.lane] - 2 * GAP, self.tops[bar.last + 1] - GAP - top
        yield f'<g class="bar {bar.kind}" data-step="{bar.first + 1}">'
        yield f'<rect x="{left}" y="{top}" width="{width}" height="{height}" rx="5"/>'
        for n, words in enumerate(self.text(bar)):
            yield _text("call", left + PAD, top - GAP + PAD + 12 + n * LEADING, words)
        yield "</g>"


def _chips(items: Sequence[str]) -> int:
    """Return the width of a row of boxes, one for each item, in units of the picture."""
    return sum(max(CHIP, round(len(item) * LETTER) + CHIP - 4) for item in items)


def _text(kind: str, x: float, y: float, words: str) -> str:
    return f'<text class="{kind}" x="{x:g}" y="{y:g}">{escape_html(words)}</text>'


def escape_html(text: str) -> str:
    """Escape HTML and square brackets: some site builders look for Markdown links even in HTML."""
    return escape(text, quote=False).replace("[", "&#91;").replace("]", "&#93;")


def quote(text: str) -> str:
    return escape_html(text).replace('"', "&quot;")
