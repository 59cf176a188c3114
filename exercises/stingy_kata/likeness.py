"""What an attempt looks like: the declared mistake that breaks the same rules, or nearly the same."""

from __future__ import annotations

from stingy.likeness import pick_nearest
from stingy_kata.grading import Grade
from stingy_kata.mistakes import Mistake


def likeness(grade: Grade) -> Mistake | None:
    """The one mistake that breaks most alike; None where none is near or several are, or nothing has been tried yet."""
    broken = set(grade.broken)
    if grade.untouched or not broken:
        return None
    shares = [(_share(broken, set(mistake.breaks)), mistake) for mistake in grade.exercise.mistakes]
    nearest, _ = pick_nearest(shares)
    return nearest[0] if len(nearest) == 1 else None


def _share(one: set[str], other: set[str]) -> float:
    """How much of what either breaks both do: 1.0 where it is the same."""
    return len(one & other) / len(one | other)
