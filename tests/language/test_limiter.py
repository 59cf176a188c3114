"""A rate limiter that returns NaN."""

from stingy.guarantees import all_rules
from stingy.judging.verdict import Finding
from stingy_reference import ExponentialRateLimiter


class SaysNoNumber(ExponentialRateLimiter):
    def when(self, item):
        return float("nan")


class SaysNoNumberOfNothing(ExponentialRateLimiter):
    def __new__(cls, base_delay, max_delay):
        return object.__new__(cls) if base_delay else SaysNoNumber(base_delay, max_delay)


def last_verdict(judge, rule_id):
    return list(judge.verdicts(all_rules()[rule_id]))[-1]


def test_nan_is_accepted_where_64_bits_end(judge_of):
    seen = last_verdict(judge_of(SaysNoNumberOfNothing), "backoff/where-64-bits-end")
    assert (seen.verdict, seen.because) == (Finding.PASS, "seen: a wait is no number")


def test_nan_is_no_wait_anywhere_else(judge_of):
    seen = last_verdict(judge_of(SaysNoNumber), "backoff/each-failure-doubles-the-wait")
    assert (seen.verdict, seen.because.split(";")[0]) == (Finding.FAIL, "When returned nan, not a time")
