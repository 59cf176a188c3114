"""Each real implementation has one card, which says how it is built and judged, and lists its known faults."""

import json
import re
from dataclasses import replace
from fnmatch import filter as filter_names
from pathlib import Path

import msgspec
import pytest

from lab.implementations import Card, CardError, Unfound, implementations
from lab.reports.matrix import markdown, outcomes, recorded
from lab.reports.readme import renew
from stingy.guarantees import all_rules
from stingy.reports.outcomes import RECORD

CANDIDATES = Path(__file__).parent.parent / "candidates"
ALL = implementations(CANDIDATES)


def test_what_has_a_recorded_result_has_a_card_and_the_other_way_round():
    assert {it.folder for it in ALL} == {path.parent for path in CANDIDATES.glob("*/result.json")}


@pytest.fixture(scope="module")
def results():
    """Return the recorded report of each implementation, by the implementation's name."""
    return {it.name: json.loads(it.result.read_text()) for it in ALL}


def test_what_is_known_to_be_broken_is_found_to_be_broken(results):
    """The known faults in each candidate.toml are the rules that fail in the recorded report."""
    in_vain, unexplained, unknown = [], [], []
    for it in ALL:
        broken = {row["rule"] for row in results[it.name]["results"] if row["verdict"] == "FAIL"}
        in_vain += [(it.name, at.rule) for at in it.card.known if not filter_names(broken, at.rule)]
        unexplained += [(it.name, id_) for id_ in broken if it.card.why(id_) is None]
        unknown += [(it.name, id_) for id_ in broken - set(all_rules())]
    assert in_vain == []
    assert unexplained == [], "say on the card what is known of it"
    assert unknown == []


def test_the_result_was_recorded_with_what_the_card_says(results):
    wrong = []
    for it in ALL:
        recorded = results[it.name]
        said = recorded["candidate"]["target"], recorded["seed"], recorded["status"]
        if said != (it.card.target, 1, "complete"):
            wrong.append((it.name, said))
    assert wrong == []


def test_what_is_recorded_has_the_level_that_its_rule_has_now(results):
    """A rule's level decides whether a failure counts against the implementation."""
    levels = {(it.name, row["rule"], row["level"]) for it in ALL for row in results[it.name]["results"]}
    assert [row for row in sorted(levels) if all_rules()[row[1]].level != row[2]] == []


def test_a_folder_without_cards_and_a_card_that_cannot_be_read_get_a_sentence(tmp_path):
    with pytest.raises(CardError, match="run this in a checkout of stingy"):
        implementations(tmp_path)
    card = tmp_path / "mine" / "candidate.toml"
    card.parent.mkdir()
    card.write_text('title = "mine"\ncolour = "red"\n')
    with pytest.raises(CardError, match=r"mine.candidate\.toml cannot be read as a card: .*colour"):
        implementations(tmp_path)


def test_the_outcomes_that_explain_shows_are_those_of_what_is_recorded():
    """If this fails, ``python -m lab matrix --table`` writes the file of outcomes anew."""
    assert RECORD.read_text() == outcomes(recorded(ALL))


def test_each_readme_tells_what_is_recorded(subtests):
    """If this fails, ``python -m lab matrix --table`` writes the READMEs anew."""
    for column in recorded(ALL):
        with subtests.test(column.it.name):
            text = column.it.readme.read_text()
            assert text == renew(text, column)
            assert [said for said in column.seen.values() if said not in text] == []


def test_what_upstream_leaves_open_is_told_in_words_and_not_as_a_tick():
    page = markdown(ALL)
    cells = [line for line in page.splitlines() if re.search(r"\| (CONTESTED|UNDEFINED) \|", line)]
    assert cells
    assert [line for line in cells if "✓" in line] == []


def test_a_deviation_that_no_rule_finds_is_listed_and_counted():
    column = recorded(ALL)[0]
    unfound = Unfound("It hums.", "Nobody listens.")
    card = msgspec.structs.replace(column.it.card, unfound=(unfound,))
    page = markdown([replace(column.it, card=card)])
    assert "that no rule finds: **1**" in page
    assert "- It hums. Nobody listens." in page


def test_every_red_cell_has_its_sequence_and_what_is_known_of_it():
    page = markdown(ALL)
    for it in ALL:
        for row in json.loads(it.result.read_text())["results"]:
            if row["verdict"] == "FAIL":
                assert f"**✗ {row['level']} `{row['rule']}`**" in page
                assert it.card.why(row["rule"]).says in page
    assert "%" not in page


def test_a_card_knows_what_it_needs():
    facts = dict.fromkeys(("title", "language", "registry", "homepage", "license", "target"), "")
    assert Card(**facts, needs=("python", "python3.11")).missing == []
    assert Card(**facts, needs=("python3.99", "python")).missing == ["python3.99"]
