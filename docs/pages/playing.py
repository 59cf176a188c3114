"""Run rules while a page is written, against the reference and against broken candidates."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from pages import Unsaid
from stingy.judging.trial import Judge
from stingy.judging.verdict import Finding, Verdict
from stingy.language.account import Line, account
from stingy.language.rule import Row, Rule
from stingy.language.story import Story
from stingy.transport import Candidate, locate

REFERENCE = "stingy_reference"
WITH_COROUTINES = "stingy_reference.coroutines:AsyncWorkQueue"
"""The reference for rules that cancel a Get, which is impossible with threads."""
SEED = 1


def play(rule: Rule, case: str = "") -> Sequence[Line]:
    """Run a rule against the reference, and return the story. Raises Unsaid if the reference breaks it.

    If the rule runs several times, it is the first story, with the simplest example or order.
    """
    reference = _candidate(WITH_COROUTINES if rule.profile.cancels else REFERENCE)
    stories: list[Story] = []
    done = rule.perform(
        reference.open,
        row_of(rule, case),
        SEED,
        stories.append,
        reference.explorer(rule.profile, SEED),
    )
    if done.broken is not None:
        raise Unsaid(f"{rule.id} is to be watched, and the reference does not keep it: {done.broken}")
    return account(stories[0].steps)


def find_failure(rule: Rule, broken: type) -> Verdict | None:
    """Return the first FAIL of a broken candidate in the cases of a rule; None if it fails none."""
    judge = Judge(_candidate(f"{broken.__module__}:{broken.__name__}"), SEED)
    verdicts = (judge.again(rule, row, "") for row in rule.cases)
    return next((verdict for verdict in verdicts if verdict.verdict is Finding.FAIL), None)


def row_of(rule: Rule, case: str) -> Row | None:
    """Return the row of the rule's table that has the name ``case``; the first one if it is empty.

    Raises Unsaid if the table has no such row.
    """
    if not case:
        return rule.cases[0]
    for row in rule.each:
        if row.name == case:
            return row
    raise Unsaid(
        f"{rule.id} has no row {case!r}; it has: {', '.join(row.name for row in rule.each) or 'no table'}"
    )


@cache
def _candidate(target: str) -> Candidate:
    return locate(target, SEED)
