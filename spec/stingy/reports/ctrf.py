"""Common Test Report Format (<https://ctrf.io>), a JSON format that dashboards read."""

from __future__ import annotations

from typing import Any, TextIO

import msgspec

from stingy.contract.testimony import throughout
from stingy.judging.verdict import Finding, Verdict
from stingy.reports import TOLD, Report, Standard
from stingy.reports.verbose import failure

STATUS = {Finding.PASS: "passed", Finding.FAIL: "other", Finding.ERROR: "failed"}
"""CTRF status by finding, if ``Verdict.fails`` is False; then a FAIL is that of a SHOULD."""


def write(outcome: Report, out: TextIO) -> None:
    tests = [_test(verdict, outcome) for verdict in outcome.verdicts]
    tests += [_unjudged(id_, outcome) for id_ in outcome.unjudged]
    document = {
        "reportFormat": "CTRF",
        "specVersion": "1.0.0",
        "results": {
            "tool": {"name": "stingy", "version": outcome.suite},
            "summary": _summary(tests, outcome),
            "tests": tests,
            "extra": {
                "candidate": outcome.request.target,
                "seed": outcome.request.seed,
                "status": outcome.status,
                "held_against": {str(it): int(outcome.held_against(it)) for it in Standard},
            },
        },
    }
    out.write(msgspec.json.format(msgspec.json.encode(throughout(document)), indent=1).decode())
    out.write("\n")


def _summary(tests: list[dict[str, Any]], outcome: Report) -> dict[str, int]:
    counts = {
        status: sum(test["status"] == status for test in tests)
        for status in ("passed", "failed", "skipped", "pending", "other")
    }
    began = round(outcome.began.timestamp() * 1000)
    return {"tests": len(tests), **counts, "start": began, "stop": began + round(outcome.lasted * 1000)}


def _test(verdict: Verdict, outcome: Report) -> dict[str, Any]:
    test = {
        "name": verdict.id,
        "suite": [verdict.rule.partition("/")[0]],
        "status": _status(verdict, outcome),
        "rawStatus": verdict.verdict.value,
        "duration": round(outcome.took(verdict) * 1000),
        "tags": [verdict.profile, verdict.level.value],
    }
    if verdict.verdict is not Finding.PASS:
        test["message"] = verdict.because
    if verdict.verdict in TOLD:
        test["trace"] = failure(verdict)
    return test


def _unjudged(id_: str, outcome: Report) -> dict[str, Any]:
    return {
        "name": id_,
        "suite": [id_.partition("/")[0]],
        "status": "skipped",
        "duration": 0,
        "message": outcome.why_unjudged,
    }


def _status(verdict: Verdict, outcome: Report) -> str:
    if verdict.fails(strict=outcome.request.strict):
        return "failed"
    return STATUS.get(verdict.verdict, "skipped")
