"""A candidate whose only fault is lateness, judged by all rules about time, including races."""

import sys
from pathlib import Path

import pytest

from stingy.guarantees import all_rules
from stingy.judging.trial import Judge
from stingy.judging.verdict import Finding
from stingy.transport import locate

CANDIDATES = Path(__file__).parents[2] / "tests" / "candidates"
LATE = "delays/an-item-is-there-when-its-delay-is-over"
ABOUT_TIME = ("delays", "deadlines", "abandonment", "rate_limiting")


@pytest.fixture
def late(monkeypatch):
    monkeypatch.syspath_prepend(str(CANDIDATES))
    candidate = locate("late:Late", 1)
    yield candidate
    candidate.close()
    sys.modules.pop("late", None)


def test_a_candidate_that_is_only_late_fails_no_other_rule(late):
    judge = Judge(late, 1)
    asked = [it for it in all_rules().values() if it.guarantee in ABOUT_TIME]
    found = [verdict for it in asked for verdict in judge.verdicts(it)]
    assert {verdict.rule for verdict in found if verdict.verdict is Finding.FAIL} == {LATE}
    assert {verdict.behind for verdict in found if verdict.behind} == {LATE}
    blocked = {verdict.rule for verdict in found if verdict.verdict is Finding.BLOCKED}
    assert all(all_rules()[id_].races for id_ in blocked), "their end comes as soon as for anybody"
