"""Bugs of real releases: each card is complete, and each record is as its card says."""

from pathlib import Path

from lab.exhibits import CANDIDATES, HALL, Side, exhibits
from lab.reports.museum import conclude, from_record, markdown
from lab.reports.pair import Outcome, occasion
from stingy.guarantees import all_rules
from stingy.reports.json import read

ROOT = Path(__file__).parent.parent
ALL = exhibits(ROOT)
BUILT = [it for it in ALL if not it.card.unbuilt]


def test_a_card_names_rules_that_exist_and_where_to_read_of_the_bug(subtests):
    for it in ALL:
        with subtests.test(it.name):
            assert it.card.rules
            assert set(it.card.rules) <= set(all_rules())
            for url in filter(None, (it.card.fix, it.card.issue)):
                assert url.startswith("https://github.com/")
                assert url.rpartition("/")[2].isdecimal()
            assert all((it.card.title, it.card.broke, it.card.met, it.card.last, it.card.first))


def test_a_card_names_a_driver_and_overlays_that_are_there(subtests):
    for it in BUILT:
        with subtests.test(it.name):
            assert it.candidate.build
            family = ROOT / CANDIDATES / it.card.candidate
            assert [name for name in it.card.without if not (family / name).is_file()] == []
            for side in Side:
                assert [folder for folder in it.overlays(side) if not folder.is_dir()] == []


def test_no_overlay_is_left_that_no_card_names():
    named = {folder.name for it in BUILT for side in Side for folder in it.overlays(side)}
    assert named == {folder.name for folder in (ROOT / HALL / "overlays").iterdir()}


def test_what_is_recorded_is_of_these_releases_by_these_rules_and_says_when(subtests):
    for it in BUILT:
        with subtests.test(it.name):
            for side in Side:
                report = read(it.record(side))
                assert report.candidate.version == it.card.release(side)
                assert report.seed == 1
                assert occasion(it, side).date >= "2026-11-23"
                offered = {row.rule for row in report.results}
                assert it.card.unfound or set(it.card.rules) <= offered


def test_what_is_recorded_is_what_the_card_says(subtests):
    for it in ALL:
        with subtests.test(it.name):
            row = from_record(it)
            assert row.as_said
            expected = (
                Outcome.NOT_BUILT
                if it.card.unbuilt
                else Outcome.NOT_FOUND
                if it.card.unfound
                else Outcome.FOUND
            )
            assert row.outcome is expected


def test_every_rule_that_is_to_find_a_bug_does(subtests):
    """A rule that does not find the bug must not be on the exhibit's card."""
    for it in BUILT:
        with subtests.test(it.name):
            assert it.card.unfound or from_record(it).found_by == it.card.rules


def test_at_least_fourteen_are_judged_of_at_least_four_programs():
    assert len(BUILT) >= 14
    assert len({it.card.program for it in BUILT}) >= 4


def test_the_page_tells_of_each_and_leaves_none_out():
    page = markdown(ALL)
    for it in ALL:
        row = from_record(it)
        assert f"## {it.card.title}\n" in page
        assert it.card.fix in page
        assert all(f"`{rule}`" in page for rule in row.found_by)
        assert not row.why or row.why in page
    assert f"**{conclude([from_record(it) for it in ALL])}.**" in page
    assert page.count("```text") == sum(from_record(it).outcome is Outcome.FOUND for it in ALL)
