"""A rule finds the same faults over a driver as in this process, or does not judge drivers."""

import shlex
import sys
from itertools import islice
from pathlib import Path

import pytest

from lab.kills import SEED, broken_in
from stingy.guarantees import GUARANTEES, guarantees, rules_of
from stingy.judging.trial import Trial
from stingy.judging.verdict import Finding
from stingy.reports.faults import record
from stingy.transport import locate

SERVED = Path(__file__).parent.parent / "drivers" / "served.py"
TRIES = 6
"""Maximum number of broken candidates for a rule; those that are about the rule come first."""

BY_CHANCE = "in this driver the order of lanes cannot be chosen, and is drawn forty times"
EXCUSED = {
    "delays/of-many-without-a-pause-none-is-lost": "this driver waits after each call until nothing moves",
    "priority_races/no-program-with-priorities-loses-an-item": BY_CHANCE,
}
"""By rule, the reason why this driver hides faults that other drivers show."""


ENDS_THE_DRIVER = ("coroutines.Spins",)
"""Candidates whose failure ends this driver, which shares its process with them."""


@pytest.fixture(scope="module")
def driver():
    candidate = locate("cmd:" + shlex.join([sys.executable, str(SERVED), "stingy_reference"]), SEED)
    yield candidate
    candidate.close()


@pytest.fixture(scope="module")
def specimens():
    """Broken candidates and their failures, by the rules that find them."""
    found = {}
    for specimen in broken_in("stingy_broken"):
        if f"{specimen.family}.{specimen.name}" in ENDS_THE_DRIVER:
            continue
        fault = record().of(specimen.family, specimen.name)
        for rule_id, cases in (fault.failures if fault else {}).items():
            found.setdefault(rule_id, []).append(
                (specimen.about != rule_id, len(fault.failures), specimen, cases)
            )
    return {rule_id: sorted(its, key=lambda it: it[:2]) for rule_id, its in found.items()}


def verdicts(driver, rule, known):
    """Yield the verdicts over the driver on candidates that the rule finds in this process."""
    for _, _, specimen, cases in islice(known, TRIES):
        driver._wire.ask("serve", target=specimen.target)
        driver._ops = frozenset(driver._greet().ops)
        case = next((row for row in rule.cases if row is not None and row.name in cases), rule.cases[0])
        yield Trial(driver, SEED).judge(rule, case).verdict


@pytest.mark.budget(60)
@pytest.mark.parametrize("guarantee", list(guarantees()), ids=GUARANTEES)
def test_no_rule_is_blind_over_a_driver(guarantee, driver, specimens):
    blind = []
    for rule in rules_of(guarantee):
        seen = set()
        for verdict in verdicts(driver, rule, specimens.get(rule.id, ())):
            seen.add(verdict)
            if verdict is Finding.FAIL:
                break
        if Finding.PASS in seen and Finding.FAIL not in seen:
            blind.append(rule.id)
    assert [id_ for id_ in blind if id_ not in EXCUSED] == []
    assert [
        id_ for id_ in EXCUSED if id_ in {rule.id for rule in rules_of(guarantee)} and id_ not in blind
    ] == []
