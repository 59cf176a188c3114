"""Report formats: each contains the verdicts."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from io import StringIO

import junitparser
import pytest
from msgspec import structs

from stingy.guarantees import all_rules
from stingy.judging.trial import Judge
from stingy.judging.verdict import Exit, Finding, Status
from stingy.reports import (
    FORMATS,
    Report,
    ReportError,
    badge,
    ctrf,
    github,
    html,
    junit,
    markdown,
    terminal,
    verbose,
    write,
)
from stingy.reports import json as json_report
from stingy.request import Request
from stingy.transport import locate

BROKEN = "stingy_broken.queues:CountsEveryEvent"
LENIENT = "length/len-counts-what-is-queued"
UNJUDGED = ["fair/first-come-first-served", "shutdown/shutting-down-says-so"]
WHY = "not judged: --fail-fast ended the run before"


@pytest.fixture(scope="module")
def outcome():
    candidate = locate(BROKEN, 1)
    judge = Judge(candidate, 1)
    guarantees = ("stingy", "length", "limiters", "restart")
    verdicts = [
        verdict
        for rule in all_rules().values()
        if rule.guarantee in guarantees and not rule.races
        for verdict in judge.verdicts(rule)
    ]
    took = {verdict.id: 0.25 for verdict in verdicts}
    began = datetime(2026, 1, 1, tzinfo=UTC)
    return Report("1", Request(BROKEN, seed=1), "Broken", "2", "", verdicts, began=began, seconds=took)


def told(format_, outcome):
    out = StringIO()
    format_.write(outcome, out)
    return out.getvalue()


def number(outcome, finding):
    return sum(verdict.verdict is finding for verdict in outcome.verdicts)


def test_junit_has_a_case_for_each_verdict(outcome):
    suites = junitparser.JUnitXml.fromstring(told(junit, outcome).encode())
    cases = {(suite.name, case.name): case for suite in suites for case in suite}
    assert len(cases) == len(outcome.verdicts)
    for verdict in outcome.verdicts:
        case = cases[tuple(verdict.id.split("/", 1))]
        assert case.is_failure == verdict.fails(strict=False)
        assert case.is_passed == (verdict.verdict is Finding.PASS)
        assert case.is_skipped == (verdict.verdict in (Finding.NOT_OFFERED, Finding.BLOCKED))
        assert case.time == 0.25
    assert sum(suite.failures for suite in suites) == number(outcome, Finding.FAIL)


def test_ctrf_counts_its_tests(outcome):
    results = json.loads(told(ctrf, outcome))["results"]
    assert results["summary"]["failed"] == number(outcome, Finding.FAIL)
    assert results["summary"]["passed"] == number(outcome, Finding.PASS)
    assert results["summary"]["tests"] == len(results["tests"]) == len(outcome.verdicts)
    assert results["summary"]["start"] == 1767225600000
    assert {test["duration"] for test in results["tests"]} == {250}


def test_markdown_has_a_row_for_each_profile_and_a_story_for_each_failure(outcome):
    text = told(markdown, outcome)
    assert f"| queue | {number(outcome, Finding.PASS)} |" in text
    assert text.count("<details>") == text.count("</details>") == number(outcome, Finding.FAIL)
    assert "✗ expected" in text


def test_github_gets_a_line_for_each_failure(outcome):
    lines = told(github, outcome).splitlines()
    assert len(lines) == number(outcome, Finding.FAIL)
    assert all(line.startswith(("::error title=", "::warning title=")) for line in lines)
    assert not any(char in line.partition("title=")[2].partition("::")[0] for line in lines for char in ":,")


def test_there_is_a_badge_for_each_profile_that_is_offered(outcome, tmp_path):
    write(f"badge={tmp_path}", outcome)
    assert [path.name for path in tmp_path.iterdir()] == ["queue.json"]
    said = json.loads((tmp_path / "queue.json").read_text())
    assert said == {
        "schemaVersion": 1,
        "label": "stingy: queue",
        "message": f"{number(outcome, Finding.PASS)} of {len(outcome.verdicts) - number(outcome, Finding.NOT_OFFERED)} kept",
        "color": "red",
    }


def test_an_interrupted_run_gets_no_green_badge(outcome):
    kept = [verdict for verdict in outcome.verdicts if verdict.verdict is Finding.PASS]
    said = json.loads(
        told(badge, Report("1", Request(BROKEN, seed=1), "", "", "", kept, status=Status.INTERRUPTED))
    )
    assert said["color"] == "lightgrey"
    assert said["message"] == "cut short"


def test_rules_not_judged_are_skipped_in_every_format(outcome):
    found = Report(
        "1", Request(BROKEN, seed=1), "", "", "", outcome.verdicts, status=Status.STOPPED, unjudged=UNJUDGED
    )
    cases = {
        f"{suite.name}/{case.name}": case
        for suite in junitparser.JUnitXml.fromstring(told(junit, found).encode())
        for case in suite
    }
    assert len(cases) == len(outcome.verdicts) + len(UNJUDGED)
    assert all(cases[id_].is_skipped for id_ in UNJUDGED)
    assert {cases[id_].result[0].message for id_ in UNJUDGED} == {WHY}
    results = json.loads(told(ctrf, found))["results"]
    assert results["extra"]["status"] == "stopped"
    assert results["summary"]["tests"] == len(results["tests"]) == len(cases)
    skipped = [test["name"] for test in results["tests"] if test.get("message") == WHY]
    assert skipped == UNJUDGED
    assert {test["status"] for test in results["tests"] if test["name"] in UNJUDGED} == {"skipped"}
    document = json.loads(told(json_report, found))
    assert document["status"] == "stopped"
    assert document["unjudged"] == UNJUDGED
    assert "2 more have not been judged**: queue 2" in told(markdown, found)
    assert told(github, found).splitlines()[-1].startswith("::notice ")
    assert json.loads(told(badge, found))["message"] == "cut short"
    page = told(html, found)
    assert "2 more have not been judged" in page
    assert all(f"<li><code>{id_}</code></li>" in page for id_ in UNJUDGED)
    first, last = (" ".join(told(report, found).split()) for report in (terminal, verbose))
    assert last.endswith("--fail-fast ended the run: 2 more have not been judged")
    assert "; --fail-fast ended the run: 2 more have not been judged" in first


def test_a_stopped_run_is_not_compared_with_known_faults(outcome, monkeypatch):
    monkeypatch.setattr("stingy.reports.find_fault", lambda _failed, _verdicts: "a fault")
    assert [cause.fault for cause in replace(outcome).causes] == ["a fault"]
    assert [cause.fault for cause in replace(outcome, status=Status.STOPPED).causes] == [None]


def test_a_folder_is_refused_in_place_of_a_file(outcome, tmp_path):
    with pytest.raises(ReportError, match="is a folder"):
        write(f"junit={tmp_path}", outcome)


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_takes_a_run_without_verdicts(name, tmp_path):
    write(f"{name}={tmp_path / 'report'}", Report("1", Request("x", seed=1), "", "", "", []))
    assert (tmp_path / "report").exists()


def test_an_unexpected_pass_fails_in_every_format(outcome):
    kept = next(verdict for verdict in outcome.verdicts if verdict.verdict is Finding.PASS)
    better = structs.replace(kept, verdict=Finding.UNEXPECTED_PASS, because="take it off the list")
    found = Report("1", Request(BROKEN, seed=1), "", "", "", [better])
    (suite,) = junitparser.JUnitXml.fromstring(told(junit, found).encode())
    assert suite.failures == 1
    assert json.loads(told(ctrf, found))["results"]["summary"]["failed"] == 1
    assert told(github, found).startswith("::error ")
    assert "UNEXPECTED-PASS" in told(markdown, found).partition("<details>")[2]
    assert 'id="' + kept.rule.replace("/", "-") in told(html, found)


def test_a_run_without_a_verdict_is_inconclusive():
    none = Report("1", Request(BROKEN, seed=1), "", "", "", (), status=Status.OUT_OF_TIME, unjudged=UNJUDGED)
    assert none.exit is Exit.INCONCLUSIVE
    assert "does not conform" not in none.headline
