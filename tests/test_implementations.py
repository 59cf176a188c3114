"""Each real implementation says in one place how it is built and judged, and what is known of it."""

import json
import re
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path

import msgspec
import pytest

from stingy.cli import main
from stingy.guarantees import all_rules
from stingy.implementations import Card, CardError, Unfound, implementations
from stingy.renamed import current
from stingy.reports.matrix import markdown, recorded
from stingy.reports.readme import renew

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
    assert recorded.get("complete") or recorded["status"] == "complete"


@pytest.mark.parametrize("it", ALL, ids=lambda it: it.name)
def test_what_is_recorded_has_the_level_that_its_rule_has_now(it):
    """By which it is held against what is promised."""
    levels = {(row["rule"], row["level"]) for row in json.loads(it.result.read_text())["results"]}
    assert {(id_, level) for id_, level in levels if all_rules()[current(id_)].level != level} == set()


def test_a_folder_without_cards_and_a_card_that_cannot_be_read_get_a_sentence(tmp_path):
    with pytest.raises(CardError, match="run this in a checkout of stingy"):
        implementations(tmp_path)
    card = tmp_path / "mine" / "candidate.toml"
    card.parent.mkdir()
    card.write_text('title = "mine"\ncolour = "red"\n')
    with pytest.raises(CardError, match=r"mine.candidate\.toml cannot be read as a card: .*colour"):
        implementations(tmp_path)


def test_the_table_is_that_of_what_is_recorded():
    """stingy matrix --table writes it anew."""
    assert (CANDIDATES / "README.md").read_text() == markdown(ALL)


@pytest.mark.parametrize("column", recorded(ALL), ids=lambda it: it.it.name)
def test_a_readme_tells_what_is_recorded(column):
    """stingy matrix --table writes it anew."""
    text = column.it.readme.read_text()
    assert text == renew(text, column)
    assert all(said in text for said in column.seen.values())


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


@pytest.fixture
def mine(tmp_path, one_process):
    """A folder of implementations, with one in it that is quickly judged."""
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "codec_of_mine.py").write_text(
        "from stingy_broken.codecs import WritesAnOffset as AnnotationCodec\n"
    )
    card = [
        *('title = "Mine"', 'language = "Python"', 'registry = ""', 'homepage = ""', 'license = "MIT"'),
        *('target = "codec_of_mine:AnnotationCodec"', 'needs = ["python"]'),
        "build = ['python -c \"open(chr(98), chr(119))\"']",
    ]
    (folder / "candidate.toml").write_text("\n".join(card))
    return folder


def matrix(folder, *words):
    with pytest.raises(SystemExit) as end:
        main(["matrix", "--root", str(folder.parent), *words])
    return end.value.code


def test_it_is_built_judged_and_recorded_and_then_found_to_be_as_recorded(mine, capsys):
    assert matrix(mine, "--record") == 0
    assert (mine / "b").exists()
    assert "Mine" in (mine.parent / "README.md").read_text()
    recorded = json.loads((mine / "result.json").read_text())
    tampered = next(row for row in recorded["results"] if row["verdict"] == "FAIL")
    tampered["verdict"] = "PASS"
    (mine / "result.json").write_text(json.dumps(recorded))
    capsys.readouterr()
    assert matrix(mine, "mine") == 1
    said = capsys.readouterr().out.splitlines()
    assert said[0].endswith("differs")
    assert said[1:] == [f"  {tampered['rule']}: recorded PASS, found FAIL"], "all else is found again"


def test_what_cannot_be_judged_here_is_said(mine, capsys):
    card = (mine / "candidate.toml").read_text()
    (mine / "candidate.toml").write_text(card.replace('"python"]', '"python3.99", "no-such-command"]'))
    assert matrix(mine) == 2
    assert "mine: left out, for it needs python3.99 and no-such-command" in capsys.readouterr().out
    (mine / "candidate.toml").write_text(card.replace("open(", "nothing("))
    assert matrix(mine) == 3
    assert "NameError: name 'nothing' is not defined" in capsys.readouterr().out
    assert matrix(mine, "yours") == 4
    assert "there is no yours in" in capsys.readouterr().err


def test_a_card_knows_what_it_needs():
    facts = dict.fromkeys(("title", "language", "registry", "homepage", "license", "target"), "")
    assert Card(**facts, needs=("python", "python3.11")).missing == []
    assert Card(**facts, needs=("python3.99", "python")).missing == ["python3.99"]
