"""The page *Play it*: scheduling puzzles in which the reader is the scheduler.

Below each puzzle are its code and an order that solves it, for readers without scripts.
"""

from __future__ import annotations

from pathlib import Path

from pages import Lines, Unsaid, tryout
from pages.figure import escape_html, figure
from pages.words import fold
from stingy_kata.driving import played
from stingy_kata.puzzle import Puzzle, puzzles

HEAD = """---
hide:
  - toc
---

# Play it: you are the scheduler

Threads are interrupted wherever it pleases the scheduler. Here that is you: say who goes next, and bring about the bad
state. It is the engine of `stingy` that plays, by a script in your browser; nothing is sent anywhere. A turn goes on until its lane
wants the lock once more, or waits, or has nothing left to do. An order that does it, step by step, stands below each puzzle.

Click a lane, or type its number; *Take back*, or the Backspace key, takes the last turn back. The sets are those of the code
itself. The story below them has those of a right queue beside it, and marks the step that breaks a promise.
"""


def page(docs: Path) -> Lines:
    yield HEAD
    if not tryout.is_provided(docs):
        yield "This copy of the site cannot be played on: it was made without Python for the browser. It shows an order of each.\n"
    for puzzle in puzzles():
        yield f"## {puzzle.title} {{ #{puzzle.name} }}\n"
        yield f"{puzzle.task} It belongs to the exercise `{puzzle.exercise}` of [the workshop](kata.md).\n"
        yield _board(puzzle, playable=tryout.is_provided(docs))
        yield from fold("answer", "One order that does it, step by step", _tell_one(puzzle))


def offer(exercise: str, up: str) -> Lines:
    """Yield Markdown links to the puzzles about an exercise; nothing if it has none.

    ``up`` is the relative path to the folder of the page *Play it*.
    """
    links = [f"[{it.title}]({up}play.md#{it.name})" for it in puzzles() if it.exercise == exercise]
    if links:
        yield f"Play it, with nothing to write: {'; '.join(links)}.\n"


def _board(puzzle: Puzzle, *, playable: bool) -> str:
    name = "stingy-play" if playable else "div"
    lanes = (f"<li>{lane}: <code>{program}</code></li>" for lane, program in puzzle.lanes.items())
    text = puzzle.script.text.splitlines()
    begins = next(n for n, line in enumerate(text) if line.startswith("class "))
    lines = (
        f'<span data-line="{n}">{escape_html(line)}\n</span>'
        for n, line in enumerate(text[begins:], begins + 1)
    )
    return (
        f'<div class="stingy-figure" data-search-exclude><{name} data-base="try/" data-puzzle="{puzzle.name}">\n'
        f"<ul>{''.join(lanes)}</ul>\n"
        f'<pre class="stingy-code" tabindex="0" role="region" aria-label="{puzzle.title}: the code">'
        f"{''.join(lines)}</pre>\n</{name}></div>\n"
    )


def _tell_one(puzzle: Puzzle) -> Lines:
    with played(puzzle) as drive:
        found = drive(puzzle.order)
    if not found.broken or found.order != puzzle.order:
        raise Unsaid(f"puzzles.toml: the order of {puzzle.name} does not do it: nothing is broken after it")
    yield f"The order: {', '.join(puzzle.order)}. {puzzle.moral}\n"
    yield figure(found.story, puzzle.title)
