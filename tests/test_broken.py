"""The kill matrix: each broken candidate is caught at exactly what it says, and nothing sound is caught at all."""

import os
from itertools import chain
from pathlib import Path

import pytest

import stingy_broken
from samples import by_day
from stingy.guarantees import all_rules
from stingy.judge import Judge
from stingy.language import Level
from stingy.transport import locate
from stingy.verdict import Evidence, Finding
from stingy_broken import broken_candidates
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

SEED = 1
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
BROKEN = list(broken_candidates())
NIGHTLY = "STINGY_NIGHTLY" in os.environ
"""Whether everybody is run in as many orders where nothing is to be found. It takes half an hour."""
IN_EVERY_ORDER = {cls for module in MODULES[:2] for cls in module.VARIANTS[:: 1 if NIGHTLY else 2]} | {*QUICK}
"""Where a plain queue is made in another way, every race is run in as many orders as for anybody. Others have
nothing to do with that, and run the races in one order only."""


def target(cls):
    return f"{cls.__module__}:{cls.__name__}"


def judge_of(cls, seed=SEED):
    """A judge that does not stop to make a failing order short."""
    candidate = locate(target(cls), seed)
    candidate.shrinks = False
    return Judge(candidate, seed, goes_on=False)


def verdicts(judge, cls):
    return list(chain.from_iterable(_verdicts(judge, cls, rule) for rule in all_rules().values()))


def _verdicts(judge, cls, rule):
    judge.candidate.share = None if _in_every_order(cls, rule) else 0.0
    return judge.verdicts(rule)


def _in_every_order(cls, rule):
    if hasattr(cls, "caught_by"):
        return NIGHTLY or rule.id in cls.caught_by
    return cls in IN_EVERY_ORDER


def rules_with(finding, found):
    return {verdict.rule for verdict in found if verdict.verdict is finding}


def soonest(rule):
    """What takes one run comes first, then the tables of races; what is drawn comes last."""
    return bool(rule.for_all), rule.races, rule.id


@pytest.mark.skipif("CI" in os.environ, reason="the gate holds each against every rule")
@pytest.mark.parametrize("cls", BROKEN[::20], ids=target)
def test_a_broken_candidate_is_caught(cls):
    judge = judge_of(cls)
    rule = min(map(all_rules().get, cls.caught_by), key=soonest)
    assert any(judge.again(rule, row, "").verdict is Finding.FAIL for row in rule.cases), rule.id


@pytest.mark.thorough
@pytest.mark.parametrize("n", by_day(list(range(len(BROKEN))), 3), ids=lambda n: target(BROKEN[n]))
def test_a_broken_candidate_is_caught_exactly_where_it_says(n):
    """By day all but every sixteenth are asked the rules that they name, and a few of those that are neither drawn nor raced."""
    cls = BROKEN[n]
    spared = not NIGHTLY and n % 16
    asked = [
        it
        for at, it in enumerate(all_rules().values())
        if it.id in cls.caught_by or not (spared and (it.races or it.for_all or (at + n) % 12))
    ]
    judge = judge_of(cls)
    found = [verdict for rule in asked for verdict in _verdicts(judge, cls, rule)]
    assert rules_with(Finding.FAIL, found) == cls.caught_by
    assert not rules_with(Finding.ERROR, found)
    assert not rules_with(Finding.INCONCLUSIVE, found)
    assert Evidence.TIMED not in {verdict.evidence for verdict in found}


def test_every_broken_candidate_says_what_catches_it():
    assert [cls for cls in BROKEN if not cls.caught_by] == []


def test_no_module_of_broken_candidates_is_left_out():
    """But for what they are made of."""
    folder = Path(stingy_broken.__file__).parent
    written = {file.stem for file in folder.glob("*.py") if "@caught_by(" in file.read_text()}
    assert {cls.__module__.rpartition(".")[2] for cls in BROKEN} == written


# A pool of the standard library is collected while its threads are unwound, which nobody hears of but pytest.
@pytest.mark.filterwarnings(
    "ignore:Exception ignored in.*ThreadPoolExecutor:pytest.PytestUnraisableExceptionWarning"
)
@pytest.mark.parametrize("cls", VARIANTS, ids=target)
def test_what_is_sound_is_not_accused(cls):
    """It may do otherwise what a rule only says that it *should* do."""
    found = [verdict for verdict in verdicts(judge_of(cls), cls) if verdict.level is not Level.SHOULD]
    assert not rules_with(Finding.FAIL, found)
    assert not rules_with(Finding.ERROR, found)
    assert not rules_with(Finding.BLOCKED, found)
    assert Finding.PASS in {verdict.verdict for verdict in found}
