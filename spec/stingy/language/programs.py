"""Named programs for tables of races."""

from __future__ import annotations

from dataclasses import dataclass

from stingy.language.rule import Row


@dataclass(frozen=True)
class Program(Row):
    """A row of a table of races: the two texts that ``Race.play`` takes."""

    what_meets: str
    before: str
    at_once: str
