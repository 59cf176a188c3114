"""Rules that build on a broken one are judged as well, and fail only for separate faults."""

import pytest
from msgspec.structs import replace

from stingy.guarantees import all_rules, with_what_they_build_on
from stingy.judging.trial import Judge
from stingy.judging.verdict import Exit, Finding, exit_code
from stingy.language import Level
from stingy_reference import ExponentialRateLimiter, WorkQueue

RULES = all_rules()
LATE = "delays/an-item-is-there-when-its-delay-is-over"
RACE = "deadlines/no-program-with-a-deadline-loses-an-item"
ABOUT_TIME = ("deadlines", "abandonment", "rate_limiting")
"""lab/tests/test_going_on.py has the others, and all races."""


class Deaf(WorkQueue):
    """Broken: its Add does nothing."""

    def add(self, item):
        pass


class WrongTwice(ExponentialRateLimiter):
    """Broken twice: one delay is too short if the maximum is 1 s, and delays after 64 failures are 0."""

    def __init__(self, base_delay, max_delay):
        super().__init__(base_delay, max_delay)
        self._cuts_short = max_delay == 1

    def when(self, item):
        wait, failures = super().when(item), self.num_requeues(item)
        if self._cuts_short and failures == 3:
            return wait / 2
        return 0.0 if failures > 64 else wait


pytestmark = pytest.mark.usefixtures("folder_of_candidates")


def test_a_late_candidate_fails_no_other_rule(judge_of):
    """A late candidate keeps most rules that build on the broken one, once lateness is allowed for."""
    judge = judge_of("late:Late")
    about_time = [it for it in RULES.values() if it.guarantee in ABOUT_TIME and not it.races]
    asked = [RULES[LATE], *about_time]
    found = [verdict for it in asked for verdict in judge.verdicts(it)]
    assert {verdict.rule for verdict in found if verdict.verdict is Finding.FAIL} == {LATE}
    behind = [verdict for verdict in found if verdict.behind]
    assert {verdict.behind for verdict in behind} == {LATE}
    assert Finding.BLOCKED not in {verdict.verdict for verdict in behind}
    kept = [verdict for verdict in behind if verdict.verdict is Finding.PASS and verdict.allowing]
    assert len(kept) > 25
    assert {str(verdict.allowing) for verdict in kept} == {"what is due comes up to 3 s late"}


def test_a_race_that_ends_too_soon_for_a_late_candidate_is_blocked(judge_of):
    (verdict,) = judge_of("late:Late").verdicts(RULES[RACE])
    assert (verdict.verdict, verdict.behind) == (Finding.BLOCKED, LATE)


def test_a_second_fault_of_a_late_candidate_is_found(judge_of):
    verdict = judge_of("late:LateAndForgetful").verdict(RULES["deadlines/the-earlier-deadline-wins"])
    assert (verdict.verdict, verdict.behind) == (Finding.FAIL, LATE)
    assert verdict.fails(strict=False)


def test_a_row_is_judged_if_the_same_row_of_an_earlier_rule_is_kept(judge_of):
    verdicts = judge_of(WrongTwice).verdicts(RULES["backoff/the-longest-wait-is-for-ever"])
    found = {verdict.case: verdict for verdict in verdicts}
    assert found["1 s up to 64 s"].verdict is Finding.FAIL
    assert found["1 s up to 64 s"].behind == "backoff/each-failure-doubles-the-wait"
    assert not found["1 s up to 64 s"].allowing
    assert found["1 ms up to 1 s"].verdict is Finding.BLOCKED


def test_a_failure_that_may_come_of_an_earlier_rule_is_blocked_and_says_what_was_seen(judge_of):
    judge = judge_of(Deaf)
    verdict = judge.verdict(RULES["fair/first-come-first-served"])
    assert verdict.verdict is Finding.BLOCKED
    assert verdict.because.startswith(
        "handing_out/an-added-item-is-handed-out is not kept, which may be why: "
    )
    assert verdict.story


def test_a_rule_that_raises_after_a_broken_one_is_blocked(judge_of):
    """The rule raises because the candidate keeps no times; this is no fault of the suite."""
    judge = judge_of("stingy_broken.trackers:KeepsNoTimes")
    verdict = judge.verdict(RULES["trigger_times/every-change-adds-its-time"])
    assert (verdict.verdict, verdict.fault) == (Finding.BLOCKED, False)
    assert verdict.behind == "trigger_times/a-trigger-time-is-handed-over"


def test_a_judge_may_stop_at_the_broken_rule(judge_of):
    candidate = judge_of(Deaf).candidate
    verdict = Judge(candidate, 1, goes_on=False).verdict(RULES["fair/first-come-first-served"])
    assert verdict.verdict is Finding.BLOCKED
    assert verdict.because == "handing_out/an-added-item-is-handed-out is not kept"
    assert not verdict.story


def test_a_blocked_rule_is_undecided_unless_the_broken_one_is_known(judge_of):
    judge = judge_of(Deaf)
    blocked = judge.verdict(RULES["fair/first-come-first-served"])
    kept = judge_of("stingy_reference").verdict(RULES["length/len-counts-what-is-queued"])
    assert exit_code([kept, blocked], strict=False) is Exit.INCONCLUSIVE
    broken = judge.verdict(RULES["handing_out/an-added-item-is-handed-out"])
    known = replace(broken, verdict=Finding.KNOWN_FAIL)
    assert exit_code([kept, blocked, known], strict=False) is Exit.CONFORMS


@pytest.mark.parametrize("level", [Level.SHOULD, Level.UNDEFINED])
def test_a_blocked_should_is_undecided_only_if_strict(judge_of, level):
    blocked = replace(judge_of(Deaf).verdict(RULES["fair/first-come-first-served"]), level=level)
    kept = judge_of("stingy_reference").verdict(RULES["length/len-counts-what-is-queued"])
    assert exit_code([kept, blocked], strict=False) is Exit.CONFORMS
    assert exit_code([kept, blocked], strict=True) is Exit.INCONCLUSIVE


def test_a_selection_brings_what_it_builds_on():
    chosen = with_what_they_build_on([RULES["fair/first-come-first-served"]])
    assert next(iter(chosen)) == "handing_out/an-added-item-is-handed-out"
    assert all(set(it.after) <= chosen.keys() for it in chosen.values())


def test_a_candidate_of_which_nothing_was_judged_is_not_said_to_be_wrong(judge_of):
    latency = next(rule for rule in RULES.values() if rule.profile.name == "proxy")
    not_offered = judge_of("stingy_reference:WorkQueue").verdict(latency)
    assert not_offered.verdict is Finding.NOT_OFFERED
    assert exit_code([not_offered], strict=False) is Exit.CANDIDATE_ERROR
