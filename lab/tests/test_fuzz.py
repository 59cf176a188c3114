"""No answer of a driver is reported as a fault of the suite."""

import json
import shlex
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from machine import patience

from damage import mutated
from stingy.guarantees import all_rules
from stingy.judging.trial import Judge
from stingy.judging.verdict import Finding
from stingy.language.session import CandidateError
from stingy.transport import locate, wire

DRIVER = Path(__file__).parent / "drivers" / "ailing.py"
FIRST = all_rules()["handing_out/an-added-item-is-handed-out"]

ANSWERS = [
    {"id": 1, "ok": True, "val": {"protocol": 1, "ops": ["add", "get", "done"], "capabilities": {}}},
    {"id": 2, "ok": True, "val": {"now_ns": 1}},
    {"id": 3, "ok": True, "val": None},
    {"id": 4, "ok": True, "val": {"now_ns": 1}},
    {"id": 5, "ok": True, "val": {"item": "a", "shutdown": False}},
    {"id": 6, "ok": False, "error": {"kind": "unsupported", "text": "no"}},
]


@st.composite
def answers(draw):
    number = draw(st.integers(0, len(ANSWERS) - 1))
    return number, draw(mutated(ANSWERS[number]))


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_driver_may_answer_whatever_it_likes(monkeypatch):
    """The driver keeps the rule only by the right answer, and no answer is a fault of the suite."""
    monkeypatch.setattr(wire, "SILENCE", patience(0.1))

    @settings(max_examples=40, suppress_health_check=list(HealthCheck))
    @given(answers())
    def judge(answer):
        number, line = answer
        if b"\n" in line or b"\0" in line:
            return
        command = shlex.join(
            [sys.executable, "-IS", str(DRIVER), "AnswersOnceAsTold", str(number), repr(line)]
        )
        try:
            candidate = locate(f"cmd:{command}", 1)
        except CandidateError:
            return
        try:
            verdict = Judge(candidate, 1).verdict(FIRST)
        finally:
            candidate.close()
        assert not verdict.fault, verdict
        if not _is_an_answer(line):
            assert verdict.verdict is not Finding.FAIL

    judge()


def _is_an_answer(line):
    try:
        answer = json.loads(line)
    except ValueError:
        return False
    return isinstance(answer, dict) and isinstance(answer.get("id"), int)
