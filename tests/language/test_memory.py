"""Histories of a race are reused for other rules about the same program, with the same verdicts."""

import pytest

from stingy.guarantees import all_rules
from stingy.judging.trial import Trial
from stingy.judging.verdict import Finding
from stingy_broken.mixes import CountsTwiceWhatCameDueWhileHeld
from stingy_broken.queues import TrustsTheWakeUp
from stingy_reference import DelayingQueue, WorkQueue

RULES = all_rules()
FIRST = RULES["interleavings/work-is-done-in-every-order"]
"""Rule that looks at more than the history: the items left in the queue."""
PURE = RULES["interleavings/nobody-is-sent-home-unasked"]
"""Rule that looks at the history only."""
PROGRAM = "two workers and an item that is added again"
"""Program with few orders: 19 of the reference."""


class Counted:
    """A candidate with a trial that remembers its runs; counts the sessions that are opened."""

    def __init__(self, candidate):
        self.sessions, self.candidate = 0, candidate
        self.trial = Trial(candidate, 1)
        self._open = candidate.open
        candidate.open = self.open

    def open(self, *args):
        self.sessions += 1
        return self._open(*args)

    def judge(self, rule, **asked):
        """Return the verdict on the candidate by this rule, and the number of sessions opened for it."""
        row = next(row for row in rule.cases if row.name == PROGRAM)
        before = self.sessions
        return self.trial.judge(rule, row, **asked), self.sessions - before


@pytest.fixture
def counted(candidate_of):
    return lambda thing: Counted(candidate_of(thing))


def test_a_second_rule_about_the_same_runs_needs_no_session(counted):
    judged = counted(WorkQueue)
    judged.judge(FIRST)
    verdict, sessions = judged.judge(PURE)
    alone, sessions_alone = counted(WorkQueue).judge(PURE)
    assert sessions == 0
    assert sessions_alone >= alone.runs > 1
    assert verdict == alone


def test_a_rule_about_more_than_the_history_is_run(counted):
    judged = counted(WorkQueue)
    judged.judge(PURE)
    verdict, sessions = judged.judge(FIRST)
    assert sessions == verdict.runs > 1


def test_a_rule_that_fails_is_run_again(counted):
    """A PASS may be concluded from remembered runs; any other verdict needs new ones."""
    judged = counted(TrustsTheWakeUp)
    alone, _ = counted(TrustsTheWakeUp).judge(PURE)
    judged.judge(FIRST)
    verdict, sessions = judged.judge(PURE)
    assert alone.verdict is Finding.FAIL
    assert sessions > 0
    assert (verdict.verdict, verdict.order, verdict.story) == (alone.verdict, alone.order, alone.story)


def test_runs_that_broke_another_rule_are_not_remembered(counted):
    class Loses(WorkQueue):
        def done(self, item):
            self._dirty.discard(item)
            super().done(item)

    judged = counted(Loses)
    broken, _ = judged.judge(FIRST)
    _, sessions = judged.judge(PURE)
    assert broken.verdict is Finding.FAIL
    assert sessions > 0


def test_an_order_given_by_its_token_is_run(counted):
    judged = counted(WorkQueue)
    judged.judge(FIRST)
    _, sessions = judged.judge(PURE, order="/lane-1,lane-2,lane-3")
    assert sessions == 1


def test_a_race_with_a_share_of_time_is_run(counted):
    judged = counted(WorkQueue)
    judged.judge(FIRST)
    judged.candidate.share = 0.01
    _, sessions = judged.judge(PURE)
    assert sessions > 0


WALKS = (
    RULES["mixes/a-delaying-queue-loses-nothing"],
    RULES["mixes/a-delaying-queue-counts-what-is-queued"],
)


def walked(judged):
    """Return the verdicts on the candidate by two rules about the same walks, and the sessions opened for each."""
    sessions, verdicts = [], []
    for rule in WALKS:
        before = judged.sessions
        verdicts.append(judged.trial.judge(rule, None))
        sessions.append(judged.sessions - before)
    return verdicts, sessions


def test_walks_that_broke_no_promise_are_not_walked_again(counted):
    (first, second), (walks, again) = walked(counted(DelayingQueue))
    assert walks > first.runs > 1
    assert again <= 1
    assert (second.verdict, second.runs, second.story) == (Finding.PASS, first.runs, first.story)


def test_walks_that_broke_another_promise_are_walked_again(counted):
    (first, second), _ = walked(counted(CountsTwiceWhatCameDueWhileHeld))
    assert (first.verdict, second.verdict) == (Finding.PASS, Finding.FAIL)
