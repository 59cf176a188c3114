"""A call has the same result in this process and over a driver."""

import shlex
import sys
from pathlib import Path

import pytest

from stingy.contract import PROFILES
from stingy.contract.ops import OPTIONAL
from stingy.guarantees import all_rules
from stingy.judging.trial import Trial
from stingy.judging.verdict import Finding
from stingy.transport import locate
from stingy.transport.protocol import CALLS

DRIVERS = Path(__file__).parent.parent / "drivers"
TOLD = {op for profile in PROFILES.values() for op in profile.tells}
"""Ops for drivers only; in this process the suite observes the results itself."""

ASKED = {
    "add": "handing_out/an-added-item-is-handed-out",
    "get": "handing_out/an-added-item-is-handed-out",
    "done": "handing_out/a-finished-item-stays-away",
    "len": "length/len-counts-what-is-queued",
    "shut_down": "shutdown/get-reports-the-shutdown",
    "shutting_down": "shutdown/shutting-down-says-so",
    "shut_down_with_drain": "drain/it-returns-at-once-when-there-is-nothing-to-do",
    "add_after": "delays/an-item-is-there-when-its-delay-is-over",
    "add_rate_limited": "rate_limiting/a-failed-item-comes-when-its-limiter-says",
    "forget": "rate_limiting/forget-resets-the-count",
    "num_requeues": "rate_limiting/numrequeues-begins-at-zero",
    "when": "backoff/each-failure-doubles-the-wait",
    "start": "controller/a-key-that-is-added-is-reconciled",
    "stop": "stopping/idle-workers-go-home",
    "add_with_opts": "priority/an-item-comes-with-its-priority",
    "add_all_with_opts": "readiness/items-of-one-call-each-wait-for-themselves",
    "get_with_priority": "priority/an-item-comes-with-its-priority",
    "compute": "triggers/a-new-service-was-triggered-by-its-creation",
    "delete": "triggers/a-deleted-service-is-forgotten",
    "format": "codec/what-was-written-is-read-again",
    "parse": "codec/what-was-written-is-read-again",
    "update": "checkout/a-checkout-covers-every-service",
    "remove": "latency/a-removal-is-not-measured",
    "checkout": "checkout/a-checkout-covers-every-service",
    "services_synced": "latency/an-idle-sync-observes-nothing",
    "slices_synced": "latency/an-idle-sync-observes-nothing",
    "sync": "latency/an-idle-sync-observes-nothing",
    "metric": "latency/the-metric-is-a-histogram-of-seconds",
}
RACED = {
    "add": "workers/two-producers-at-once-add-it-once",
    "get": "interleavings/some-order-of-the-calls-explains-every-answer",
    "done": "once_more/no-add-is-lost",
    "shut_down": "abandonment/a-shutdown-at-once-with-an-addafter-reaches-everybody",
    "add_after": "deadlines/delays-at-once-lose-nothing",
    "when": "backoff/failures-at-once-are-all-counted",
    "update": "checkout/every-time-is-handed-over-once",
    "checkout": "checkout/every-time-is-handed-over-once",
}


@pytest.fixture(scope="module")
def here():
    sys.path.insert(0, str(DRIVERS))
    candidate = locate("raising", 1)
    yield candidate
    candidate.close()
    sys.path.remove(str(DRIVERS))


@pytest.fixture(scope="module")
def there():
    candidate = locate("cmd:" + shlex.join([sys.executable, str(DRIVERS / "raising.py")]), 1)
    yield candidate
    candidate.close()


def test_every_call_is_asked_for():
    assert ASKED.keys() | TOLD | OPTIONAL == {call.__struct_config__.tag for call in CALLS}


@pytest.mark.parametrize(
    ("op", "asked_by"), [*ASKED.items(), *RACED.items()], ids=[*ASKED, *(f"{op} in a race" for op in RACED)]
)
def test_a_call_that_raises_is_told_as_what_it_raised(op, asked_by, here, there, monkeypatch):
    """The error is not taken for an answer of the wrong form."""
    monkeypatch.setenv("RAISE_AT", op)
    there._wire.ask("raise_at", at=op)
    rule = all_rules()[asked_by]
    seen, told = (Trial(candidate, 1).judge(rule, rule.cases[0]) for candidate in (here, there))
    assert (seen.verdict, told.verdict) == (Finding.FAIL, Finding.FAIL), (seen, told)
    if not rule.races:
        assert "raises LookupError: not today" in told.because
        assert (told.because, told.story) == (seen.because, seen.story)


@pytest.mark.parametrize(
    ("op", "asked_by"),
    [
        ("hook_calls", "hooks/add-pushes-and-get-pops"),
        ("kept", "memory/what-is-done-is-not-kept"),
        ("running", "ending/nothing-runs-on-after-a-shutdown"),
        ("metrics", "metrics/adds-counts-what-is-news"),
        ("reconciles", "controller/a-key-that-is-added-is-reconciled"),
        ("finish", "controller/a-success-is-the-end-of-it"),
    ],
)
def test_a_driver_that_cannot_tell_what_it_has_to_is_an_error_that_says_why(op, asked_by, there):
    there._wire.ask("raise_at", at=op)
    rule = all_rules()[asked_by]
    verdict = Trial(there, 1).judge(rule, rule.cases[0])
    assert verdict.verdict is Finding.ERROR
    assert "not today" in verdict.because
