"""Programs that stand in a table, each with a name."""

from __future__ import annotations

from dataclasses import dataclass

from stingy.language.rule import Row


@dataclass(frozen=True)
class Program(Row):
    """A row of a table of races: a program as ``Race.play`` takes it."""

    what_meets: str
    before: str
    at_once: str
