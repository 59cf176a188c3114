"""The timetable of a class, computed from the minutes of the exercises."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from typing import Literal

import msgspec

from stingy_kata.exercise import PACKAGE, find_exercise

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
    title: str
    parts: tuple[Part, ...]


class Slot(msgspec.Struct, frozen=True):
    begins: time
    minutes: int
    what: str


@cache
def plans() -> Mapping[str, Plan]:
    return msgspec.toml.decode(PLANS.read_bytes(), type=dict[str, Plan])


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
