"""What a rate limiter says is taken as it is said."""

from stingy.guarantees import all_rules
from stingy.transport import locate
from stingy.trial import Judge
from stingy.verdict import Finding
from stingy_reference import ExponentialRateLimiter


class SaysNoNumber(ExponentialRateLimiter):
    def when(self, item):
        return float("nan")


class SaysNoNumberOfNothing(ExponentialRateLimiter):
    def __new__(cls, base_delay, max_delay):
        return object.__new__(cls) if base_delay else SaysNoNumber(base_delay, max_delay)


def last_verdict(candidate, rule_id):
    candidate = locate(f"{__name__}:{candidate.__name__}", 1)
    try:
        return list(Judge(candidate, 1).verdicts(all_rules()[rule_id]))[-1]
    finally:
        candidate.close()


def test_a_wait_that_is_no_number_is_accepted_where_64_bits_end():
    seen = last_verdict(SaysNoNumberOfNothing, "backoff/where-64-bits-end")
    assert (seen.verdict, seen.because) == (Finding.PASS, "seen: a wait is no number")


def test_a_wait_that_is_no_number_is_none_anywhere_else():
    seen = last_verdict(SaysNoNumber, "backoff/each-failure-doubles-the-wait")
    assert (seen.verdict, seen.because.split(";")[0]) == (Finding.FAIL, "When returned nan, not a time")
