"""Each exercise does what it says: it fails as given, its solution passes, and each of its mistakes is told from the others."""

import pytest

from stingy_kata import EXERCISES
from stingy_kata.exercise import exercises
from stingy_kata.proof import faults, strays


# What is told of a start quotes the sentences of rules.
@pytest.mark.parametrize("exercise", exercises(), ids=EXERCISES)
def test_an_exercise_does_what_it_says(exercise, monkeypatch):
    """But for how long it takes, which is the machine's business here: the author of one is told."""
    for limit in ("SECONDS", "SECONDS_TO_PASS"):
        monkeypatch.setattr(f"stingy_kata.proof.{limit}", float("inf"))
    assert list(faults(exercise)) == []


def test_every_folder_with_a_card_is_an_exercise():
    assert list(strays()) == []
