"""Failures that are known: accepted as written down, and not a day or a rule further."""

import json
from dataclasses import replace
from datetime import date
from io import StringIO

import pytest

from stingy.baseline import Baseline, BaselineError, Known, complaints, load, mark_known, write
from stingy.cli import baseline as command
from stingy.language import Level
from stingy.reports import Report, Standard, badge
from stingy.verdict import Exit, Finding, Verdict, exit_code

TODAY = date(2026, 11, 21)


def verdict(finding, rule="fair/one", case=""):
    return Verdict(rule, case, "queue", Level.MUST, finding)


def known(**fields):
    return Baseline((Known("fair/one", **fields),))


def test_what_is_listed_and_broken_is_known_and_fails_nobody():
    found = mark_known(verdict(Finding.FAIL), known(), TODAY)
    assert found.verdict is Finding.KNOWN_FAIL
    assert exit_code([found], strict=True) is Exit.CONFORMS


def report(*verdicts, **fields):
    return Report("1", "it:It", "It", "", "", 1, False, verdicts, **fields)


def test_what_is_known_to_be_broken_is_said_to_conform_nowhere():
    outcome = report(verdict(Finding.PASS), verdict(Finding.KNOWN_FAIL, "fair/two"))
    assert outcome.exit is Exit.CONFORMS
    assert outcome.headline == "It matches its baseline, but does not conform"
    assert {outcome.held_against(it) for it in Standard} == {Exit.DOES_NOT}
    said = StringIO()
    badge.write(outcome, said)
    shown = json.loads(said.getvalue())
    assert (shown["message"], shown["color"]) == ("1 of 2 kept", "yellow")


@pytest.mark.parametrize(
    ("found", "complaints"), [(Finding.UNEXPECTED_PASS, ()), (Finding.PASS, ("fair/one was accepted",))]
)
def test_a_baseline_that_is_out_of_date_is_all_that_is_said_to_be_wrong(found, complaints):
    outcome = report(verdict(found), complaints=complaints)
    assert outcome.exit is Exit.DOES_NOT
    assert outcome.headline == "It does not match its baseline"
    assert outcome.held_against(Standard.PROMISED) is Exit.CONFORMS


def test_what_is_listed_and_kept_has_to_be_taken_off():
    found = mark_known(verdict(Finding.PASS), known(), TODAY)
    assert found.verdict is Finding.UNEXPECTED_PASS
    assert exit_code([found], strict=False) is Exit.DOES_NOT


@pytest.mark.parametrize("other", [verdict(Finding.FAIL, "fair/two"), verdict(Finding.FAIL, case="a row")])
def test_what_is_not_listed_fails_as_ever(other):
    assert mark_known(other, known(), TODAY) == other


def test_the_last_day_counts_and_the_next_does_not():
    entry = known(expires=TODAY)
    assert mark_known(verdict(Finding.FAIL), entry, TODAY).verdict is Finding.KNOWN_FAIL
    late = date(2026, 11, 22)
    assert mark_known(verdict(Finding.FAIL), entry, late).verdict is Finding.FAIL
    assert complaints(entry, [verdict(Finding.FAIL)], late, whole=False) == [
        "fair/one was accepted until 2026-11-21: fix it, or give its entry a later date and a reason"
    ]


def test_what_is_listed_in_vain_is_said_where_every_rule_was_judged():
    (said,) = complaints(known(), [verdict(Finding.NOT_OFFERED)], TODAY, whole=True)
    assert "was not judged" in said
    assert complaints(known(), [], TODAY, whole=False) == []
    assert complaints(known(), [verdict(Finding.KNOWN_FAIL)], TODAY, whole=True) == []


def test_written_again_an_entry_keeps_its_reason_and_what_is_mended_goes(tmp_path):
    path = tmp_path / "baseline.json"
    one, two = verdict(Finding.FAIL), verdict(Finding.FAIL, "fair/two")
    write(path, [one, two], reason="old", issue="", expires=None)
    write(
        path,
        [one, verdict(Finding.PASS, "fair/two"), verdict(Finding.FAIL, "fair/three")],
        reason="new",
        issue="",
        expires=None,
    )
    assert [(entry.rule, entry.reason) for entry in load(path).known] == [
        ("fair/one", "old"),
        ("fair/three", "new"),
    ]


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"known": 3}', '{"known": [], "schema": 2}', '{"known": [{"rul": "a"}]}', "\xff"],
)
def test_what_is_no_baseline_is_refused_in_a_sentence(text, tmp_path):
    path = tmp_path / "baseline.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(BaselineError, match=r"is (no|a) baseline"):
        load(path)


def test_a_team_can_start_green_and_is_held_to_it(stingy, tmp_path, monkeypatch):
    """Written by a few rules: all of them are judged in the lab."""
    target = "stingy_broken.codecs:WritesAnOffset"
    judge = command.judge_request
    monkeypatch.setattr(command, "judge_request", lambda asked: judge(replace(asked, rule=("codec/*",))))
    rules = ("--rule", "codec/*", "--seed", "1")
    assert stingy("run", target, *rules).returncode == Exit.DOES_NOT
    assert stingy("baseline", "write", target).returncode == Exit.USAGE, "a reason has to be given"
    reason = ("--reason", "next week", "--issue", "https://x/1")
    written = stingy("baseline", "write", target, *reason, "--seed", "1")
    assert written.returncode == 0, written.stderr
    assert written.stdout.startswith("stingy-baseline.json lists ")
    (entry, *_) = json.loads((tmp_path / "stingy-baseline.json").read_text())["known"]
    assert (entry["reason"], entry["issue"]) == ("next week", "https://x/1")
    assert entry["story"][0]["did"].startswith("writes ")

    baseline = ("--baseline", "stingy-baseline.json")
    green = stingy("run", target, *rules, *baseline)
    assert (green.returncode, "known to be broken" in green.stdout) == (0, True)
    assert "conforms" not in green.stdout
    mended = stingy("run", "stingy_reference", *rules, *baseline)
    assert (mended.returncode, "UNEXPECTED-PASS" in mended.stdout) == (Exit.DOES_NOT, True)
    missing = stingy("run", target, "--baseline", "none.json")
    assert missing.returncode == Exit.USAGE
    assert "stingy baseline write makes one" in missing.stderr
