"""The kill matrix: each broken candidate is caught at exactly what it says, and nothing sound is caught at all."""

from itertools import chain

import pytest

from stingy.guarantees import all_rules
from stingy.judge import Judge
from stingy.transport import locate
from stingy.verdict import Evidence, Finding
from stingy_broken import broken_candidates, coroutines, races
from stingy_reference import coroutine_variants, variants

SEED = 1
VARIANTS = (*variants.VARIANTS, *coroutine_variants.VARIANTS)
RACES = [cls for cls in broken_candidates() if cls.__module__ in (races.__name__, coroutines.__name__)]


def target(cls):
    return f"{cls.__module__}:{cls.__name__}"


def verdicts(where, seed=SEED, rules=None):
    judge = Judge(locate(where, seed), seed)
    return list(chain.from_iterable(judge.verdicts(all_rules()[rule]) for rule in rules or all_rules()))


def rules_with(finding, found):
    return {verdict.rule for verdict in found if verdict.verdict is finding}


@pytest.mark.parametrize("cls", list(broken_candidates()), ids=target)
def test_a_broken_candidate_is_caught_at_exactly_what_it_says(cls):
    found = verdicts(target(cls))
    assert rules_with(Finding.FAIL, found) == cls.caught_by
    assert not rules_with(Finding.ERROR, found)
    assert not rules_with(Finding.INCONCLUSIVE, found)
    assert Evidence.TIMED not in {verdict.evidence for verdict in found}


@pytest.mark.parametrize("seed", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("cls", RACES, ids=target)
def test_a_race_is_found_whatever_the_seed(cls, seed):
    assert rules_with(Finding.FAIL, verdicts(target(cls), seed, cls.caught_by))


def test_every_broken_candidate_says_what_catches_it():
    assert all(cls.caught_by for cls in broken_candidates())
    assert len(list(broken_candidates())) >= 24


@pytest.mark.parametrize("where", ["stingy_reference", *map(target, VARIANTS)])
@pytest.mark.parametrize("seed", [1, 2])
def test_what_is_sound_is_not_accused(where, seed):
    found = verdicts(where, seed)
    assert not rules_with(Finding.FAIL, found)
    assert not rules_with(Finding.ERROR, found)
    assert not rules_with(Finding.BLOCKED, found)
    assert Finding.PASS in {verdict.verdict for verdict in found}
