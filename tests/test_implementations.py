"""Each real implementation says in one place how it is built and judged, and what is known of it."""

import json
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from stingy.guarantees import all_rules
from stingy.implementations import CardError, implementations

CANDIDATES = Path(__file__).parent.parent / "candidates"
ALL = implementations(CANDIDATES)


def test_what_has_a_recorded_result_has_a_card_and_the_other_way_round():
    assert {it.folder for it in ALL} == {path.parent for path in CANDIDATES.glob("*/result.json")}


@pytest.mark.parametrize("it", ALL, ids=lambda it: it.name)
def test_what_is_known_to_be_broken_is_found_to_be_broken(it):
    broken = {row["rule"] for row in json.loads(it.result.read_text())["results"] if row["verdict"] == "FAIL"}
    in_vain = [
        known.rule for known in it.card.known if not any(fnmatchcase(id_, known.rule) for id_ in broken)
    ]
    assert in_vain == []
    assert {id_ for id_ in broken if it.card.why(id_) is None} == set(), "say what is known of it"
    assert broken <= set(all_rules())


@pytest.mark.parametrize("it", ALL, ids=lambda it: it.name)
def test_the_result_was_recorded_with_what_the_card_says(it):
    recorded = json.loads(it.result.read_text())
    assert (recorded["candidate"]["target"], recorded["seed"]) == (it.card.target, 1)
    assert recorded["complete"] is True


def test_a_folder_without_cards_and_a_card_that_cannot_be_read_get_a_sentence(tmp_path):
    with pytest.raises(CardError, match="run this in a checkout of stingy"):
        implementations(tmp_path)
    card = tmp_path / "mine" / "candidate.toml"
    card.parent.mkdir()
    card.write_text('title = "mine"\ncolour = "red"\n')
    with pytest.raises(CardError, match=r"mine.candidate\.toml is no card of a candidate: .*colour"):
        implementations(tmp_path)
