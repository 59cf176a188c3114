"""Many calls without a pause, which are one line of the story."""

from stingy.guarantees import all_rules
from stingy.judging.trial import Trial
from stingy.judging.verdict import Finding
from stingy_broken.controllers import HasRoomForAHundredKeys
from stingy_broken.limiters import LimitsItsDebt, RaisesBeyondAFloat


def judge(candidate, rule_id):
    rule = all_rules()[rule_id]
    verdict = Trial(candidate, 1).judge(rule, rule.cases[0])
    assert verdict.verdict is Finding.FAIL
    return verdict


def test_equal_delays_in_a_row_are_told_once(candidate_of):
    verdict = judge(candidate_of(LimitsItsDebt), "bucket/however-many-wait-each-has-a-place")
    assert str(verdict.story[1]).startswith(
        "caller: When('a'), 1,500 times without a pause → 0 s, 1 min, 2 min, …,"
    )


def test_a_call_that_raises_is_the_fault_that_is_named(candidate_of):
    verdict = judge(candidate_of(RaisesBeyondAFloat), "backoff/the-longest-wait-is-for-ever")
    assert verdict.because.startswith("When('a') raises OverflowError")


def test_many_keys_are_one_line_that_says_how_their_first_reconciles_end(candidate_of):
    verdict = judge(candidate_of(HasRoomForAHundredKeys), "controller/of-many-keys-none-is-lost")
    assert "source: Add(…) of 260 keys: the first reconcile of each fails" in map(str, verdict.story)
