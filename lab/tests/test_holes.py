"""Every exercise refuses every mutant of the learner's code, except for equivalent mutants.

``survivors.toml`` lists these, with the reason.
"""

import ast
import tomllib
from functools import cache
from pathlib import Path

import pytest
from mutants import mutants_of
from objections import Search, Spared, cases_of, judge
from slips import slips_of

from stingy.guarantees import all_rules
from stingy.judging.verdict import Finding
from stingy.language import Level
from stingy_kata import SEED, SEED_BESIDES
from stingy_kata.exercise import exercises, find_exercise
from stingy_kata.grading import grade, ground
from stingy_kata.importing import candidate
from stingy_kata.script import build

SURVIVORS = tomllib.loads((Path(__file__).parent / "survivors.toml").read_text())
EXCUSED = {f"{group['exercise']} {name}" for group in SURVIVORS["equivalent"] for name in group["mutants"]}
WRITTEN = [it.name for it in exercises() if it.card.kind != "catch"]


def functions(text):
    """Yield the name of each function and method, and its code without comments."""
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, ast.dump(node)
        elif isinstance(node, ast.ClassDef):
            yield from (
                (f"{node.name}.{it.name}", ast.dump(it))
                for it in node.body
                if isinstance(it, ast.FunctionDef | ast.AsyncFunctionDef)
            )


@cache
def mutants(name):
    """Return the source of each mutant of the functions that a learner writes or changes, by its name."""
    exercise = find_exercise(name)
    text, given = exercise.solution.text, set(functions(exercise.start.text))
    written = {function for function, body in functions(text) if (function, body) not in given}
    found = {what.rstrip(): source for what, source in slips_of(text, written).items()}
    for cls in sorted({function.partition(".")[0] for function in written if "." in function}):
        methods = {it.partition(".")[2] for it in written if it.startswith(f"{cls}.")}
        for what, source in mutants_of(text, cls, methods).items():
            if source not in found.values():
                found[f"{cls}.{what}"] = source
    return found


BESIDES = [rule for rule in all_rules().values() if rule.level is Level.MUST]
"""Rules that grade an exercise in addition to its own, as far as our solution keeps them."""

RARELY_FOUND = {
    "delay DelayingQueue.add_after: without `return`": (
        "deadlines/delays-at-once-lose-nothing",
        "no delay, and a waiting worker",
    ),
}
"""Mutants that few rules find, each with a rule that does.

Trying this rule first saves 10 CPU-s. If it does not object, all rules are tried.
"""


class Refusal:
    """Search for a rule of an exercise that a mutant breaks.

    It tries the rules that grade an attempt: those of the exercise, the rules that they build on,
    and each MUST that our solution keeps.
    """

    def __init__(self, name):
        self.exercise = find_exercise(name)
        asked = [id_ for id_ in self.exercise.card.rules if id_ in all_rules()]
        own = cases_of([all_rules()[id_] for id_ in [*ground(asked), *asked]], SEED)
        besides = self._kept(cases_of(BESIDES, SEED_BESIDES))
        self._besides = set(besides)
        self._search = Search([*own, *besides], _is_broken)
        self._sure = set()

    def refuses(self, what, source):
        """Return True if a rule objects, or if the grade itself refuses the mutant."""
        script = self._script(source)
        likely = RARELY_FOUND.get(f"{self.exercise.name} {what}", ("", ""))
        while case := self._search.first_objection(script, likely):
            if case not in self._besides or self._ours_keeps(case):
                return True
            self._search.drop(case)
        return not grade(self.exercise, script).kept

    def objections_in_one_order(self, source):
        return [case.name for case in self._search.objections_in_one_order(self._script(source))]

    def _script(self, source):
        return build(self.exercise.folder / "mutant.py", source)

    def _kept(self, cases):
        """Return, by rule, the cases that our solution keeps, in one order of each race."""
        with candidate(self.exercise.solution, Spared) as found:
            broken = {case.rule.id for case in cases if judge(found, case, 0.0).verdict is not Finding.PASS}
        return [case for case in cases if case.rule.id not in broken]

    def _ours_keeps(self, case):
        """Return True if our solution keeps the case in every order."""
        if case not in self._sure:
            with candidate(self.exercise.solution, Spared) as found:
                if judge(found, case, None).verdict is not Finding.PASS:
                    return False
            self._sure.add(case)
        return True


def _is_broken(verdict):
    return verdict.verdict in (Finding.FAIL, Finding.ERROR)


@pytest.mark.budget(60)
@pytest.mark.parametrize("name", WRITTEN)
def test_an_exercise_refuses_every_mutant_that_can_be_told_from_our_solution(name):
    """The mutants that pass are judged with one order of each race: all orders would take 6 CPU-s a mutant.

    The panel of sound candidates searches for false refusals that need a rare order.
    """
    refusal, passed, refused = Refusal(name), [], {}
    for what, source in mutants(name).items():
        if f"{name} {what}" not in EXCUSED:
            passed += [] if refusal.refuses(what, source) else [what]
        elif objections := refusal.objections_in_one_order(source):
            refused[what] = objections
    assert passed == []
    assert refused == {}
    made = {f"{name} {what}" for what in mutants(name)}
    assert [it for it in [*EXCUSED, *RARELY_FOUND] if it.startswith(f"{name} ") and it not in made] == []
    assert len(made) > 10, "there are fewer mutants than there were"


def test_every_excused_mutant_is_of_an_exercise():
    assert [it for it in [*EXCUSED, *RARELY_FOUND] if it.partition(" ")[0] not in WRITTEN] == []
