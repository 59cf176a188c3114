"""How an attempt is graded: by the same rules and the same judge as every candidate, the same way each time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from stingy.guarantees import all_rules
from stingy.trial import Judge
from stingy.verdict import Finding, Verdict
from stingy_kata import SEED
from stingy_kata.catching import grade_rules
from stingy_kata.exercise import Exercise, find_exercise
from stingy_kata.importing import Unreadable, candidate
from stingy_kata.scheduling import grade_order
from stingy_kata.script import Script


class Grade(msgspec.Struct, frozen=True):
    """What was found out about an attempt."""

    name: str
    """Of the exercise."""
    verdicts: tuple[Verdict, ...] = ()
    """One a rule: those of the exercise, and before them those that these build on, where broken."""
    unreadable: str = ""
    """Where and why Python cannot import it, or it was given up; there are no verdicts then."""
    untouched: bool = False
    """Whether it is as it was given."""
    printed: str = ""
    """What it wrote to standard output meanwhile."""

    @property
    def exercise(self) -> Exercise:
        return find_exercise(self.name)

    @property
    def kept(self) -> bool:
        """Whether all is as it should be."""
        return not self.unreadable and all(verdict.verdict is Finding.PASS for verdict in self.verdicts)

    @property
    def first_broken(self) -> Verdict | None:
        """What to mend first. A blocked rule is never it: something it builds on is."""
        no_start = (Finding.PASS, Finding.BLOCKED)
        return next((verdict for verdict in self.verdicts if verdict.verdict not in no_start), None)

    @property
    def broken(self) -> tuple[str, ...]:
        """By these ids it can be told from other attempts."""
        return tuple(verdict.rule for verdict in self.verdicts if verdict.verdict is Finding.FAIL)


def grade(exercise: Exercise, attempt: Script) -> Grade:
    """Grade an attempt, in this process: what it does not come back from, nobody does."""
    untouched = attempt.data == exercise.start.data
    try:
        verdicts = tuple(GRADED_BY[exercise.card.kind](exercise, attempt))
    except Unreadable as why:
        return Grade(exercise.name, unreadable=str(why), untouched=untouched)
    return Grade(exercise.name, verdicts, untouched=untouched)


def _grade_code(exercise: Exercise, attempt: Script) -> Iterator[Verdict]:
    rules = [id_ for id_ in exercise.card.rules if id_ in all_rules()]
    with candidate(attempt) as found:
        judge = Judge(found, SEED, goes_on=False)
        for id_ in _ground(rules):
            verdict = _of_rule(judge, id_)
            if verdict.verdict in (Finding.FAIL, Finding.ERROR):
                yield verdict
            if verdict.verdict is Finding.ERROR:
                return
        for id_ in rules:
            yield (verdict := _of_rule(judge, id_))
            if verdict.verdict is Finding.ERROR:
                return  # what it does not come back from, it would not come back from again


def _grade_order_and_code(exercise: Exercise, attempt: Script) -> Iterator[Verdict]:
    yield from grade_order(exercise, attempt)
    yield from _grade_code(exercise, attempt)


GRADED_BY = {"write": _grade_code, "catch": grade_rules, "order": _grade_order_and_code}


def _of_rule(judge: Judge, id_: str) -> Verdict:
    """The verdict on a rule; of a table, on the first row that is not kept."""
    verdicts = judge.verdicts(all_rules()[id_])
    return next((verdict for verdict in verdicts if verdict.verdict is not Finding.PASS), verdicts[0])


def _ground(ids: Sequence[str]) -> list[str]:
    """What the rules build on, and is none of them, in reading order."""
    found: set[str] = set()
    ahead = list(ids)
    while ahead:
        earlier = set(all_rules()[ahead.pop()].after) - found
        found |= earlier
        ahead += earlier
    return [id_ for id_ in all_rules() if id_ in found - set(ids)]
