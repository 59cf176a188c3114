"""The kill matrix: each broken candidate is caught by the rule that it is about, and nothing sound is caught at all."""

import os
from random import Random

import pytest

from samples import some
from stingy import faults
from stingy.guarantees import all_rules
from stingy.kills import SEED, Task, broken_in, judge, judge_of, merged, tasks
from stingy.language import Level
from stingy.verdict import Finding
from stingy_reference import (
    controller_variants,
    coroutine_variants,
    delaying_variants,
    limiter_variants,
    metrics_variants,
    priority_variants,
    proxy_variants,
    tracker_variants,
    trigger_variants,
    variants,
)

MODULES = (
    *(variants, coroutine_variants, delaying_variants),
    *(limiter_variants, metrics_variants, controller_variants, priority_variants),
    *(trigger_variants, tracker_variants, proxy_variants),
)
QUICK = (variants.HandsOver,)
"""Whom everybody tries who runs the tests."""
OTHERS = [cls for module in MODULES for cls in module.VARIANTS if cls not in QUICK]
VARIANTS = [
    *QUICK,
    *(
        pytest.param(cls, marks=getattr(pytest.mark, "nightly" if n % 3 else "thorough"))
        for n, cls in enumerate(OTHERS)
    ),
]
BROKEN = broken_in("stingy_broken")
NIGHTLY = "STINGY_NIGHTLY" in os.environ
IN_EVERY_ORDER = {cls for module in MODULES[:2] for cls in module.VARIANTS[:: 1 if NIGHTLY else 2]} | {*QUICK}
"""Where a plain queue is made in another way, every race is run in as many orders as for anybody. Others have
nothing to do with that, and run the races in one order only."""


def target(cls):
    return f"{cls.__module__}:{cls.__name__}"


def verdicts(cls):
    judge = judge_of(target(cls), SEED)
    for rule in all_rules().values():
        judge.candidate.share = None if cls in IN_EVERY_ORDER else 0.0
        yield from judge.verdicts(rule)


def rules_with(finding, found):
    return {verdict.rule for verdict in found if verdict.verdict is finding}


def of_the_record(number):
    """So many of the broken candidates: others after each change of the record, and the same until then."""
    random = Random(faults.RECORD.read_bytes())
    return sorted(random.sample(BROKEN, number), key=BROKEN.index)


@pytest.mark.parametrize("broken", some(BROKEN, 20), ids=lambda it: it.target)
def test_a_broken_candidate_is_caught_by_the_rule_that_it_is_about(broken):
    assert broken.about in judge(Task(broken, (broken.about,), frozenset({broken.about})))


def test_who_catches_whom_is_recorded_as_the_code_is_now():
    """Otherwise: stingy dev kills --write, which judges what may have changed."""
    assert not tasks(BROKEN, faults.record(), list(all_rules()))
    assert faults.record() == merged(BROKEN, faults.record(), {})


@pytest.mark.thorough
@pytest.mark.parametrize("broken", BROKEN if NIGHTLY else of_the_record(12), ids=lambda it: it.target)
def test_who_catches_whom_is_recorded_truly(broken):
    """What the record says is not taken on trust: some are judged by every rule once more."""
    (recorded,) = (
        it for it in faults.record().faults if (it.family, it.name) == (broken.family, broken.name)
    )
    whole = {*all_rules()} if NIGHTLY else {broken.about, *recorded.failures}
    assert judge(Task(broken, tuple(all_rules()), frozenset(whole))).keys() == recorded.failures.keys()


# A pool of the standard library is collected while its threads are unwound, which nobody hears of but pytest.
@pytest.mark.filterwarnings(
    "ignore:Exception ignored in.*ThreadPoolExecutor:pytest.PytestUnraisableExceptionWarning"
)
@pytest.mark.parametrize("cls", VARIANTS, ids=target)
def test_what_is_sound_is_not_accused(cls):
    """It may do otherwise what a rule only says that it *should* do."""
    found = [verdict for verdict in verdicts(cls) if verdict.level is not Level.SHOULD]
    assert not rules_with(Finding.FAIL, found)
    assert not rules_with(Finding.ERROR, found)
    assert not rules_with(Finding.BLOCKED, found)
    assert Finding.PASS in {verdict.verdict for verdict in found}
