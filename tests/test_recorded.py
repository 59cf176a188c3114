"""A result is recorded without what need not be kept of it, and is still what it was."""

import json

from click.testing import CliRunner

from stingy.cli import main
from stingy.recorded import keep, slim
from stingy.reports.json import read_broken

BROKEN = "stingy_broken.queues:ComesBackAtTheHead"


def judged(path, target):
    CliRunner().invoke(main, ["run", target, "--rule", "once_more/*", "--report", f"json={path}"])
    return json.loads(path.read_text())


def test_what_is_not_offered_is_left_out(tmp_path):
    report = judged(tmp_path / "report.json", "stingy_reference")
    report["results"].append(report["results"][0] | {"verdict": "NOT-OFFERED", "because": "it has no get"})
    assert slim(report)["results"] == slim(report | {"results": report["results"][:-1]})["results"]


def test_what_is_broken_can_be_replayed_from_what_is_kept(tmp_path):
    report = tmp_path / "report.json"
    kept = tmp_path / "kept.json"
    keep(judged(report, BROKEN), kept)
    assert read_broken(kept).by_case.keys() == read_broken(report).by_case.keys()
    assert [it.order for it in read_broken(kept).verdicts] == [
        it.order for it in read_broken(report).verdicts
    ]
    assert [it.story for it in read_broken(kept).verdicts] == [
        it.story for it in read_broken(report).verdicts
    ]


def test_what_is_kept_is_kept_as_it_is(tmp_path):
    report = judged(tmp_path / "report.json", "stingy_reference")
    keep(report, tmp_path / "kept.json")
    kept = json.loads((tmp_path / "kept.json").read_text())
    assert kept == slim(report) == slim(kept)
    assert all(
        row.items() <= whole.items() for row, whole in zip(kept["results"], report["results"], strict=True)
    )
