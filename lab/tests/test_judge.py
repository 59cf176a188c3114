"""Verdicts on candidates that the engine cannot control.

They use real threads, wait in the kernel, or loop without a scheduling point.
"""

import sys
from pathlib import Path

import pytest

from stingy.guarantees import all_rules
from stingy.judging.trial import Judge
from stingy.judging.verdict import Evidence, Finding
from stingy.transport import locate
from stingy.transport.inprocess import InProcess
from stingy_reference import WorkQueue

CANDIDATES = Path(__file__).parents[2] / "tests" / "candidates"
RULES = all_rules()
FIRST = RULES["handing_out/an-added-item-is-handed-out"]
WAITS = RULES["handing_out/get-waits-while-nothing-is-queued"]
FAIR = RULES["fair/first-come-first-served"]
RACE = RULES["stingy/no-item-is-with-two-workers"]


@pytest.fixture
def judge_of(request, monkeypatch):
    """Return a judge of a class, or of a target in the folder of candidates."""
    monkeypatch.syspath_prepend(str(CANDIDATES))

    def judge_of(thing):
        candidate = locate(thing, 1) if isinstance(thing, str) else InProcess(thing, 1)
        request.addfinalizer(candidate.close)
        return Judge(candidate, 1)

    yield judge_of
    for name in ("uncontrolled", "broken_uncontrolled"):
        sys.modules.pop(name, None)


def test_a_loop_that_cannot_be_followed_is_not_held_against_it_where_a_call_need_not_be_borne(judge_of):
    class CannotBearIt(WorkQueue):
        def done(self, item):
            self._stray = item not in self._processing
            super().done(item)

        def get(self):
            while self._stray:
                pass
            return super().get()

        _stray = False

    verdict = judge_of(CannotBearIt).verdict(RULES["handing_out/done-of-an-item-nobody-holds"])
    assert verdict.verdict is Finding.PASS
    assert verdict.because.startswith("seen: ")


def test_a_queue_that_waits_in_the_kernel_passes(judge_of):
    judge = judge_of("uncontrolled:WaitsOnAPipe")
    for id_ in (
        "handing_out/a-finished-item-stays-away",
        "once_more/added-while-processed-comes-back-after-done",
        RACE.id,
    ):
        verdict = judge.verdict(RULES[id_])
        assert (verdict.verdict, verdict.evidence) == (Finding.PASS, Evidence.TIMED), verdict


def test_a_candidate_that_was_slow_once_is_looked_at_again(judge_of):
    verdict = judge_of("uncontrolled:DawdlesOnce").verdict(FAIR)
    assert (verdict.verdict, verdict.evidence) == (Finding.PASS, Evidence.TIMED), verdict.because


def test_a_broken_queue_that_waits_in_the_kernel_fails(judge_of):
    judge = judge_of("broken_uncontrolled:ForgetsOnAPipe")
    verdict = judge.verdict(RULES["once_more/added-while-processed-comes-back-after-done"])
    assert (verdict.verdict, verdict.evidence) == (Finding.FAIL, Evidence.TIMED)
