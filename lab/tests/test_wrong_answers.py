"""No exercise passes what it teaches against: wrong answers to it, and the broken candidates of its guarantees.

``wrong_answers.toml`` lists the wrong answers, and what passes, with the reason. ``pytest -s`` prints the table. The exercises'
own mistakes are judged in ``test_exercises.py``.
"""

import tomllib
from collections import Counter
from contextlib import contextmanager
from itertools import product
from pathlib import Path

import pytest
from objections import Spared

from lab.kills import broken_in
from stingy.guarantees import all_rules
from stingy.judging.trial import Judge, Trial
from stingy.judging.verdict import Finding
from stingy.language.rule import Level
from stingy.reports.faults import record
from stingy_kata import SEED, SEED_BESIDES
from stingy_kata.exercise import exercises, find_exercise
from stingy_kata.grading import grade
from stingy_kata.importing import candidate
from stingy_kata.mistakes import Change, apply_changes
from stingy_kata.script import build
from stingy_kata.yardstick import keep_what_ours_keeps, keeps

TOLD = tomllib.loads((Path(__file__).parent / "wrong_answers.toml").read_text())
EXPLAINED = {f"{it['exercise']} {name}": it["why"] for it in TOLD["passing"] for name in it["candidates"]}
WRITTEN = [it.name for it in exercises() if it.card.kind != "catch"]


class Once(Spared):
    """Our solution of an exercise; it is judged once by each case."""

    def __init__(self, *given):
        super().__init__(*given)
        self._trial = Trial(self, SEED_BESIDES)
        self._verdicts = {}

    def judge(self, rule, row, *_):
        case = rule.id, row and row.name
        if case not in self._verdicts:
            self._verdicts[case] = self._trial.judge(rule, row)
        return self._verdicts[case]


@contextmanager
def ours(exercise):
    """Import our solution of the exercise; yield its judge."""
    with candidate(exercise.solution, Once) as found:
        yield Judge(found, SEED_BESIDES, goes_on=False)


@pytest.mark.parametrize(
    "answer", TOLD["answers"], ids=[f"{it['exercise']} {it['name']}" for it in TOLD["answers"]]
)
def test_a_wrong_answer_is_refused_unless_it_is_explained(answer):
    exercise, named = find_exercise(answer["exercise"]), answer.get("refused_by")
    changes = [Change(find, replace) for find, replace in answer["changes"]]
    script = build(exercise.folder / "answer.py", apply_changes(exercise.solution.text, changes))
    if named and is_refused_by(exercise, script, all_rules()[named]):
        return
    graded = grade(exercise, script)
    assert graded.unreadable == ""
    assert graded.kept == ("why" in answer)
    assert graded.kept, f'{named} does not refuse it: write refused_by = "{graded.first_broken.rule}"'


def is_refused_by(exercise, script, rule):
    with candidate(script, Spared) as found:
        broken = list(broken_by(exercise, found, rule))
    if not broken or not grades_by(exercise, rule):
        return False
    return rule in own_rules(exercise) or any(keep_what_ours_keeps(exercise, broken))


def broken_of(exercise, judge):
    """Return the broken candidates that an exercise teaches against.

    The rule that such a candidate breaks is of a guarantee of the exercise, which grades by it, and our solution keeps it:
    otherwise the exercise does not ask for it. ``judge`` judges our solution.
    """
    guarantees = {exercise.card.docs, *(rule.guarantee for rule in own_rules(exercise))}
    rules = ((it, all_rules()[it.about]) for it in broken_in("stingy_broken"))
    of_these = [
        (it, rule) for it, rule in rules if rule.guarantee in guarantees and grades_by(exercise, rule)
    ]
    return [it for it, rule in of_these if keeps_all_of(judge.candidate, rule)]


def keeps_all_of(solution, rule):
    return all(solution.judge(rule, row).verdict is Finding.PASS for row in rule.cases)


def grades_by(exercise, rule):
    """Return True if an answer is refused for this rule: it may differ from upstream in what is no MUST."""
    return rule.level is Level.MUST or rule.id in exercise.card.rules


def own_rules(exercise):
    return [all_rules()[id_] for id_ in exercise.card.rules if id_ in all_rules()]


def is_refused(exercise, judge, specimen):
    """Return True if the exercise refuses a broken candidate.

    Judged first by the rule that it breaks, in all orders, then by the others, in one order: those of the exercise, and
    those that caught it in the last snapshot. ``judge`` judges our solution.
    """
    fault = record().of(specimen.family, specimen.name)
    failed = fault.failures if fault else {}
    own = own_rules(exercise)
    ids = dict.fromkeys((specimen.about, *(rule.id for rule in own), *failed))
    found = Spared(specimen.target, SEED)
    try:
        for rule in (all_rules()[id_] for id_ in ids if id_ in all_rules()):
            if not grades_by(exercise, rule):
                continue
            found.share = None if rule.id == specimen.about else 0.0
            broken = broken_by(exercise, found, rule, failed.get(rule.id, ()))
            if any(rule in own or keeps(judge, verdict) for verdict in broken):
                return True
    finally:
        found.close()
    return False


def broken_by(exercise, found, rule, failed=()):
    """Yield the verdict of each case of a rule that a candidate breaks; the rows ``failed`` are judged first."""
    own = rule in own_rules(exercise)
    rows = sorted(rule.cases, key=lambda row: (row.name if row else "") not in failed)
    for row, seed in product(rows, (SEED, SEED_BESIDES) if own else (SEED_BESIDES,)):
        verdict = Trial(found, seed).judge(rule, row)
        if verdict.verdict in (Finding.FAIL, Finding.ERROR):
            yield verdict


@pytest.mark.budget(40)
@pytest.mark.parametrize("name", WRITTEN)
def test_a_broken_candidate_is_refused_unless_it_is_explained(name):
    exercise = find_exercise(name)
    with ours(exercise) as judge:
        every = broken_of(exercise, judge)
        passed = [it for it in every if not is_refused(exercise, judge, it)]
    print(f"\n| {name} | {len(exercise.mistakes)} | {len(every) - len(passed)} of {len(every)} |")
    print("".join(f"\n  {it.family}:{it.name} breaks {it.about}" for it in passed))
    told = {f"{name} {it.family}:{it.name}" for it in passed}
    assert sorted(told - set(EXPLAINED)) == [], "passes, and is not explained"
    assert sorted(it for it in EXPLAINED if it.startswith(f"{name} ") and it not in told) == [], (
        "is out of date"
    )


def test_no_explanation_is_given_twice():
    given = Counter(f"{it['exercise']} {name}" for it in TOLD["passing"] for name in it["candidates"])
    assert [it for it, times in given.items() if times > 1 or it.partition(" ")[0] not in WRITTEN] == []
