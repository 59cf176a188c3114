"""What the orders of a race have shown to one rule is shown to another: the same verdict, and nothing is run for it."""

import pytest

from stingy.guarantees import all_rules
from stingy.transport.inprocess import InProcess
from stingy.trial import Trial
from stingy.verdict import Finding
from stingy_broken.queues import TrustsTheWakeUp
from stingy_reference import WorkQueue

RULES = all_rules()
FIRST = RULES["interleavings/work-is-done-in-every-order"]
"""Looks at more than the history: what was left in the queue."""
PURE = RULES["interleavings/nobody-is-sent-home-unasked"]
"""Looks at nothing else."""
PROGRAM = "two workers and an item that is added again"
"""One with few orders: 19 of the reference."""


class Counted:
    """A candidate of which it is known how many sessions there have been."""

    def __init__(self, thing):
        self.sessions = 0
        self.candidate = InProcess(thing, 1)
        self.trial = Trial(self.candidate, 1)
        self._open = self.candidate.open
        self.candidate.open = self.open

    def open(self, *args):
        self.sessions += 1
        return self._open(*args)

    def judge(self, rule, **asked):
        row = next(row for row in rule.cases if row.name == PROGRAM)
        before = self.sessions
        return self.trial.judge(rule, row, **asked), self.sessions - before


@pytest.fixture
def counted(request):
    def counted(thing):
        made = Counted(thing)
        request.addfinalizer(made.candidate.close)
        return made

    return counted


def test_what_another_rule_has_seen_is_not_run_again_and_the_verdict_is_the_same(counted):
    judged = counted(WorkQueue)
    judged.judge(FIRST)
    verdict, sessions = judged.judge(PURE)
    alone, sessions_alone = counted(WorkQueue).judge(PURE)
    assert sessions == 0
    assert sessions_alone >= alone.runs > 1
    assert verdict == alone


def test_a_rule_that_looks_at_more_than_the_history_is_run(counted):
    judged = counted(WorkQueue)
    judged.judge(PURE)
    verdict, sessions = judged.judge(FIRST)
    assert sessions == verdict.runs > 1


def test_a_rule_that_objects_is_told_from_a_run_of_its_own(counted):
    """What is remembered comes to no other verdict than "kept"."""
    judged = counted(TrustsTheWakeUp)
    alone, _ = counted(TrustsTheWakeUp).judge(PURE)
    judged.judge(FIRST)
    verdict, sessions = judged.judge(PURE)
    assert alone.verdict is Finding.FAIL
    assert sessions > 0
    assert (verdict.verdict, verdict.order, verdict.story) == (alone.verdict, alone.order, alone.story)


def test_what_broke_another_rule_is_not_remembered(counted):
    class Loses(WorkQueue):
        def done(self, item):
            self._dirty.discard(item)
            super().done(item)

    judged = counted(Loses)
    broken, _ = judged.judge(FIRST)
    _, sessions = judged.judge(PURE)
    assert broken.verdict is Finding.FAIL
    assert sessions > 0


def test_an_order_that_is_asked_for_by_its_token_is_run(counted):
    judged = counted(WorkQueue)
    judged.judge(FIRST)
    _, sessions = judged.judge(PURE, order="/lane-1,lane-2,lane-3")
    assert sessions == 1


def test_where_races_have_a_share_of_time_it_is_taken(counted):
    judged = counted(WorkQueue)
    judged.judge(FIRST)
    judged.candidate.share = 0.01
    _, sessions = judged.judge(PURE)
    assert sessions > 0
