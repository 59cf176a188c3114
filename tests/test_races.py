"""Faults that only an order of threads shows: each is found, the same way each time, and told in a few lines."""

import pytest

from stingy.guarantees import all_rules
from stingy.transport import locate
from stingy.trial import Judge
from stingy.verdict import Evidence, Finding
from stingy_broken import broken_candidates

MODULES = ("races", "wakeups", "atomicity", "locking", "closing", "devices", "coroutines")
FAULTS = {cls.__name__: cls for cls in broken_candidates() if cls.__module__.rpartition(".")[2] in MODULES}
STRONGEST = (
    "interleavings/some-order-of-the-calls-explains-every-answer",
    "interleavings/some-order-explains-a-drain",
)


def soonest(rule):
    """What takes one run comes first, then the races, of which those first that miss the least."""
    drawn = bool(rule.for_all)
    return rule.races or drawn, rule.id not in STRONGEST, rule.guarantee != "interleavings", not drawn


RULES = sorted(
    (rule for rule in all_rules().values() if rule.profile.name in ("queue", "drain", "cancel")), key=soonest
)


def first_failure(cls, seed):
    """What the rules object to first."""
    judge = fresh_judge(cls, seed)
    verdicts = (judge.again(rule, row, "") for rule in RULES for row in rule.cases)
    return next((verdict for verdict in verdicts if verdict.verdict is Finding.FAIL), None)


def fresh_judge(cls, seed):
    return Judge(locate(f"{cls.__module__}:{cls.__name__}", seed), seed)


def test_each_module_of_them_is_there():
    assert {cls.__module__.rpartition(".")[2] for cls in FAULTS.values()} == set(MODULES)


@pytest.mark.parametrize("seed", (1, pytest.param(2, marks=pytest.mark.nightly)))
@pytest.mark.parametrize("name", sorted(FAULTS))
def test_a_fault_is_told_the_same_way_each_time_and_broken_again_from_its_token(name, seed):
    """That it is found is recorded; here it is found by whatever rule objects first, and once more by that rule alone."""
    cls = FAULTS[name]
    found = first_failure(cls, seed)
    assert found is not None
    assert found.evidence in (Evidence.SAMPLED, Evidence.DETERMINISTIC)
    rule = all_rules()[found.rule]
    row = next((row for row in rule.each if row.name == found.case), None)
    judge = fresh_judge(cls, seed)
    told = judge.again(rule, row, "")
    assert (told.id, told.story, told.order) == (found.id, found.story, found.order)
    replayed = judge.again(rule, row, found.order)
    assert (replayed.verdict, replayed.because) == (Finding.FAIL, found.because)
