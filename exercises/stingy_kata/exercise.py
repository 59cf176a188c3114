"""An exercise, as it lies in its folder: the task, what it is graded by, the solution with its holes, and the mistakes.

The start and what is wrong are built of these where somebody asks for them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Literal

import msgspec

from stingy_kata import EXERCISES, building
from stingy_kata.mistakes import Mistake
from stingy_kata.script import Script

PACKAGE = Path(__file__).parent

RUNGS = ("Look", "Think", "Plan", "Code")
"""The hints of every exercise, each saying more than the one before."""

Kind = Literal["write", "catch", "order"]
"""``write``: code that keeps the rules. ``catch``: a rule that catches broken queues, and accuses no right one.
``order``: first an order of threads that breaks the code as given, then code that keeps the rules."""


class Card(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What ``exercise.toml`` says."""

    title: str
    minutes: int
    """To write it."""
    review_minutes: int
    """To talk about it with the class."""
    difficulty: Literal["warm-up", "core", "hard"]
    rules: tuple[str, ...]
    """What it is graded by, in the order in which a learner meets it."""
    fails_on_start: tuple[str, ...]
    """What of it is broken as given; what is blocked is not listed."""
    misconception: str
    docs: str
    """The guarantee that it is about."""
    after: str
    """A question for when it works."""
    needs: tuple[str, ...] = ()
    kind: Kind = "write"
    promised: tuple[str, ...] = ()
    """The guarantees that whatever is right keeps, and whatever is wrong breaks some rule of; if none, ``docs``."""
    most_rules: int | None = None
    """How many a learner may write."""


@dataclass(frozen=True)
class Exercise:
    name: str
    card: Card
    folder: Path

    @property
    def number(self) -> int:
        return EXERCISES.index(self.name) + 1

    @property
    def label(self) -> str:
        """How it is shown, and what its folder is called where a learner works: in order, and by name."""
        return f"{self.number:02}_{self.name}"

    @property
    def start(self) -> Script:
        return self.scripts["start"]

    @property
    def solution(self) -> Script:
        return self.scripts["solution"]

    @cached_property
    def mistakes(self) -> Sequence[Mistake]:
        return building.recipes(self.folder).mistakes

    def mistake(self, mistake: Mistake) -> Script:
        return self.scripts[f"{self._wrong}/{mistake.name}"]

    @cached_property
    def scripts(self) -> Mapping[str, Script]:
        """All that is Python, by what it is: ``start``, ``solution``, ``wrong/if_for_while``. Raises Malformed."""
        return building.scripts(self.folder, self._wrong)

    @property
    def _wrong(self) -> str:
        # Of a catch exercise the wrong ones are what is to be caught.
        return "mistakes" if self.card.kind == "catch" else "wrong"

    @cached_property
    def task(self) -> str:
        return (self.folder / "README.md").read_text(encoding="utf-8")

    @cached_property
    def hints(self) -> Sequence[str]:
        """A text for each rung."""
        files = (self.folder / "hints" / f"{n}.md" for n, _ in enumerate(RUNGS, 1))
        return [file.read_text(encoding="utf-8").strip() for file in files]


@cache
def exercises() -> tuple[Exercise, ...]:
    """All of them, in the order in which to do them."""
    return tuple(map(load_exercise, EXERCISES))


def find_exercise(name: str) -> Exercise:
    """KeyError if there is none."""
    return {it.name: it for it in exercises()}[name]


def load_exercise(name: str, within: Path = PACKAGE) -> Exercise:
    folder = within / name
    return Exercise(name, building.decode(folder / "exercise.toml", Card), folder)
