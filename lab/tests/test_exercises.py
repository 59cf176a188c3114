"""Each exercise does what it says: it fails as given, its solution passes, and each of its mistakes is told from the others."""

import pytest

from stingy_kata import EXERCISES
from stingy_kata.exercise import exercises
from stingy_kata.proof import faults, strays


@pytest.mark.budget(40)
@pytest.mark.parametrize("exercise", exercises(), ids=EXERCISES)
def test_an_exercise_does_what_it_says(exercise, monkeypatch):
    """Judge the start, the solution and every mistake. How long that takes is not limited here: ``stingy-kata dev check`` does."""
    for limit in ("SECONDS", "SECONDS_TO_PASS"):
        monkeypatch.setattr(f"stingy_kata.proof.{limit}", float("inf"))
    assert list(faults(exercise)) == []


def test_every_folder_with_a_card_is_an_exercise():
    assert list(strays()) == []
