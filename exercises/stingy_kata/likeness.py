"""What an attempt looks like: the declared mistake that breaks the same rules, or nearly the same."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from stingy.likeness import pick_nearest
from stingy_kata.grading import Grade
from stingy_kata.mistakes import Mistake

NEAR = 0.7
"""Of what either breaks, both must break so much. At half of it, one in five of the mistakes that nobody has declared went by the
name of one that somebody has; a learner is better told nothing than something else."""

ACCUSES_EVERYBODY = (
    "It looks as if your rule accused every candidate: the right ones, and the wrong ones for the same reason. "
    "What does it demand, in the line above, that a right one does not do?"
)
"""A rule that can never hold is no misconception of the field's."""


def describe(grade: Grade) -> str:
    """In a sentence or two; empty where it looks like nothing that is known."""
    mistake = likeness(grade)
    if mistake is not None:
        return mistake.says
    return ACCUSES_EVERYBODY if _accuses_everybody(grade) else ""


def likeness(grade: Grade, known: Sequence[Mistake] | None = None) -> Mistake | None:
    """The one mistake that breaks most alike; None where none is near or several are, or nothing has been tried yet.

    Of the mistakes of its exercise, unless others are ``known``.
    """
    broken = set(grade.broken)
    if grade.untouched or not broken:
        return None
    possible = _possible(grade, known or grade.exercise.mistakes)
    shares = ((_share(broken, set(mistake.breaks)), mistake) for mistake in possible)
    nearest, _ = pick_nearest(shares, near=NEAR, apart=0.0)
    return nearest[0] if len(nearest) == 1 else None


def _possible(grade: Grade, known: Sequence[Mistake]) -> Iterator[Mistake]:
    """Those for which the reason that is given may be given."""
    first = grade.first_broken
    because = first.because if first else ""
    for mistake in known:
        near = not _accuses_everybody(grade) or set(mistake.breaks) == set(grade.broken)
        if near and re.search(mistake.because, because):
            yield mistake


def _accuses_everybody(grade: Grade) -> bool:
    """Whether all that is right is accused, and all that is wrong."""
    right = {verdict.rule for verdict in grade.verdicts if verdict.rule.startswith("accepts/")}
    return bool(right) and not grade.untouched and set(grade.broken) == right


def _share(one: set[str], other: set[str]) -> float:
    """How much of what either breaks both do: 1.0 where it is the same."""
    return len(one & other) / len(one | other)
