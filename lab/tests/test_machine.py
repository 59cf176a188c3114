"""Budgets of the lab: a test over its own is named, and each time-out grows with the time that this machine needs."""

from pathlib import Path

import machine
import pytest

CONFTEST = (Path(__file__).parent / "conftest.py").read_text()
EACH_TAKES_25 = "\ncpu_s = iter(range(0, 1000, 25)).__next__\n"
TESTS = """
import pytest

def test_over():
    pass

@pytest.mark.budget(30)
def test_within():
    pass
"""


@pytest.mark.parametrize("processes", [0, 1])
def test_a_test_over_its_budget_is_named(pytester, processes):
    pytester.makeconftest(CONFTEST + EACH_TAKES_25)
    pytester.makepyfile(TESTS)
    done = pytester.runpytest("-n", str(processes), "-p", "no:cacheprovider")
    done.assert_outcomes(passed=2)
    _, _, named = done.stdout.str().partition("over their budget")
    assert "::test_over: 25 of 20 CPU-s" in named
    assert "test_within" not in named


def test_a_reason_to_skip_is_told(pytester):
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile("import pytest\n@pytest.mark.skip('needs Node')\ndef test_it(): pass")
    done = pytester.runpytest("-q", "-n", "0", "-p", "no:cacheprovider")
    done.stdout.fnmatch_lines(["SKIPPED * needs Node", "1 skipped*"])


def test_the_time_out_of_a_test_is_patience_with_its_budget(pytester, monkeypatch):
    monkeypatch.setenv(machine.UNIT, "2.0")
    pytester.makeconftest(CONFTEST)
    items, _ = pytester.inline_genitems(pytester.makepyfile(TESTS))
    time_outs = {item.name: item.get_closest_marker("timeout").args for item in items}
    assert time_outs == {"test_over": (40 * machine.MARGIN,), "test_within": (60 * machine.MARGIN,)}


def test_patience_grows_with_the_unit(monkeypatch):
    monkeypatch.setenv(machine.UNIT, "2.5")
    assert machine.patience(4) == 10 * machine.MARGIN


def test_the_unit_is_measured_once_and_at_least_one(monkeypatch):
    measured = []
    monkeypatch.delenv(machine.UNIT)
    monkeypatch.setattr(machine, "_work", lambda: measured.append(1))
    assert [machine.unit(), machine.unit()] == [1.0, 1.0]
    assert measured == [1]


def test_a_wait_ends_as_soon_as_its_condition_holds(monkeypatch):
    monkeypatch.setattr(machine.time, "sleep", lambda _: None)
    answers = iter(["", "", "ready"])
    assert machine.wait_for(lambda: next(answers), 20) == "ready"


def test_a_wait_without_success_ends_when_patience_is_over(monkeypatch):
    monkeypatch.setattr(machine, "patience", lambda _: 0.05)
    assert machine.wait_for(list, 20) == []
