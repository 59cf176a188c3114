"""An exercise, as it lies in its folder: the task, what it is graded by, the start, the solution and the mistakes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Literal

import msgspec

from stingy_kata import EXERCISES

PACKAGE = Path(__file__).parent

RUNGS = ("Look", "Think", "Plan", "Code")
"""The hints of every exercise, each saying more than the one before."""

Kind = Literal["write", "catch", "order"]
"""``write``: code that keeps the rules. ``catch``: a rule that catches broken queues, and accuses no right one.
``order``: first an order of threads that breaks the code as given, then code that keeps the rules."""


class Mistake(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A whole attempt that goes wrong in a way in which people do."""

    name: str
    says: str
    """The misconception, to whom it looks as if had it."""
    breaks: tuple[str, ...]


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
    mistakes: tuple[Mistake, ...] = ()


class Malformed(Exception):  # noqa: N818 - the fault is the author's
    """An exercise's folder lacks something, or its card cannot be read; the message says what."""


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
    def start(self) -> Path:
        return self.folder / "start.py"

    @property
    def solution(self) -> Path:
        return self.folder / "solution.py"

    def mistake(self, mistake: Mistake) -> Path:
        # Of a catch exercise the wrong queues are what is to be caught.
        return self.folder / ("mistakes" if self.card.kind == "catch" else "wrong") / f"{mistake.name}.py"

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
    return tuple(map(loaded, EXERCISES))


def named(name: str) -> Exercise:
    """KeyError if there is none."""
    return {it.name: it for it in exercises()}[name]


def loaded(name: str) -> Exercise:
    folder = PACKAGE / name
    try:
        card = msgspec.toml.decode((folder / "exercise.toml").read_bytes(), type=Card)
    except (OSError, msgspec.DecodeError) as error:
        raise Malformed(f"{folder / 'exercise.toml'} cannot be read: {error}") from None
    return Exercise(name, card, folder)
