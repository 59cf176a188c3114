"""A story as a table: a column for each lane, and the content of the queue beside them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from stingy.contract.ops import OPS
from stingy.contract.testimony import NAME, in_a_line
from stingy.language.account import DELAYS, SHUTDOWN, Held, Line, find_wrong, may_queue
from stingy.language.story import NO_LONGER_WAITS, TIME

LANES = 4
"""Most lanes that have a column each; if there are more, one column has the lanes' names."""

LINES = 14
"""Lines shown of a longer story: nobody reads more, and the JSON report has all."""

ALIKE = 5
"""From this many similar lines on, show only the first two and the last."""


NO_ITEM = ("", "waits", SHUTDOWN, NO_LONGER_WAITS)
"""Outcomes of a Get that hands out no item."""

SHUTS = ("shut_down", "shut_down_with_drain")
"""Calls after which any other call may have another outcome."""

_QUOTED = re.compile(r"""'([^']*)'|"([^"]*)\"""")
"""A name in the text of a line; it is in the one or in the other group."""

AT_ONCE = "Each call is shown where it began; the sets are those of the model, not of your queue."
"""Note below the story of a race: the candidate's own state cannot be observed."""


def story(lines: Sequence[Line], *, at_once: bool = False, most: int = LINES) -> RenderableType:
    """Return the story as a table to print, with a mark at the first wrong line.

    ``at_once``: True for a race; a note below then explains what the columns of sets show.
    ``most``: lines to show of a longer story, unless the wrong line depends on more.
    """
    lanes = list(dict.fromkeys(line.lane for line in lines))
    wide = len(lanes) <= LANES
    held = has_sets(lines)
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

    shown = _choose(lines, most)
    for above, n in pairwise([0, *shown]):
        line = lines[n - 1]
        if left_out := _name_left_out(lines, above, n):
            add_note(line.lane, left_out)
        table.add_row(
            str(n), *cells(line.lane, _describe(line)), *(_describe_held(line.held) if held else ())
        )
        if line.expected:
            of, expected = (line.expected_of or line.lane, line.expected) if wide else ("", line.wanted)
            table.add_row("", *cells(of, _mark(expected)))
    if shown and (after := len(lines) - shown[-1]):
        add_note(lines[shown[-1] - 1].lane, f"… {count(after, 'row')} after")
    return Group(table, *(Text(note, "dim") for note in notes_on(lines, at_once=at_once)))


def notes_on(lines: Sequence[Line], *, at_once: bool) -> Iterator[str]:
    """Yield the notes below a story. ``at_once``: as for ``story``."""
    if at_once and has_sets(lines):
        yield AT_ONCE
    yield from _name_instants(lines)


def has_sets(lines: Sequence[Line]) -> bool:
    """Return True if the sets of the model are known after some line of the story."""
    return any(line.held for line in lines)


def _name_instants(lines: Sequence[Line]) -> Iterator[str]:
    """Yield a note for each instant in which several items were queued, if that may matter.

    It may if an item was added with a delay, if two of these items came in the wrong order, or if the
    last of these calls raises.
    """
    wrong = _find_end(lines)
    for instant in _find_instants(lines[: wrong + 1]):
        first, last = instant[0], instant[-1]
        items = {item for n in instant for item in _items(lines[n])}
        delays = any(lines[n].op in DELAYS for n in instant)
        raises = last == wrong and lines[wrong].outcome.startswith("raises ")
        if (delays and len(items) > 1) or raises or len(items & _items(lines[wrong])) > 1:
            steps = f"{first + 1} {'and' if last == first + 1 else 'to'} {last + 1}"
            yield f"Steps {steps} are in the same instant: the clock stands still between them."


def _find_instants(lines: Sequence[Line]) -> Sequence[Sequence[int]]:
    """Return the indices of the lines that may queue an item, by instant, if there are several in it."""
    instants: list[list[int]] = []
    for n, line in enumerate(lines):
        if may_queue(line.op):
            if line.still and instants:
                instants[-1].append(n)
            else:
                instants.append([n])
    return [instant for instant in instants if len(instant) > 1]


def _choose(lines: Sequence[Line], most: int) -> Sequence[int]:
    """Return the numbers of the lines to show: ``most`` of them, and all that the wrong line depends on.

    The wrong line is always shown; if none is marked, it is the last one, where the rule's check
    failed. It depends on the lines about the same items, and on a shutdown. Of more than ``LINES``,
    those that add or hand out an item are shown first, and the last ones. What room is left is for
    the time that passes between these, and for the lines next to the wrong one.
    """
    wrong = _find_end(lines)
    items = _find_items(lines, wrong)
    same = [n for n, line in enumerate(lines[: wrong + 1]) if line.op in SHUTS or items & _items(line)]
    needed = {wrong, *sorted(same, key=lambda n: (not _moves(lines[n]), -n))[:LINES]} if lines else set()
    folded = _fold(lines) - needed
    first = min(needed, default=0)

    def rank(n: int) -> tuple[bool, bool, bool, int]:
        passes = lines[n].lane == TIME and first < n < wrong
        return n not in needed, not passes, n > wrong, abs(wrong - n)

    ranked = sorted(set(range(len(lines))) - folded, key=rank)
    shown = {-1, *ranked[: max(most, len(needed))], len(lines)}
    # A note in place of a single line would need as much room as the line.
    shown |= {n for n in range(len(lines)) if {n - 1, n + 1} <= shown}
    return [n + 1 for n in sorted(shown - {-1, len(lines)})]


def _find_end(lines: Sequence[Line]) -> int:
    """Return the index of the wrong line; of the last one if none is marked."""
    wrong = find_wrong(lines)
    return len(lines) - 1 if wrong is None else wrong


def _moves(line: Line) -> bool:
    """Return True if the line adds an item, hands it out or shuts down; also if that is unknown."""
    return line.op not in OPS or line.op in SHUTS or OPS[line.op].adds or bool(OPS[line.op].hands_out)


def _find_items(lines: Sequence[Line], wrong: int) -> set[str]:
    """Return the items that a wrong line is about; if it names none, those that could be handed out then.

    These are the items that were added after they were last handed out, or else all.
    """
    if items := _items(lines[wrong]) if lines else set():
        return items
    owed, added = set[str](), set[str]()
    for line in lines[: wrong + 1]:
        op = OPS.get(line.op)
        if op and op.adds:
            owed |= _items(line)
            added |= _items(line)
        elif op and op.hands_out:
            owed -= _items(line)
    return owed or added


def _items(line: Line) -> set[str]:
    """Return the names of all items in a line, without quotes; a value is named as it is shown."""
    told = f"{line.did} {line.outcome} {line.expected}"
    named = {match[1] or match[2] or "" for match in _QUOTED.finditer(told)}
    value = set() if line.item is None else {line.item}
    if (op := OPS.get(line.op)) and op.hands_out and not named and line.outcome not in NO_ITEM:
        value.add(line.outcome)
    return named | value


def _name_left_out(lines: Sequence[Line], above: int, n: int) -> str:
    """Return the text on the lines between the numbers ``above`` and ``n``; empty if there are none."""
    if not (number := n - above - 1):
        return ""
    if not above:
        return f"… {count(number, 'row')} before"
    alike = {_gist(line) for line in lines[above - 1 : n]}
    return f"… {number:,} more like it" if len(alike) == 1 else f"… {count(number, 'row')}"


def count(number: int, what: str) -> str:
    """Return a number of things, as in ``1 row`` and ``2 rows``."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _fold(lines: Sequence[Line]) -> set[int]:
    """Return the indices of similar lines that need not be shown."""
    folded: set[int] = set()
    for _, run in groupby(range(len(lines)), key=lambda n: _gist(lines[n])):
        alike = list(run)
        if len(alike) >= ALIKE:
            folded.update(alike[2:-1])
    return folded


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
