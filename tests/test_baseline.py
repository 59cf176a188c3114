"""Known failures are accepted as the baseline says, but no later and for no other rule."""

import json
from dataclasses import replace
from datetime import date
from io import StringIO

import pytest

from stingy.cli import baseline as command
from stingy.judging.baseline import Baseline, BaselineError, Known, complaints, load, mark_known, write
from stingy.judging.verdict import Exit, Finding, Verdict, exit_code
from stingy.language import Level
from stingy.reports import Report, Standard, badge
from stingy.request import Request

TODAY = date(2026, 11, 21)


def verdict(finding, rule="fair/one", case=""):
    return Verdict(rule, case, "queue", Level.MUST, finding)


def known(**fields):
    return Baseline((Known("fair/one", **fields),))


def test_a_known_failure_does_not_fail_the_run():
    found = mark_known(verdict(Finding.FAIL), known(), TODAY)
    assert found.verdict is Finding.KNOWN_FAIL
    assert exit_code([found], strict=True) is Exit.CONFORMS


def report(*verdicts, **fields):
    return Report("1", Request("it:It", seed=1), "It", "", "", verdicts, **fields)


def test_a_known_failure_is_never_said_to_conform():
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
def test_an_outdated_baseline_is_the_only_complaint(found, complaints):
    outcome = report(verdict(found), complaints=complaints)
    assert outcome.exit is Exit.DOES_NOT
    assert outcome.headline == "It does not match its baseline"
    assert outcome.held_against(Standard.PROMISED) is Exit.CONFORMS


def test_a_known_failure_that_is_mended_must_be_removed():
    found = mark_known(verdict(Finding.PASS), known(), TODAY)
    assert found.verdict is Finding.UNEXPECTED_PASS
    assert exit_code([found], strict=False) is Exit.DOES_NOT


@pytest.mark.parametrize("other", [verdict(Finding.FAIL, "fair/two"), verdict(Finding.FAIL, case="a row")])
def test_an_unknown_failure_fails_the_run(other):
    assert mark_known(other, known(), TODAY) == other


def test_an_entry_holds_through_its_last_day():
    entry = known(expires=TODAY)
    assert mark_known(verdict(Finding.FAIL), entry, TODAY).verdict is Finding.KNOWN_FAIL
    late = date(2026, 11, 22)
    assert mark_known(verdict(Finding.FAIL), entry, late).verdict is Finding.FAIL
    assert complaints(entry, [verdict(Finding.FAIL)], late, whole=False) == [
        "fair/one was accepted until 2026-11-21: fix it, or give its entry a later date and a reason"
    ]


def test_an_entry_in_vain_is_a_complaint_if_all_rules_were_judged():
    (said,) = complaints(known(), [verdict(Finding.NOT_OFFERED)], TODAY, whole=True)
    assert "was not judged" in said
    assert complaints(known(), [], TODAY, whole=False) == []
    assert complaints(known(), [verdict(Finding.KNOWN_FAIL)], TODAY, whole=True) == []


def test_a_new_baseline_keeps_reasons_and_drops_what_is_mended(tmp_path):
    path, said = tmp_path / "baseline.json", {"issue": "", "expires": None}
    one = verdict(Finding.FAIL)
    write(path, [one, verdict(Finding.FAIL, "fair/two")], reason="old", **said)
    kept, new = verdict(Finding.PASS, "fair/two"), verdict(Finding.FAIL, "fair/three")
    write(path, [one, kept, new], reason="new", **said)
    known = [(entry.rule, entry.reason) for entry in load(path).known]
    assert known == [("fair/one", "old"), ("fair/three", "new")]


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"known": 3}', '{"known": [], "schema": 2}', '{"known": [{"rul": "a"}]}', "\xff"],
)
def test_a_malformed_baseline_is_refused_in_a_sentence(text, tmp_path):
    path = tmp_path / "baseline.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(BaselineError, match=r"is (no|a) baseline"):
        load(path)


def test_a_run_with_a_baseline_passes_until_something_changes(stingy, tmp_path, monkeypatch):
    """The baseline is written by a few rules here; a test in lab/tests uses all rules."""
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
