"""Whatever the usual slips make of the reference's locking is found, unless nobody could tell it from the reference."""

import os
import sys

import pytest

from mutants import mutants
from stingy.guarantees import all_rules
from stingy.judge import Judge
from stingy.transport import locate
from stingy.verdict import Evidence, Finding
from stingy_reference import WorkQueue

SEED = 1
MUTANTS = mutants(WorkQueue)
NUMBERS = {name: number for number, name in enumerate(MUTANTS)}

EQUIVALENT = {}


def soonest(rule):
    """The tables of races first: most mutants fall there, and at little cost. The drawn programs last."""
    return bool(rule.for_all), rule.guarantee != "interleavings"


RULES = sorted((rule for rule in all_rules().values() if rule.profile.name in ("queue", "drain")), key=soonest)


@pytest.fixture
def found(tmp_path, monkeypatch):
    """Which rule finds a mutant first, if any does."""
    monkeypatch.syspath_prepend(tmp_path)

    def found(name):
        module = f"mutant_{NUMBERS[name]}"
        (tmp_path / f"{module}.py").write_text(MUTANTS[name])
        candidate = locate(f"{module}:WorkQueue", SEED)
        candidate.shrinks = False
        judge = Judge(candidate, SEED)
        try:
            return next((rule.id for rule in RULES for row in rule.cases if _broken(judge, rule, row)), None)
        finally:
            candidate.close()
            del sys.modules[module]

    return found


def _broken(judge, rule, row):
    verdict = judge.again(rule, row, "")
    return verdict.verdict is Finding.FAIL and verdict.evidence is not Evidence.TIMED


@pytest.mark.parametrize("name", [name for name in MUTANTS if name not in EQUIVALENT])
def test_a_mutant_is_found(name, found):
    assert found(name)


@pytest.mark.skipif(not os.environ.get("CI"), reason="takes half a minute: set CI=1 to have it judged here")
@pytest.mark.parametrize("name", EQUIVALENT)
def test_what_nobody_could_tell_from_the_reference_is_not_accused(name, found):
    assert found(name) is None


def test_whatever_is_excused_is_still_made():
    assert EQUIVALENT.keys() <= MUTANTS.keys()


def test_there_are_as_many_mutants_as_there_were():
    assert len(MUTANTS) >= 130
