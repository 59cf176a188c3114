"""``--limit`` holds for a rule with all attempts to judge it, and loses no failure that was found."""

from contextlib import contextmanager
from math import inf

import pytest

from stingy.guarantees import all_rules
from stingy.judging.trial import Judge, Trial, make_verdict
from stingy.judging.verdict import Evidence, Finding
from stingy.language.deadline import Deadline
from stingy.language.examples import try_examples
from stingy.language.session import CandidateError
from stingy.language.values import numbers
from stingy.transport import locate
from stingy.transport.shortcuts import Shortcuts

RULES = all_rules()
FIRST = RULES["handing_out/an-added-item-is-handed-out"]
NEXT = RULES["handing_out/get-takes-the-item-out"]
RACE = RULES["workers/two-producers-at-once-add-it-once"]


class Clock:
    """A clock that only a test moves on; each reading takes ``each`` seconds."""

    def __init__(self, each=0.0):
        self.now, self.each = 0.0, each

    def __call__(self):
        self.now += self.each
        return self.now


class Slow:
    """A fake candidate that judges itself: each attempt takes 2.5 s, and breaks the first rule."""

    share, kubernetes = None, ""

    def __init__(self, clock, limit):
        self.clock, self.limit = clock, limit
        self.attempts = []

    def judge(self, rule, row, *_):
        self.attempts.append((rule, self.limit))
        self.clock.now += min(2.5, self.limit)
        finding = Finding.FAIL if rule is FIRST else Finding.PASS
        return make_verdict(rule, row, finding, Evidence.DETERMINISTIC)


@pytest.mark.parametrize(
    ("limit", "attempts"), [(4, []), (6, [3]), (12, [6, 3.5]), (inf, [inf] * 5)], ids=str
)
def test_attempts_to_find_an_allowance_get_half_of_the_limit(limit, attempts):
    clock = Clock()
    slow = Slow(clock, limit)
    judge = Judge(slow, 1, clock=clock)
    judge.verdict(FIRST)
    began = clock.now
    assert judge.verdict(NEXT).verdict is Finding.PASS
    *again, (rule, left) = slow.attempts[1:]
    assert again == [(FIRST, seconds) for seconds in attempts]
    assert (rule, left) == (NEXT, limit - 2.5 * len(attempts))
    assert clock.now - began <= limit == slow.limit


class Doubtful:
    """A fake candidate of which every failure has to be seen without jumps of virtual time."""

    share, kubernetes = None, ""

    def __init__(self, limit):
        self.limit, self.shortcuts = limit, Shortcuts()


@pytest.fixture
def trial_within():
    """A function that returns a Trial with a limit; its attempts take 4 s each, and fail after a jump."""

    def trial_within(limit, second):
        clock = Clock()
        trial = Trial(Doubtful(limit), 1, clock=clock)

        def perform(rule, row, *_):
            clock.now += 4
            jumps = trial.candidate.shortcuts.jumped = trial.candidate.shortcuts.may_jump
            return make_verdict(rule, row, Finding.FAIL, because="seen") if jumps else second

        trial._perform = perform
        return trial

    return trial_within


def test_a_second_attempt_counts_if_the_limit_leaves_time_for_it(trial_within):
    second = make_verdict(FIRST, None, Finding.PASS)
    assert trial_within(8, second).judge(FIRST, None) == second


@pytest.mark.parametrize(
    ("limit", "second"),
    [(7, None), (9, make_verdict(FIRST, None, Finding.INCONCLUSIVE, because="slow", limit="--limit"))],
    ids=["no time for it", "it reaches the limit"],
)
def test_a_failure_without_time_for_a_second_attempt_is_inconclusive(trial_within, limit, second):
    verdict = trial_within(limit, second).judge(FIRST, None)
    assert (verdict.verdict, verdict.limit) == (Finding.INCONCLUSIVE, "--limit")
    assert verdict.because.startswith("seen; that counts only if a second attempt confirms it")


class Held(Doubtful):
    """A fake candidate that fails after 4 s, each time that it is held, and keeps what was left of the limit."""

    controlled = shrinks = True

    def __init__(self, limit, clock):
        super().__init__(limit)
        self.clock, self.left = clock, []

    def explorer(self, *_):
        return None

    @contextmanager
    def held(self, deadline):
        self.left.append(deadline.left)
        yield

    def open(self, *_):
        self.clock.now += 4
        self.shortcuts.jumped = self.shortcuts.may_jump
        raise CandidateError("seen")


def test_each_attempt_at_a_rule_has_what_the_others_have_left_of_its_limit():
    clock = Clock()
    candidate = Held(10, clock)
    trial = Trial(candidate, 1, clock=clock)
    for _ in range(2):
        assert trial.judge(FIRST, None).because == "seen"
    assert candidate.left == [10, 6] * 2


@pytest.mark.parametrize("each", [1000, 5, 1, 0.1, 0], ids="{} s a run".format)
def test_a_failure_of_a_race_keeps_its_own_story_if_it_is_not_made_shorter(each):
    candidate = locate("stingy_broken.atomicity:MakesALockPerItemTwice", 1)
    candidate.limit = 100
    verdict = Trial(candidate, 1, clock=Clock(each)).judge(RACE, None)
    assert (verdict.verdict, verdict.evidence) == (Finding.FAIL, Evidence.SAMPLED)
    again = Trial(candidate, 1).judge(RACE, None, verdict.order)
    assert again.verdict is Finding.FAIL
    assert [str(line) for line in again.story] == [str(line) for line in verdict.story]


def test_a_failure_is_made_shorter_for_a_quarter_of_the_time_that_is_left():
    lasts = Deadline(100, clock := Clock()).for_shorter()
    clock.now = 20
    assert lasts()
    clock.now = 39
    assert lasts()
    clock.now = 40
    assert not lasts()


def test_an_example_that_may_not_be_made_simpler_is_the_first_that_failed():
    tried = []

    def once(drawn):
        tried.append(drawn["it"])
        assert drawn["it"] < 100

    with pytest.raises(AssertionError):
        try_examples({"it": numbers(0, 1000)}, once, 1, exact=True, may_shorten=lambda: False)
    assert tried.count(tried[-1]) == 2
    assert [it for it in tried if it >= 100] == [tried[-1]] * 2
