"""Grade an attempt by the rules and the judge of the specification, always with the same seed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import msgspec
from msgspec.structs import force_setattr

from stingy.contract.testimony import in_lines
from stingy.guarantees import all_rules
from stingy.judging.trial import Judge
from stingy.judging.verdict import Exit, Finding, Verdict
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
    """Result of grading an attempt."""

    name: str
    """Name of the exercise."""
    verdicts: tuple[Verdict, ...] = ()
    """One verdict a rule, in this order:

    1. rules on which those of the exercise build, if broken;
    2. the rules of the exercise;
    3. once all of these pass, other rules that our solution keeps and the attempt breaks.
    """
    unreadable: str = ""
    """Why the attempt could not be graded, as a text to show after the file's name.

    Empty if it was graded. If it is not empty, there are no verdicts.
    """
    decided: bool = True
    """False if the grading reached its time limit, so that nothing is known about the attempt."""
    untouched: bool = False
    """True if the learner has not changed the file that the exercise hands out."""
    whole: bool = True
    """False while the grading goes on: these are the verdicts so far, and they are final."""
    printed: str = ""
    """Output of the attempt while it was graded, possibly cut off."""

    def __post_init__(self) -> None:
        """Make the texts safe to print: they are the learner's, and come from another process."""
        force_setattr(self, "unreadable", in_lines(self.unreadable))
        force_setattr(self, "printed", in_lines(self.printed))

    @property
    def exercise(self) -> Exercise:
        return find_exercise(self.name)

    def with_printed(self, said: str) -> Grade:
        return msgspec.structs.replace(self, printed=said)

    @property
    def kept(self) -> bool:
        """True if the attempt could be graded and every verdict is PASS."""
        return not self.unreadable and all(verdict.verdict is Finding.PASS for verdict in self.verdicts)

    @property
    def first_broken(self) -> Verdict | None:
        """The first verdict that is neither PASS nor BLOCKED; None if there is none.

        BLOCKED verdicts are skipped, because a rule on which they build must be repaired first.
        """
        no_start = (Finding.PASS, Finding.BLOCKED)
        return next((verdict for verdict in self.verdicts if verdict.verdict not in no_start), None)

    @property
    def exit(self) -> Exit:
        """Exit status of ``stingy-kata check``."""
        if self.kept:
            return Exit.CONFORMS
        if any(verdict.fault for verdict in self.verdicts):
            return Exit.FAULT
        broken = self.first_broken
        decided = self.decided and (broken is None or broken.verdict is Finding.FAIL)
        return Exit.DOES_NOT if decided else Exit.INCONCLUSIVE

    @property
    def broken(self) -> tuple[str, ...]:
        """Ids of all failed rules, by which the attempt is compared with known mistakes."""
        return tuple(verdict.rule for verdict in self.verdicts if verdict.verdict is Finding.FAIL)


Between = Callable[[Verdict | None], object]
"""Called after each judgement, to show progress or to clean up.

It gets a verdict of the grade, which is final, and None after any other judgement.
"""


def _go_on(_: Verdict | None) -> None:
    """Do nothing: the default for the parameter ``between`` of ``grade``."""


def grade(exercise: Exercise, attempt: Script, between: Between = _go_on, failed: str = "") -> Grade:
    """Grade an attempt in this process, which hangs or ends if the attempt's code does.

    ``failed`` is the id of the rule that the learner works on, because it failed last: ``between``
    gets the verdict on it first. The grade does not depend on it.
    """
    untouched, verdicts = attempt.data == exercise.start.data, list[Verdict]()
    try:
        for verdict in GRADED_BY[exercise.card.kind](exercise, attempt, between, failed):
            verdicts.append(verdict)
            between(verdict)
    except Unreadable as why:
        return Grade(exercise.name, unreadable=str(why), untouched=untouched)
    return Grade(exercise.name, tuple(verdicts), untouched=untouched)


def _grade_code(exercise: Exercise, attempt: Script, between: Between, failed: str) -> Iterator[Verdict]:
    kept, besides = True, list[Verdict]()
    with candidate(attempt) as found:
        require_names(exercise, attempt)
        judge = Judge(found, SEED, goes_on=False)
        if failed in exercise.card.rules and failed in all_rules():
            judge.knows(_glance(found, failed, between))
        for verdict in _grade_by_card(exercise, judge, found):
            kept &= verdict.verdict is Finding.PASS
            yield verdict
        if kept:
            besides = find_broken(Judge(found, SEED_BESIDES, goes_on=False), lambda: between(None))
    yield from keep_what_ours_keeps(exercise, besides)


def _glance(found: Controlled, id_: str, between: Between) -> Sequence[Verdict]:
    """Judge the attempt by one rule in advance, and pass on the verdict if it is PASS or FAIL.

    Return the verdicts on its rows if all are PASS: they are final. A failure is not shortened: that
    takes longer than to find it, and is done in its turn.
    """
    judge = Judge(found, SEED, goes_on=False)
    found.shrinks = False
    verdict = _of_rule(judge, id_)
    found.shrinks = True
    if verdict.verdict in (Finding.PASS, Finding.FAIL):
        between(verdict)
    return judge.verdicts(all_rules()[id_]) if verdict.verdict is Finding.PASS else ()


def _grade_by_card(exercise: Exercise, judge: Judge, found: Controlled) -> Iterator[Verdict]:
    """Judge the attempt ``found`` by the rules of the exercise, and yield a verdict for each.

    First come verdicts on the rules on which these build, but only FAIL and ERROR. Stops after the
    first ERROR.
    """
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
            return  # the attempt crashed or hung, and would again with the other rules
    if GET_IS_WOKEN in exercise.card.rules:
        yield grade_waiting(found)


def _grade_order_and_code(
    exercise: Exercise, attempt: Script, between: Between, failed: str
) -> Iterator[Verdict]:
    yield from grade_order(exercise, attempt)
    yield from _grade_code(exercise, attempt, between, failed)


def _grade_rules(exercise: Exercise, attempt: Script, between: Between, _: str) -> Iterator[Verdict]:
    yield from grade_rules(exercise, attempt, lambda: between(None))


GRADED_BY = {"write": _grade_code, "catch": _grade_rules, "order": _grade_order_and_code}


def _of_rule(judge: Judge, id_: str) -> Verdict:
    """Judge by a rule, and return one verdict.

    A rule with a table has a verdict for each row: return the first that is not PASS, or else the
    first of all.
    """
    verdicts = judge.verdicts(all_rules()[id_])
    return next((verdict for verdict in verdicts if verdict.verdict is not Finding.PASS), verdicts[0])


def ground(ids: Sequence[str]) -> list[str]:
    """Return the ids of the rules on which these rules build, directly or indirectly.

    They are in the order of the specification; the given rules are left out.
    """
    found: set[str] = set()
    ahead = [id_ for id_ in ids if id_ in all_rules()]
    while ahead:
        earlier = set(all_rules()[ahead.pop()].after) - found
        found |= earlier
        ahead += earlier
    return [id_ for id_ in all_rules() if id_ in found - set(ids)]
