"""Hardly any recorded fault or exhibit is misnamed, and the first failure points at the fault."""

import runpy
from pathlib import Path

import pytest

BENCHMARK = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "likeness.py"))


@pytest.mark.parametrize("guesses", ["names_of_faults", "names_of_exhibits"])
def test_few_names_of_faults_are_wrong(guesses):
    """Each fault is compared with all others.

    A name is right only if another fault fails in a similar way.
    """
    found = list(BENCHMARK[guesses]())
    assert sum(guess.score == "right" for guess in found) > len(found) / 8
    assert BENCHMARK["share_of_wrong"](found) <= BENCHMARK["MOST"]


@pytest.mark.parametrize("pointed", ["firsts_of_faults", "firsts_of_exhibits"])
def test_the_first_failure_points_at_the_fault_for_nine_in_ten(pointed):
    scores = [it.score for it in BENCHMARK[pointed]()]
    assert scores.count("later") <= len(scores) / 10
    assert "hidden behind another" not in scores
