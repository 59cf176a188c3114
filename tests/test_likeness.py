"""Likeness: the known fault whose failures are most similar to the candidate's."""

import pytest

from stingy.judging.verdict import Finding, Verdict
from stingy.language import Level
from stingy.reports.faults import Fault, failures
from stingy.reports.likeness import find_nearest


def verdict(rule, finding=Finding.FAIL, because="so"):
    return Verdict(rule, "", "queue", Level.MUST, finding, because=because)


def fault(name, *rules, because="so"):
    return Fault(
        name, f"{name} it does.", "family", failures([verdict(rule, because=because) for rule in rules])
    )


BOTH, ONE, ELSEWHERE = fault("Both", "a/1", "a/2"), fault("One", "a/1"), fault("Elsewhere", "b/1", "b/2")


@pytest.mark.parametrize(
    ("failed", "name"), [(["a/1", "a/2"], "Both"), (["a/1"], "One"), (["b/2", "b/1"], "Elsewhere")]
)
def test_the_fault_with_the_most_in_common_is_named(failed, name):
    kept = [verdict(rule, Finding.PASS) for rule in ("a/1", "a/2", "b/1", "b/2") if rule not in failed]
    found = find_nearest([*map(verdict, failed), *kept], [BOTH, ONE, ELSEWHERE])
    assert [fault.name for fault in found.faults] == [name]


def test_a_fault_with_the_same_reason_is_nearer():
    likely = find_nearest([verdict("a/1", because="1 == 2")], [ONE, fault("Other", "a/1", because="1 == 2")])
    assert (likely.name, likely.says) == ("family.Other", "Other it does.")


def test_no_fault_is_named_if_two_are_nearly_as_near():
    other = fault("Other", *(f"a/{n}" for n in range(1, 7)))
    rules = [verdict(f"a/{n}") for n in range(1, 8)]
    assert find_nearest(rules, [other]).name == "family.Other"
    assert not find_nearest(rules, [other, fault("Nearer", *(f"a/{n}" for n in range(1, 8)))]).name


@pytest.mark.parametrize("order", [1, -1])
def test_no_fault_is_named_if_several_fail_alike(order):
    alike = [fault("One", "a/1"), fault("Twin", "a/1"), ELSEWHERE][::order]
    found = find_nearest([verdict("a/1"), verdict("b/1", Finding.PASS)], alike)
    says = "2 of the known faults, all of them family, about equally"
    assert (found.name, found.says) == ("", says)


@pytest.mark.parametrize(
    ("verdicts", "faults"),
    [
        ([verdict("c/1")], [BOTH, ONE, ELSEWHERE]),
        ([verdict("a/1", Finding.PASS)], [ONE]),
        ([verdict("b/1"), verdict("b/2", Finding.PASS)], [ELSEWHERE]),
        ([verdict("a/1"), verdict("c/1"), verdict("c/2"), verdict("c/3")], [ONE]),
    ],
)
def test_nothing_is_said_if_no_fault_is_near(verdicts, faults):
    assert find_nearest(verdicts, faults) is None


def test_rules_that_were_not_judged_do_not_count():
    assert find_nearest([verdict("b/1"), verdict("b/2", Finding.BLOCKED)], [ELSEWHERE]).share == 1.0
