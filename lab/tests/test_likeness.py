"""Hardly any recorded fault or exhibit is misnamed, and the first failure points at the fault."""

import runpy
from pathlib import Path

import pytest

BENCHMARK = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "likeness.py"))


@pytest.mark.parametrize("guesses", ["names_of_faults", "names_of_exhibits"])
def test_few_names_of_faults_are_wrong(guesses):
    """Each fault is compared with all others, as if it were not known."""
    assert BENCHMARK["share_of_wrong"](list(BENCHMARK[guesses]())) <= BENCHMARK["MOST"]


def test_known_faults_are_recognised():
    """A fault that breaks only a race, or exactly what another fault breaks, is not named."""
    assert BENCHMARK["recognised"]() > len(list(BENCHMARK["names_of_faults"]())) * 2 / 3
    names = [it.score for it in BENCHMARK["names_of_exhibits"]()]
    assert names.count("right") > len(names) / 6


@pytest.mark.parametrize("pointed", ["firsts_of_faults", "firsts_of_exhibits"])
def test_the_first_failure_points_at_the_fault_for_nine_in_ten(pointed):
    scores = [it.score for it in BENCHMARK[pointed]()]
    assert scores.count("later") <= len(scores) / 10
    assert "hidden behind another" not in scores
