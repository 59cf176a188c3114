"""Where a rule is broken, what builds on it is judged all the same, and blamed for nothing that may come of that."""

import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from stingy.guarantees import all_rules, with_what_they_build_on
from stingy.language import Level
from stingy.transport import locate
from stingy.trial import Judge
from stingy.verdict import Exit, Finding, exit_code

RULES = all_rules()
LATE = "delays/an-item-is-there-when-its-delay-is-over"
RACE = "deadlines/no-program-with-a-deadline-loses-an-item"
ABOUT_TIME = ("deadlines", "abandonment", "rate_limiting")
"""lab/tests/test_going_on.py has the others, and all races."""


@pytest.fixture
def judge_of(monkeypatch, request):
    monkeypatch.syspath_prepend(str(Path(__file__).parent / "candidates"))

    def judge_of(target):
        candidate = locate(target, 1)
        request.addfinalizer(candidate.close)
        return Judge(candidate, 1)

    yield judge_of
    for name in ("late", "wrong_twice", "deaf"):
        sys.modules.pop(name, None)


def test_a_candidate_that_is_only_late_fails_no_other_rule(judge_of):
    """Most rules about time that build on the broken one are kept once the lateness is allowed for."""
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


def test_a_race_that_looks_at_its_end_too_soon_for_a_late_candidate_is_blocked(judge_of):
    (verdict,) = judge_of("late:Late").verdicts(RULES[RACE])
    assert (verdict.verdict, verdict.behind) == (Finding.BLOCKED, LATE)


def test_a_second_fault_behind_a_lateness_comes_to_light(judge_of):
    verdict = judge_of("late:LateAndForgetful").verdict(RULES["deadlines/the-earlier-deadline-wins"])
    assert (verdict.verdict, verdict.behind) == (Finding.FAIL, LATE)
    assert verdict.fails(strict=False)


def test_a_row_that_is_kept_says_enough_for_the_same_row_of_a_rule_that_builds_on_it(judge_of):
    verdicts = judge_of("wrong_twice").verdicts(RULES["backoff/the-longest-wait-is-for-ever"])
    found = {verdict.case: verdict for verdict in verdicts}
    assert found["1 s up to 64 s"].verdict is Finding.FAIL
    assert found["1 s up to 64 s"].behind == "backoff/each-failure-doubles-the-wait"
    assert not found["1 s up to 64 s"].allowing
    assert found["1 ms up to 1 s"].verdict is Finding.BLOCKED


def test_what_cannot_be_told_from_what_it_builds_on_is_blocked_and_says_what_was_seen(judge_of):
    judge = judge_of("deaf:Deaf")
    verdict = judge.verdict(RULES["fair/first-come-first-served"])
    assert verdict.verdict is Finding.BLOCKED
    assert verdict.because.startswith(
        "handing_out/an-added-item-is-handed-out is not kept, which may be why: "
    )
    assert verdict.story


def test_a_rule_that_stumbles_over_what_it_builds_on_is_blocked(judge_of):
    """It takes for granted that there are times: who hands over none has one fault, and the suite none."""
    judge = judge_of("stingy_broken.trackers:KeepsNoTimes")
    verdict = judge.verdict(RULES["trigger_times/every-change-adds-its-time"])
    assert (verdict.verdict, verdict.fault) == (Finding.BLOCKED, False)
    assert verdict.behind == "trigger_times/a-trigger-time-is-handed-over"


def test_a_judge_that_does_not_go_on_asks_nothing_behind_what_is_broken(judge_of):
    candidate = judge_of("deaf:Deaf").candidate
    verdict = Judge(candidate, 1, goes_on=False).verdict(RULES["fair/first-come-first-served"])
    assert verdict.verdict is Finding.BLOCKED
    assert verdict.because == "handing_out/an-added-item-is-handed-out is not kept"
    assert not verdict.story


def test_what_is_blocked_is_undecided(judge_of):
    """Unless it is blocked by what is known to be broken."""
    judge = judge_of("deaf:Deaf")
    blocked = judge.verdict(RULES["fair/first-come-first-served"])
    kept = judge_of("stingy_reference").verdict(RULES["length/len-counts-what-is-queued"])
    assert exit_code([kept, blocked], strict=False) is Exit.INCONCLUSIVE
    broken = judge.verdict(RULES["handing_out/an-added-item-is-handed-out"])
    known = replace(broken, verdict=Finding.KNOWN_FAIL)
    assert exit_code([kept, blocked, known], strict=False) is Exit.CONFORMS


@pytest.mark.parametrize("level", [Level.SHOULD, Level.UNDEFINED])
def test_what_cannot_make_a_candidate_fail_leaves_nothing_undecided_where_it_is_blocked(judge_of, level):
    blocked = replace(judge_of("deaf:Deaf").verdict(RULES["fair/first-come-first-served"]), level=level)
    kept = judge_of("stingy_reference").verdict(RULES["length/len-counts-what-is-queued"])
    assert exit_code([kept, blocked], strict=False) is Exit.CONFORMS
    assert exit_code([kept, blocked], strict=True) is Exit.INCONCLUSIVE


def test_a_selection_brings_what_it_builds_on():
    chosen = with_what_they_build_on([RULES["fair/first-come-first-served"]])
    assert next(iter(chosen)) == "handing_out/an-added-item-is-handed-out"
    assert all(set(it.after) <= chosen.keys() for it in chosen.values())
