"""For programs: schema 1. A report without ``"complete": true`` is not one."""

from __future__ import annotations

from typing import Any, TextIO

import msgspec

from stingy.reports import Outcome
from stingy.verdict import Finding, Verdict

SCHEMA = 1


def write(outcome: Outcome, out: TextIO) -> None:
    out.write(msgspec.json.format(msgspec.json.encode(_document(outcome)), indent=1).decode())
    out.write("\n")


def _document(outcome: Outcome) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "suite": {"version": outcome.suite},
        "candidate": {"target": outcome.target, "name": outcome.name, "version": outcome.version},
        "seed": outcome.seed,
        "results": [_row(verdict) for verdict in outcome.verdicts],
        "summary": {
            "exit": int(outcome.exit),
            "strict": outcome.strict,
            **{finding.value: outcome.counts.get(finding, 0) for finding in Finding},
        },
        "complete": outcome.complete,
    }


def _row(verdict: Verdict) -> dict[str, Any]:
    row: dict[str, Any] = msgspec.to_builtins(verdict)
    if not row.pop("fault"):
        return row
    return row | {"fault": True}
