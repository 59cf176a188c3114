"""Plans of a class, and the timetable of a plan, computed from the minutes of the exercises."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec

from stingy.process.reading import read_whole
from stingy_kata.exercise import PACKAGE, exercises, find_exercise

PLANS = PACKAGE / "plans.toml"


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One part of a class's plan: a talk, an exercise or a break."""

    kind: Literal["talk", "exercise", "break"]
    name: str = ""
    """Name of the exercise, if it is one."""
    title: str = ""
    minutes: int = 0
    """Length in minutes. 0 for an exercise: as long as its ``exercise.toml`` says."""
    review: bool = True
    """True if the minutes of an exercise include its review."""

    def lasts(self) -> timedelta:
        if self.kind != "exercise" or self.minutes:
            return timedelta(minutes=self.minutes)
        card = find_exercise(self.name).card
        return timedelta(minutes=card.minutes + (card.review_minutes if self.review else 0))

    def describe(self) -> str:
        if self.kind != "exercise":
            return self.title or self.kind
        exercise = find_exercise(self.name)
        review = " and its review" if self.review and exercise.card.review_minutes else ""
        return f"{exercise.number:02} {exercise.name}{review}" + (f": {self.title}" if self.title else "")


class Plan(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Plan of a class: its title, and its parts in their order."""

    title: str
    parts: tuple[Part, ...]

    @property
    def exercises(self) -> tuple[str, ...]:
        """Names of the plan's exercises, in their order."""
        return tuple(part.name for part in self.parts if part.kind == "exercise")


class Slot(msgspec.Struct, frozen=True):
    begins: time
    minutes: int
    what: str


@cache
def plans() -> Mapping[str, Plan]:
    return msgspec.toml.decode(PLANS.read_bytes(), type=dict[str, Plan])


def find_plan(name: str) -> Plan:
    """Return the packaged plan with this name, or the one in the TOML file of that name.

    Such a file has ``title`` and ``parts``, as a table of ``plans.toml``. Raises ValueError, with a
    message for the trainer, if there is no such plan or the file has none.
    """
    if name in plans():
        return plans()[name]
    if not name.endswith(".toml"):
        raise ValueError(
            f"there is no plan {name!r}: choose {', '.join(plans())}, or name a file that ends in .toml"
        )
    try:
        plan = msgspec.toml.decode(read_whole(Path(name)), type=Plan)
    except OSError as error:
        raise ValueError(f"{name} cannot be read: {error.strerror}") from None
    except msgspec.DecodeError as error:
        raise ValueError(f"{name} is no plan: {error}") from None
    known = {it.name for it in exercises()}
    if unknown := [it for it in plan.exercises if it not in known]:
        raise ValueError(
            f"{name} names exercises that do not exist: {', '.join(unknown)}; stingy-kata list shows all"
        )
    return plan


def timetable(plan: Plan, start: time) -> Iterator[Slot]:
    """Yield a slot of the timetable for each part of the plan, and a last one that marks the end.

    The last one takes 0 minutes.
    """
    now = datetime.combine(date(2000, 1, 1), start, UTC)
    for part in plan.parts:
        lasts = part.lasts()
        yield Slot(now.time(), round(lasts.total_seconds() / 60), part.describe())
        now += lasts
    yield Slot(now.time(), 0, "end")
