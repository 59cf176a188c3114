"""The page *The workshop in your browser*: each exercise with its task and its hints.

With a script, a reader can do the exercises in the page; without one, they can be read.
"""

from __future__ import annotations

import re
from pathlib import Path

from pages import Lines, play, tryout
from pages.words import fold
from stingy_kata.exercise import RUNGS, Exercise, exercises

HEAD = """---
hide:
  - toc
---

# The workshop in your browser

You write a work queue, exercise by exercise, and the rules of this site grade it: the same exercises, the same feedback
and the same hints as in [the workshop](workshop.md) that you run in a terminal. Nothing is installed, and nothing is sent
anywhere unless a trainer's link offers you a place on the class's board and you agree. It takes a script; without one, the exercises are here to be read. What you write is kept in this browser; *Export* gives you the folder that `stingy-kata` goes on with.
To begin with, you can [play the scheduler](play.md), with nothing to write.
"""

HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)


def page(docs: Path) -> Lines:
    yield HEAD
    if tryout.is_provided(docs):
        yield '<stingy-kata data-base="try/"></stingy-kata>\n'
    yield "## The exercises\n"
    yield from _tell_how_in_a_terminal()
    for exercise in exercises():
        yield from fold(
            "exercise", f"{exercise.number:02} {exercise.name}: {exercise.card.title}", _describe(exercise)
        )


def _tell_how_in_a_terminal() -> Lines:
    yield "In a terminal, `stingy-kata init` makes a folder of all of them, and `stingy-kata go NAME` goes to one.\n"


def _describe(exercise: Exercise) -> Lines:
    """Yield the task and the folded hints of an exercise, in Markdown."""
    yield f'<span id="{exercise.name}"></span>\n'
    yield f"{exercise.card.minutes} minutes, {exercise.card.difficulty}. [The rules](guarantees/{exercise.card.docs}.md)\n"
    yield from play.offer(exercise.name, "")
    title, _, task = exercise.task.partition("\n")
    yield _deep_in(task if title.startswith("# ") else exercise.task, "###").strip()
    yield ""
    for rung, text in zip(RUNGS, exercise.hints, strict=True):
        yield from fold("hint", f"Hint: {rung.lower()}", [_deep_in(text, "####")])


def _deep_in(text: str, level: str) -> str:
    """Return a Markdown text with all headings set to ``level``, such as ``###``.

    The headings are excluded from the site's search, because every exercise has the same ones.
    """
    return HEADING.sub(rf"{level} \1 {{ data-search-exclude }}", text)
