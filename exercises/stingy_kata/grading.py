"""How an attempt is graded: by the same rules and the same judge as every candidate, the same way each time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import msgspec

from stingy.guarantees import all_rules
from stingy.trial import Judge
from stingy.verdict import Exit, Finding, Verdict
from stingy_kata import SEED, SEED_BESIDES
from stingy_kata.catching import grade_rules
from stingy_kata.exercise import Exercise, find_exercise
from stingy_kata.importing import Controlled, Unreadable, candidate
from stingy_kata.naming import require_names
from stingy_kata.scheduling import grade_order
from stingy_kata.script import Script
from stingy_kata.waiting import GET_IS_WOKEN, grade_waiting
from stingy_kata.yardstick import find_broken, keep_what_ours_keeps


class Grade(msgspec.Struct, frozen=True):
    """What was found out about an attempt."""

    name: str
    """Of the exercise."""
    verdicts: tuple[Verdict, ...] = ()
    """One a rule: those of the exercise; before them those that these build on, and after them what ours keeps besides, where broken."""
    unreadable: str = ""
    """Where and why Python cannot import it, or it was given up; there are no verdicts then."""
    decided: bool = True
    """Whether what is unreadable was found out about the attempt, and not given up."""
    untouched: bool = False
    """Whether it is as it was given."""
    printed: str = ""
    """What it wrote to standard output meanwhile."""

    @property
    def exercise(self) -> Exercise:
        return find_exercise(self.name)

    def with_printed(self, said: str) -> Grade:
        return msgspec.structs.replace(self, printed=said)

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
    def exit(self) -> Exit:
        """What a pipeline is told."""
        if self.kept:
            return Exit.CONFORMS
        if any(verdict.fault for verdict in self.verdicts):
            return Exit.FAULT
        broken = self.first_broken
        decided = self.decided and (broken is None or broken.verdict is Finding.FAIL)
        return Exit.DOES_NOT if decided else Exit.INCONCLUSIVE

    @property
    def broken(self) -> tuple[str, ...]:
        """By these ids it can be told from other attempts."""
        return tuple(verdict.rule for verdict in self.verdicts if verdict.verdict is Finding.FAIL)


def _go_on() -> None:
    """Nobody waits for it."""


def grade(exercise: Exercise, attempt: Script, between: Callable[[], object] = _go_on) -> Grade:
    """Grade an attempt, in this process: what it does not come back from, nobody does.

    ``between`` two judgements somebody may want to say how far it is, or to clear away what is left.
    """
    untouched = attempt.data == exercise.start.data
    try:
        verdicts = tuple(GRADED_BY[exercise.card.kind](exercise, attempt, between))
    except Unreadable as why:
        return Grade(exercise.name, unreadable=str(why), untouched=untouched)
    return Grade(exercise.name, verdicts, untouched=untouched)


def _grade_code(exercise: Exercise, attempt: Script, between: Callable[[], object]) -> Iterator[Verdict]:
    kept, besides = True, list[Verdict]()
    with candidate(attempt) as found:
        require_names(exercise, attempt)
        judge = Judge(found, SEED, goes_on=False)
        for verdict in _grade_by_card(exercise, judge, found):
            kept &= verdict.verdict is Finding.PASS
            yield verdict
            between()
        if kept:
            besides = find_broken(Judge(found, SEED_BESIDES, goes_on=False), between)
    yield from keep_what_ours_keeps(exercise, besides)


def _grade_by_card(exercise: Exercise, judge: Judge, found: Controlled) -> Iterator[Verdict]:
    """By the rules of the exercise, and before them by what they build on."""
    rules = [id_ for id_ in exercise.card.rules if id_ in all_rules()]
    for id_ in ground(rules):
        verdict = _of_rule(judge, id_)
        if verdict.verdict in (Finding.FAIL, Finding.ERROR):
            yield verdict
        if verdict.verdict is Finding.ERROR:
            return
    for id_ in rules:
        yield (verdict := _of_rule(judge, id_))
        if verdict.verdict is Finding.ERROR:
            return  # what it does not come back from, it would not come back from again
    if GET_IS_WOKEN in exercise.card.rules:
        yield grade_waiting(found)


def _grade_order_and_code(
    exercise: Exercise, attempt: Script, between: Callable[[], object]
) -> Iterator[Verdict]:
    yield from grade_order(exercise, attempt)
    yield from _grade_code(exercise, attempt, between)


GRADED_BY = {"write": _grade_code, "catch": grade_rules, "order": _grade_order_and_code}


def _of_rule(judge: Judge, id_: str) -> Verdict:
    """The verdict on a rule; of a table, on the first row that is not kept."""
    verdicts = judge.verdicts(all_rules()[id_])
    return next((verdict for verdict in verdicts if verdict.verdict is not Finding.PASS), verdicts[0])


def ground(ids: Sequence[str]) -> list[str]:
    """What the rules build on, and is none of them, in reading order."""
    found: set[str] = set()
    ahead = [id_ for id_ in ids if id_ in all_rules()]
    while ahead:
        earlier = set(all_rules()[ahead.pop()].after) - found
        found |= earlier
        ahead += earlier
    return [id_ for id_ in all_rules() if id_ in found - set(ids)]
