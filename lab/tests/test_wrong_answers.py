"""No exercise passes what it teaches against: wrong answers to it, and the broken candidates of its guarantees.

``wrong_answers.toml`` lists the wrong answers, and what passes, with the reason. ``pytest -s`` prints the table. The exercises'
own mistakes are judged in ``test_exercises.py``.
"""

import tomllib
from collections import Counter
from itertools import product
from pathlib import Path

import pytest
from objections import Spared

from lab.kills import broken_in
from stingy.guarantees import all_rules
from stingy.judging.trial import Trial
from stingy.judging.verdict import Finding
from stingy.language.rule import Level
from stingy.reports.faults import record
from stingy_kata import SEED, SEED_BESIDES
from stingy_kata.exercise import exercises, find_exercise
from stingy_kata.grading import grade
from stingy_kata.importing import candidate
from stingy_kata.mistakes import Change, apply_changes
from stingy_kata.script import build
from stingy_kata.yardstick import keep_what_ours_keeps

TOLD = tomllib.loads((Path(__file__).parent / "wrong_answers.toml").read_text())
ANSWERS = [(it["exercise"], name, it.get("why", "")) for it in TOLD["answers"] for name in it["changes"]]
CHANGES = {(it["exercise"], name): pairs for it in TOLD["answers"] for name, pairs in it["changes"].items()}
EXPLAINED = {f"{it['exercise']} {name}": it["why"] for it in TOLD["passing"] for name in it["candidates"]}
WRITTEN = [it.name for it in exercises() if it.card.kind != "catch"]


@pytest.mark.budget(30)
@pytest.mark.parametrize(("name", "answer", "why"), ANSWERS, ids=[f"{it[0]} {it[1]}" for it in ANSWERS])
def test_a_wrong_answer_is_refused_unless_it_is_explained(name, answer, why):
    exercise = find_exercise(name)
    changes = [Change(find, replace) for find, replace in CHANGES[name, answer]]
    found = grade(
        exercise, build(exercise.folder / "answer.py", apply_changes(exercise.solution.text, changes))
    )
    assert found.unreadable == ""
    assert found.kept == bool(why)


def broken_of(exercise):
    """Return the broken candidates that an exercise teaches against.

    The rule that such a candidate breaks is of a guarantee of the exercise, and our solution keeps it: otherwise the exercise
    does not ask for it.
    """
    guarantees = {exercise.card.docs, *(rule.guarantee for rule in own_rules(exercise))}
    asked, found = set(), []
    with candidate(exercise.solution, Spared) as ours:
        for it in broken_in("stingy_broken"):
            rule = all_rules()[it.about]
            if rule.guarantee in guarantees and (it.about in asked or _keeps(ours, rule)):
                asked.add(it.about)
                found.append(it)
    return found


def _keeps(ours, rule):
    trial = Trial(ours, SEED)
    return all(trial.judge(rule, row).verdict is Finding.PASS for row in rule.cases)


def own_rules(exercise):
    return [all_rules()[id_] for id_ in exercise.card.rules if id_ in all_rules()]


def is_refused(exercise, specimen):
    """Return True if the exercise refuses a broken candidate.

    Judged first by the rule that it breaks, in all orders, then by the others, in one order: those of the exercise, and
    those that caught it in the last snapshot.
    """
    fault = record().of(specimen.family, specimen.name)
    failed = fault.failures if fault else {}
    own, about = own_rules(exercise), all_rules()[specimen.about]
    ids = dict.fromkeys((about.id, *(rule.id for rule in own), *failed))
    found = Spared(specimen.target, SEED)
    try:
        for rule in (all_rules()[id_] for id_ in ids if id_ in all_rules()):
            if rule not in own and rule.level is not Level.MUST:
                continue
            found.share = None if rule is about else 0.0
            rows = sorted(
                rule.cases, key=lambda row: (row.name if row else "") not in failed.get(rule.id, {})
            )
            for row, seed in product(rows, (SEED, SEED_BESIDES) if rule in own else (SEED_BESIDES,)):
                verdict = Trial(found, seed).judge(rule, row)
                if verdict.verdict in (Finding.FAIL, Finding.ERROR) and (
                    rule in own or list(keep_what_ours_keeps(exercise, [verdict]))
                ):
                    return True
    finally:
        found.close()
    return False


@pytest.mark.budget(40)
@pytest.mark.parametrize("name", WRITTEN)
def test_a_broken_candidate_is_refused_unless_it_is_explained(name):
    exercise = find_exercise(name)
    every = broken_of(exercise)
    passed = [it for it in every if not is_refused(exercise, it)]
    print(f"\n| {name} | {len(exercise.mistakes)} | {len(every) - len(passed)} of {len(every)} |")
    print("".join(f"\n  {it.family}:{it.name} breaks {it.about}" for it in passed))
    # An answer may differ from upstream in what is no MUST, and what its task does not ask for.
    held = [
        it for it in passed if all_rules()[it.about].level is Level.MUST or it.about in exercise.card.rules
    ]
    told = {f"{name} {it.family}:{it.name}" for it in held}
    assert sorted(told - set(EXPLAINED)) == [], "passes, and is not explained"
    assert sorted(it for it in EXPLAINED if it.startswith(f"{name} ") and it not in told) == [], (
        "is out of date"
    )


def test_no_explanation_is_given_twice():
    given = Counter(f"{it['exercise']} {name}" for it in TOLD["passing"] for name in it["candidates"])
    assert [it for it, times in given.items() if times > 1 or it.partition(" ")[0] not in WRITTEN] == []
