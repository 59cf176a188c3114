"""A record leaves out parts of a report, and still gives the same results."""

import json

import pytest

from lab import recorded
from lab.recorded import keep, slim
from stingy.process.snapshot import Snapshot
from stingy.reports.json import read, read_broken

RACE = "stingy_broken.races:TakesBeforeItMarks"
TODAY = Snapshot("1234567", "2026-11-25", "3.11.7")


@pytest.fixture
def judged(stingy, monkeypatch, tmp_path):
    """Return a function that judges a target by some rules, and returns its JSON report.

    Records that the test writes have the date TODAY.
    """
    monkeypatch.setattr(recorded, "now", lambda: TODAY)

    def judged(target, rule="once_more/added-*"):
        stingy("run", target, "--rule", rule, "--report", "json=report.json")
        return json.loads((tmp_path / "report.json").read_text())

    return judged


def test_what_is_not_offered_is_left_out(judged):
    report = judged("stingy_broken.queues:DropsWhatIsHeld", "delays/*due")
    assert report["not_offered"]
    assert "not_offered" not in slim(report)


def test_a_record_has_no_path_of_the_machine(judged, tmp_path):
    report, file = judged(RACE, "stingy/no-item-is-with-two-workers"), tmp_path / "kept.json"
    told = next(it for it in report["results"] if it["verdict"] == "FAIL")
    told["because"] = f'File "{tmp_path}/adapter.py", File "{recorded.ROOT}/spec/stingy/rule.py"'
    keep(report, file)
    kept = json.loads(file.read_text())["results"]
    assert 'File "adapter.py", File "spec/stingy/rule.py"' in [it.get("because") for it in kept]


def test_what_is_broken_can_be_replayed_from_what_is_kept(judged, tmp_path):
    report = tmp_path / "report.json"
    kept = tmp_path / "kept.json"
    keep(judged(RACE, "stingy/no-item-is-with-two-workers"), kept)
    assert any(it.order for it in read_broken(kept).verdicts)
    assert [it.id for it in read_broken(kept).verdicts] == [it.id for it in read_broken(report).verdicts]
    assert [it.order for it in read_broken(kept).verdicts] == [
        it.order for it in read_broken(report).verdicts
    ]
    assert [it.story for it in read_broken(kept).verdicts] == [
        it.story for it in read_broken(report).verdicts
    ]


def test_a_record_is_dated_and_has_each_row_that_was_offered(judged, tmp_path):
    report = judged("stingy_reference")
    whole, kept = tmp_path / "report.json", tmp_path / "kept.json"
    keep(report, kept)
    assert json.loads(kept.read_text())["made"] == {
        "commit": "1234567",
        "day": "2026-11-25",
        "python": "3.11.7",
    }
    assert json.loads(kept.read_text())["results"] == [], "rows that only passed are listed by rule"

    def rows(document):
        return [(it.id, it.profile, it.level, it.verdict, it.evidence, it.because) for it in document.results]

    assert rows(recorded.read(kept)) == rows(read(whole))
