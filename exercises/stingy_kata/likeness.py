"""Find the known mistake that an attempt most resembles, by the rules that both break."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from stingy_kata.grading import Grade
from stingy_kata.mistakes import Mistake

NEAR = 0.7
"""Minimum similarity of an attempt and a mistake: rules broken by both / rules broken by either.

With a minimum of 0.5, one in five unknown mistakes was taken for a known one. No explanation is
better for a learner than a wrong one.
"""

ACCUSES_EVERYBODY = (
    "It looks as if your rule accused every candidate: the right ones, and the wrong ones for the same reason. "
    "What does it demand, in the line above, that a right one does not do?"
)
"""Feedback on a rule that fails for every candidate. No exercise declares this as a mistake."""


def describe(grade: Grade) -> str:
    """Return a sentence or two on the mistake that the attempt resembles; empty if it resembles none."""
    mistake = likeness(grade)
    if mistake is not None:
        return mistake.says
    return ACCUSES_EVERYBODY if _accuses_everybody(grade) else ""


def likeness(grade: Grade, known: Sequence[Mistake] | None = None) -> Mistake | None:
    """Return the known mistake that breaks most nearly the same rules as the graded attempt.

    Return None if no mistake is similar enough, if several are equally similar, or if the attempt
    is unchanged or breaks nothing. ``known`` defaults to the mistakes of the exercise.
    """
    broken = set(grade.broken)
    if grade.untouched or not broken:
        return None
    possible = _possible(grade, known or grade.exercise.mistakes)
    shares = [(_share(broken, set(mistake.breaks)), mistake) for mistake in possible]
    most = max((share for share, _ in shares), default=0.0)
    nearest = [mistake for share, mistake in shares if share == most]
    return nearest[0] if most >= NEAR and len(nearest) == 1 else None


def _possible(grade: Grade, known: Sequence[Mistake]) -> Iterator[Mistake]:
    """Yield the known mistakes that the attempt may contain.

    Their pattern ``because`` matches the reason given for the first broken rule. If the attempt
    accuses every candidate, they also break exactly the same rules.
    """
    first = grade.first_broken
    because = first.because if first else ""
    for mistake in known:
        near = not _accuses_everybody(grade) or set(mistake.breaks) == set(grade.broken)
        if near and re.search(mistake.because, because):
            yield mistake


def _accuses_everybody(grade: Grade) -> bool:
    """Return True if the learner's rules accuse every candidate, right or wrong."""
    right = {verdict.rule for verdict in grade.verdicts if verdict.rule.startswith("accepts/")}
    return bool(right) and not grade.untouched and set(grade.broken) == right


def _share(one: set[str], other: set[str]) -> float:
    """Return the part of two sets that is in both, from 0.0 to 1.0, which is for equal sets."""
    return len(one & other) / len(one | other)
