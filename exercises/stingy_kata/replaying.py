"""The learner's own failing schedule, a step at a time: who does what, and what a work queue holds after it."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from stingy.language.account import Held, Line
from stingy.reports.story import story
from stingy.verdict import Verdict
from stingy_kata.marking import mark


def steps(broken: Verdict) -> Iterator[list[RenderableType]]:
    """A screen for each step: the steps so far, and in words what has just happened."""
    told = mark(broken)
    for n, line in enumerate(told, 1):
        yield [Padding(story(told[:n]), (1, 0, 1, 1)), Text(f" {n}  {_describe(line)}", "bold")]


def whole(broken: Verdict) -> Iterator[RenderableType]:
    """All steps at once, each in words."""
    told = mark(broken)
    yield Padding(story(told), (1, 0, 1, 1))
    for n, line in enumerate(told, 1):
        yield Text(f" {n:>3}  {_describe(line)}")


def _describe(line: Line) -> str:
    expected = f". Wrong: expected {line.expected}" if line.expected else ""
    return f"{line}{_describe_held(line.held)}{expected}"


def _describe_held(held: Held | None) -> str:
    if held is None:
        return ""
    sets = (("queue", held.queue), ("dirty", held.dirty), ("processing", held.processing))
    there = [f"{name} {', '.join(items)}" for name, items in sets if items]
    return f". Now in {'; '.join(there)}" if there else ". Now all three sets are empty"
