"""What a failure looks like from afar."""

import pytest

from stingy.faults import Fault, failures
from stingy.language import Level
from stingy.likeness import find_nearest
from stingy.verdict import Finding, Verdict


def verdict(rule, finding=Finding.FAIL, because="so"):
    return Verdict(rule, "", "queue", Level.MUST, finding, because=because)


def fault(name, *rules, because="so"):
    return Fault(
        name, f"{name} it does.", "family", failures([verdict(rule, because=because) for rule in rules])
    )


BOTH, ONE, ELSEWHERE = fault("Both", "a/1", "a/2"), fault("One", "a/1"), fault("Elsewhere", "b/1", "b/2")


@pytest.mark.parametrize(
    ("failed", "name"),
    [(["a/1", "a/2"], "Both"), (["a/1"], "One"), (["b/2", "b/1"], "Elsewhere")],
)
def test_the_fault_with_the_most_in_common_is_named(failed, name):
    kept = [verdict(rule, Finding.PASS) for rule in ("a/1", "a/2", "b/1", "b/2") if rule not in failed]
    found = find_nearest([*map(verdict, failed), *kept], [BOTH, ONE, ELSEWHERE])
    assert [fault.name for fault in found.faults] == [name]


def test_of_two_that_fail_in_the_same_places_the_one_that_was_seen_alike_is_named():
    likely = find_nearest([verdict("a/1", because="1 == 2")], [ONE, fault("Other", "a/1", because="1 == 2")])
    assert (likely.name, likely.says) == ("family.Other", "Other it does.")


def test_of_two_that_are_nearly_as_near_none_is_named():
    other = fault("Other", "a/1", "a/2", "a/3", "a/4", "a/5", "a/6")
    rules = [verdict(f"a/{n}") for n in range(1, 8)]
    assert find_nearest(rules, [other]).name == "family.Other"
    assert not find_nearest(rules, [other, fault("Nearer", *(f"a/{n}" for n in range(1, 8)))]).name


def test_of_several_that_fail_just_alike_none_is_named():
    """Whichever of them came first."""
    alike = [fault("One", "a/1"), fault("Twin", "a/1"), ELSEWHERE]
    for faults in (alike, alike[::-1]):
        found = find_nearest([verdict("a/1"), verdict("b/1", Finding.PASS)], faults)
        assert (found.name, found.says) == (
            "",
            "2 of the known faults, all of them family, about equally",
        )


def test_nothing_is_said_when_nothing_is_near_or_nothing_is_broken():
    assert find_nearest([verdict("c/1")], [BOTH, ONE, ELSEWHERE]) is None
    assert find_nearest([verdict("a/1", Finding.PASS)], [ONE]) is None
    assert find_nearest([verdict("b/1"), verdict("b/2", Finding.PASS)], [ELSEWHERE]) is None
    assert find_nearest([verdict("a/1"), verdict("c/1"), verdict("c/2"), verdict("c/3")], [ONE]) is None


def test_what_was_not_judged_says_nothing():
    assert find_nearest([verdict("b/1"), verdict("b/2", Finding.BLOCKED)], [ELSEWHERE]).share == 1.0
