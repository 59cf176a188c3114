"""Likeness: the known fault that fails, and answers, exactly as the candidate does."""

import pytest

from stingy.judging.verdict import Evidence, Finding, Verdict
from stingy.language import Level
from stingy.language.account import Line
from stingy.reports.faults import Fault, failures
from stingy.reports.likeness import find_fault

ANSWER = (Line("worker", "Get()", "'a'"),)
OTHER_ANSWER = (Line("worker", "Get()", "waits"),)


def failed(rule, story=ANSWER, evidence=Evidence.DETERMINISTIC):
    return Verdict(rule, "", "queue", Level.MUST, Finding.FAIL, evidence, because="so", story=story)


def kept(rule):
    return Verdict(rule, "", "queue", Level.MUST, Finding.PASS)


def fault(name, *verdicts):
    return Fault(name, f"{name} it does.", "family", failures(verdicts))


def named(verdicts, *faults):
    found = find_fault([it for it in verdicts if it.verdict is Finding.FAIL], verdicts, faults)
    return found and found.name


ONE = fault("One", failed("a/1"))
BOTH = fault("Both", failed("a/1"), failed("a/2"))


def test_a_fault_with_the_same_failures_and_answers_is_named():
    assert named([failed("a/1"), kept("a/2")], ONE, BOTH) == "One"
    assert named([failed("a/1"), failed("a/2")], ONE, BOTH) == "Both"


def test_a_fault_that_breaks_what_the_candidate_keeps_is_not_named():
    assert named([failed("a/1"), kept("a/2")], BOTH) is None


def test_a_fault_may_break_what_could_not_be_judged():
    assert named([failed("a/1")], BOTH) == "Both"


def test_a_fault_that_keeps_what_the_candidate_breaks_is_not_named():
    assert named([failed("a/1"), failed("a/2")], ONE) is None


def test_a_fault_that_answers_otherwise_is_not_named():
    assert named([failed("a/1", OTHER_ANSWER)], ONE) is None


@pytest.mark.parametrize("evidence", [Evidence.SAMPLED, Evidence.EXHAUSTIVE, Evidence.TIMED])
def test_failures_of_races_alone_name_no_fault(evidence):
    """One fault breaks a race in many orders, so that its story proves nothing."""
    assert named([failed("a/1", evidence=evidence)], ONE) is None
    assert named([failed("a/1"), failed("a/2", OTHER_ANSWER, evidence)], BOTH) == "Both"


def test_a_fault_is_not_named_if_another_one_breaks_the_same():
    """Two faults with the same verdicts may differ only in what they answer."""
    assert named([failed("a/1")], ONE, fault("Twin", failed("a/1", OTHER_ANSWER))) is None


@pytest.mark.parametrize("order", [1, -1])
def test_of_several_equal_faults_none_is_named(order):
    assert named([failed("a/1")], *[ONE, fault("Twin", failed("a/1"))][::order]) is None
