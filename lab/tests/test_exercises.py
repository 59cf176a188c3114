"""Each exercise is correct: its start fails, its solution passes, and each of its mistakes is recognised."""

import pytest

from stingy_kata.exercise import exercises
from stingy_kata.proof import faults


@pytest.mark.budget(40)
@pytest.mark.parametrize("exercise", exercises(), ids=lambda it: it.name)
def test_an_exercise_does_what_it_says(exercise, monkeypatch):
    """Judge the start, the solution and every mistake.

    Their duration is not limited here; ``stingy-kata dev check`` limits it.
    """
    for limit in ("SECONDS", "SECONDS_TO_PASS"):
        monkeypatch.setattr(f"stingy_kata.proof.{limit}", float("inf"))
    assert list(faults(exercise)) == []
