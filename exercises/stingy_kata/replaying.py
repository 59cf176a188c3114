"""Replay the story of a learner's failure, step by step, with the sets of a correct queue."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from stingy.judging.verdict import Verdict
from stingy.language.account import Held, Line
from stingy.reports.story import story
from stingy_kata.marking import mark


def steps(broken: Verdict) -> Iterator[list[RenderableType]]:
    """Yield a screen for each step of a broken rule's story.

    It has the story so far, and a description of its last step.
    """
    told = mark(broken)
    for n, line in enumerate(told, 1):
        yield [Padding(story(told[:n]), (1, 0, 1, 1)), Text(f" {n}  {_describe(line)}", "bold")]


def whole(broken: Verdict) -> Iterator[RenderableType]:
    """Yield the whole story of a broken rule on one screen, with a description of each step."""
    told = mark(broken)
    yield Padding(story(told), (1, 0, 1, 1))
    for n, line in enumerate(told, 1):
        yield Text(f" {n:>3}  {_describe(line)}")


def _describe(line: Line) -> str:
    expected = f". Wrong: expected {line.wanted}" if line.expected else ""
    return f"{line}{_describe_held(line.held)}{expected}"


def _describe_held(held: Held | None) -> str:
    if held is None:
        return ""
    sets = (("queue", held.queue), ("dirty", held.dirty), ("processing", held.processing))
    there = [f"{name} {', '.join(items)}" for name, items in sets if items]
    return f". Now in {'; '.join(there)}" if there else ". Now all three sets are empty"
