"""An exercise, as its folder describes it: the task, the rules, the hints and the scripts.

The folder contains the solution with its holes, and common mistakes as changes to it. The start and
the wrong attempts are built from these on demand.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Literal

import msgspec

from stingy_kata import building
from stingy_kata.mistakes import Mistake
from stingy_kata.script import Script

PACKAGE = Path(__file__).parent

ASKED = ("Ask before", "Answer", "Answer when it passes")
"""Items that the trainer's notes on every exercise have, for the answer sheet."""

RUNGS = ("Look", "Think", "Plan", "Code")
"""Names of the hints of every exercise, in order; each hint reveals more than the one before."""

Kind = Literal["write", "catch", "order"]
"""Kind of an exercise, which says what a learner writes.

- ``write``: code that keeps the rules.
- ``catch``: rules that catch broken candidates, and accuse no right one.
- ``order``: first an order of threads that breaks the start, then code that keeps the rules.
"""


class Card(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Contents of an exercise's file ``exercise.toml``."""

    title: str
    place: int
    """Place in the order of all exercises, which are numbered from the lowest to the highest."""
    minutes: int
    """Minutes to write the code."""
    review_minutes: int
    """Minutes to discuss the exercise with the class."""
    difficulty: Literal["warm-up", "core", "hard"]
    rules: tuple[str, ...]
    """Ids of the rules that grade the exercise, in the order in which a learner sees them."""
    fails_on_start: tuple[str, ...]
    """Ids of the rules that the start breaks; without rules that are BLOCKED on the start."""
    misconception: str
    docs: str
    """Name of the guarantee that the exercise teaches."""
    after: str
    """A question to the learner, shown once the exercise is solved."""
    needs: tuple[str, ...] = ()
    """Names of exercises that must come before this one."""
    kind: Kind = "write"
    promised: tuple[str, ...] = ()
    """For the kind ``catch``: guarantees that right candidates keep, and each wrong one breaks.

    If empty, it is the guarantee of ``docs``.
    """
    most_rules: int | None = None
    """Maximum number of rules that a learner may write; None: no limit."""


@dataclass(frozen=True)
class Exercise:
    name: str
    card: Card
    folder: Path

    @property
    def number(self) -> int:
        return [it.name for it in exercises()].index(self.name) + 1

    @property
    def label(self) -> str:
        """Number and name of the exercise, such as ``03_after_get``: its folder in a learner's workshop."""
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
        """All Python scripts of the exercise by name: ``start``, ``solution``, ``wrong/if_for_while`` …

        Raises Malformed if a script cannot be read or built.
        """
        return building.scripts(self.folder, self._wrong)

    @property
    def _wrong(self) -> str:
        # In a catch exercise, ``wrong`` is the prefix of the candidates that a rule must catch.
        return "mistakes" if self.card.kind == "catch" else "wrong"

    @cached_property
    def task(self) -> str:
        return (self.folder / "README.md").read_text(encoding="utf-8")

    @cached_property
    def notes(self) -> str:
        """Text for the trainer: what to say and what to ask about the exercise, in Markdown."""
        return (self.folder / "trainer.md").read_text(encoding="utf-8").strip()

    def note(self, about: str) -> str:
        """Return one item of ``notes``, such as ``Ask before``; an empty text if there is none."""
        found = re.search(rf"^- \*\*{about}\*\*: (.*?)(?=^- |\Z)", self.notes, re.MULTILINE | re.DOTALL)
        return " ".join(found[1].split()) if found else ""

    @cached_property
    def hints(self) -> Sequence[str]:
        """Texts of the exercise's hints, in the order of ``RUNGS``."""
        files = (self.folder / "hints" / f"{n}.md" for n, _ in enumerate(RUNGS, 1))
        return [file.read_text(encoding="utf-8").strip() for file in files]


@cache
def exercises() -> tuple[Exercise, ...]:
    """Return all exercises, in the order in which learners do them."""
    found = (load_exercise(card.parent.name) for card in PACKAGE.glob("*/exercise.toml"))
    return tuple(sorted(found, key=lambda it: (it.card.place, it.name)))


def find_exercise(name: str) -> Exercise:
    """Return the exercise of this name. Raises KeyError if there is none."""
    return {it.name: it for it in exercises()}[name]


def load_exercise(name: str, within: Path = PACKAGE) -> Exercise:
    folder = within / name
    return Exercise(name, building.decode(folder / "exercise.toml", Card), folder)
