"""Drawn walks: the same for the same seed, and each call is made wherever an item can be."""

from random import Random

import pytest

from stingy.language.choices import drawn_from
from stingy.language.examples import WALKS, try_examples
from stingy.language.paths import Path, walks

DELAYED = ("add ITEM", "ITEM after 5 s", "len")
RETRIED = ("add ITEM", "ITEM after 50 s", "ITEM fails", "ITEM is forgotten", "num_requeues ITEM")


def drawn(range_, seed):
    seen = []
    try_examples({"does": range_}, lambda values: seen.append(tuple(values["does"])), seed, exact=True)
    return seen


def test_the_same_seed_draws_the_same_walks():
    range_ = walks("get", "done ITEM", *DELAYED, most=40)
    assert drawn(range_, 3) == drawn(range_, 3)
    assert len({*drawn(range_, 3), *drawn(range_, 4)}) == 2 * WALKS - 1  # both begin with the empty walk


@pytest.mark.parametrize("calls", [DELAYED, RETRIED])
@pytest.mark.parametrize("seed", range(5))
def test_hardly_a_call_is_left_out_wherever_an_item_can_be(calls, seed):
    choices = drawn_from(Random(seed))
    made = set()
    for _ in range(WALKS):
        path = Path(("get", "done ITEM", *calls), "ab", merges=False)
        for _ in range(45):
            path.choose(choices)
        made |= {(place.partition(" by ")[0], way) for place, way in path.gone}
    places = {place for place, call in made if call != "len"}
    assert {
        "absent",
        "queued",
        "held",
        "held dirty",
        "held waits",
        "held dirty waits",
        "queued waits",
    } <= places
    ways = {(place, call) for place in places for call in calls if call != "len"}
    assert len(ways & made) > 0.95 * len(ways)
