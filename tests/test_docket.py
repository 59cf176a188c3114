"""Dockets: the cases that a request asks for, and in which order several workers take them."""

from collections import Counter
from dataclasses import dataclass

import pytest

from stingy.judging.docket import Case, Docket, DocketError, judge_case
from stingy.judging.trial import Judge
from stingy.judging.verdict import Finding, Verdict
from stingy.judging.workers import Waiting
from stingy.request import Request


@dataclass
class NeverAsked:
    """A candidate that must not be judged."""

    kubernetes: str = ""
    share: float | None = None

    def judge(self, rule, row, *_):
        raise AssertionError(f"{Case(rule, row).id} is judged")


def docket(*rules, **request):
    return Docket(Request(rule=rules, seed=1, **request))


def kept(case):
    row = case.row.name if case.row else ""
    return Verdict(case.rule.id, row, case.rule.profile.name, case.rule.level, Finding.PASS)


def test_the_judge_gets_the_seconds_of_a_share_and_the_version_of_the_request():
    some = docket("workers/*", budget=60.0, kubernetes="1.30")
    candidate = NeverAsked(kubernetes="1.33")
    some.make_judge(candidate, processes=2)
    shares = sum(case.rule.shares for case in some.cases)
    assert (candidate.kubernetes, candidate.share) == ("1.30", 120 / shares)


def test_a_judge_takes_over_verdicts_of_another_and_judges_no_case_again():
    some = docket("once_more/*")
    judge = some.make_judge(NeverAsked())
    judge.knows([kept(case) for case in some.cases])
    assert [some.judge(judge, case) for case in some.cases] == [kept(case) for case in some.cases]


def test_a_worker_takes_first_what_builds_on_nothing_that_is_not_judged_yet():
    some = docket("once_more/*", "fair/*")
    waiting, judged = Waiting(some), set()
    for _ in some.cases:
        case = some.cases[waiting.take()]
        assert judged.issuperset(case.rule.after)
        waiting.is_judged(kept(case))
        left = Counter(case.rule.id for case in some.cases if case.id not in judged)
        judged |= {case.id} if left[case.rule.id] == 1 or not case.row else set()
    assert not waiting


def test_a_worker_takes_any_case_if_all_others_wait_for_one_that_is_being_judged():
    some = docket("once_more/*")
    waiting = Waiting(some)
    assert sorted(waiting.take() for _ in some.cases) == list(range(len(some.cases)))


def test_a_fault_of_the_suite_is_noted_with_the_case():
    case = docket("fair/first-come-first-served").cases[-1]

    def divides(case):
        raise ZeroDivisionError("ours")

    result = judge_case(case, divides)
    assert (result.verdict, result.fault) == (None, f"ZeroDivisionError: ours (while judging {case.id})")


def test_a_verdict_of_another_version_of_the_suite_cannot_be_replayed():
    strange = Verdict("fair/no-such-rule", "", "queue", docket("fair/*").cases[0].rule.level, Finding.FAIL)
    with pytest.raises(
        DocketError, match=r"old.json was written by another version of stingy.*fair/no-such-rule"
    ):
        Docket(Request(replay="old.json"), replayed=[strange])


def test_a_replay_judges_only_what_was_broken_and_in_the_same_order():
    case = docket("workers/two-producers-at-once-add-it-once").cases[-1]
    asked = []

    class Asked(Judge):
        def again(self, rule, row, order, *_):
            asked.append((rule.id, order))
            return kept(case)

    before = Verdict(case.rule.id, kept(case).case, "queue", case.rule.level, Finding.FAIL, order="/producer")
    some = Docket(Request(seed=1), replayed=[before])
    for one in some.cases:
        some.judge(Asked(NeverAsked(), 1), one)
    assert asked == [(case.rule.id, "/producer")]
