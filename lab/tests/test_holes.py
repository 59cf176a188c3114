"""Nothing slips through an exercise: each mutant of what a learner writes is refused, or nobody could tell it from our solution.

``survivors.toml`` lists those that are not refused, with the reason: none that anybody could tell from ours.
"""

import ast
import tomllib
from functools import cache
from pathlib import Path

import pytest
from mutants import mutants_of
from slips import slips_of

from stingy_kata.exercise import exercises, find_exercise
from stingy_kata.grading import grade
from stingy_kata.script import build

MADE_BY = ("tests/mutants.py", "tests/slips.py", "tests/survivors.toml")
SURVIVORS = tomllib.loads((Path(__file__).parent / "survivors.toml").read_text())
EXCUSED = {f"{group['exercise']} {name}" for group in SURVIVORS["equivalent"] for name in group["mutants"]}
WRITTEN = [it.name for it in exercises() if it.card.kind != "catch"]


def functions(text):
    """By name, as they are but for comments."""
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, ast.dump(node)
        elif isinstance(node, ast.ClassDef):
            yield from (
                (f"{node.name}.{it.name}", ast.dump(it))
                for it in node.body
                if isinstance(it, ast.FunctionDef)
            )


@cache
def mutants(name):
    """Of the functions that a learner writes, or goes on with."""
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


ALL = [f"{name} {what}" for name in WRITTEN for what in mutants(name)]


def is_kept(mutant):
    name, _, what = mutant.partition(" ")
    exercise = find_exercise(name)
    return grade(exercise, build(exercise.folder / "mutant.py", mutants(name)[what])).kept


@pytest.mark.parametrize("mutant", [it for it in ALL if it not in EXCUSED])
def test_a_mutant_of_a_solution_is_refused(mutant):
    assert not is_kept(mutant)


@pytest.mark.parametrize("mutant", sorted(EXCUSED))
def test_what_nobody_could_tell_from_ours_is_not_refused(mutant):
    assert is_kept(mutant)


def test_whatever_is_excused_is_still_made():
    assert set(ALL) >= EXCUSED


def test_there_are_as_many_mutants_as_there_were():
    assert len(ALL) >= 600
