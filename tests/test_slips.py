"""Whatever a slip of the pen makes of the reference is found by the rules alone, unless nobody could tell."""

import sys
from importlib import import_module

import pytest

from slips import slips
from stingy.guarantees import all_rules
from stingy.judge import Judge
from stingy.transport import locate
from stingy.verdict import Finding

SEED = 1

AROUND_METRICS = """
from stingy_reference.delaying import DelayingQueue as Delaying
from stingy_reference.workqueue import WorkQueue as Queue


class WorkQueue(Queue):
    def __init__(self, *, metrics=None, name=""):
        super().__init__()
        self._metrics = metrics_of(metrics, name)


class DelayingQueue(Delaying):
    def __init__(self, *, metrics=None, name=""):
        super().__init__()
        self._metrics = metrics_of(metrics, name)
"""
"""A module that only works inside others is put into them."""

MODULES = {
    "delaying": (("delays", "rate_limiting"), ""),
    "limiters": (("limiters",), ""),
    "metrics": (("metrics",), AROUND_METRICS),
    "controller": (("controller",), ""),
    "priority": (("priority",), ""),
}
"""The guarantees that a module has to keep, and what is put after it."""

SLIPS = {
    (module, name): source
    for module in MODULES
    for name, source in slips(import_module(f"stingy_reference.{module}")).items()
}
NUMBERS = {slip: number for number, slip in enumerate(SLIPS)}

EQUIVALENT = {}
"""Why nobody could tell it from the reference."""


def rules_of(module):
    """What takes one run comes first."""
    rules = (rule for rule in all_rules().values() if rule.guarantee in MODULES[module][0])
    return sorted(rules, key=lambda rule: bool(rule.for_all))


@pytest.fixture
def found(tmp_path, monkeypatch):
    """Which rule finds a slip first, if any does."""
    monkeypatch.syspath_prepend(tmp_path)

    def found(slip):
        name = f"slip_{NUMBERS[slip]}"
        (tmp_path / f"{name}.py").write_text(SLIPS[slip] + MODULES[slip[0]][1])
        candidate = locate(name, SEED)
        judge = Judge(candidate, SEED)
        try:
            cases = ((rule, row) for rule in rules_of(slip[0]) for row in rule.cases)
            return next((rule.id for rule, row in cases if _objects(judge.again(rule, row, ""))), None)
        finally:
            candidate.close()
            del sys.modules[name]

    return found


def _objects(verdict):
    """The reference offers all of these profiles: what cannot be made any more is a slip, too."""
    return verdict.verdict in (Finding.FAIL, Finding.ERROR, Finding.NOT_OFFERED)


@pytest.mark.thorough
@pytest.mark.parametrize("slip", [slip for slip in SLIPS if slip not in EQUIVALENT], ids=": ".join)
def test_a_slip_is_found(slip, found):
    assert found(slip)


@pytest.mark.thorough
@pytest.mark.parametrize("slip", EQUIVALENT, ids=": ".join)
def test_what_nobody_could_tell_from_the_reference_is_not_accused(slip, found):
    assert found(slip) is None


def test_whatever_is_excused_is_still_made():
    assert EQUIVALENT.keys() <= SLIPS.keys()
