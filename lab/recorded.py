"""Recorded results of real implementations: what is kept of a report, and outcomes that upstream leaves open."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from stingy.file import put
from stingy.snapshot import now


def slim(report: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of a JSON report that is kept; it can still be replayed.

    Rows that are missing are NOT-OFFERED, and fields that are missing are empty. Sources are left
    out, as the rules have them.
    """
    rows = [_slim_row(row) for row in report["results"] if row["verdict"] != "NOT-OFFERED"]
    return {**report, "results": rows}


def keep(report: Mapping[str, Any], path: Path) -> None:
    """Write the kept part of a report, one row a line, so that diffs are readable."""
    kept = slim(report) | {"made": asdict(now())}
    lines = [f" {json.dumps(key)}: {_format_value(value)}" for key, value in kept.items()]
    put(path, "{\n" + ",\n".join(lines) + "\n}\n")


def _slim_row(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key == "case" or (value and key != "source")}


def _format_value(value: Any) -> str:
    if not isinstance(value, list):
        return json.dumps(value, ensure_ascii=False)
    return "[\n  " + ",\n  ".join(json.dumps(row, ensure_ascii=False) for row in value) + "\n ]"


def seen(rows: Iterable[tuple[str, str, str]]) -> Mapping[str, str]:
    """Return the observed outcomes by rule, from rows of rule, case and reason of the verdict."""
    found: dict[str, dict[str, str]] = {}
    for rule, case, because in rows:
        if because.startswith("seen: "):
            found.setdefault(rule, {})[case] = because.removeprefix("seen: ")
    return {rule: _enumerate(cases) for rule, cases in found.items()}


def _enumerate(cases: Mapping[str, str]) -> str:
    """Return the outcome of each case; only once if all are the same."""
    same = len({*cases.values()}) == 1
    return "; ".join(dict.fromkeys(said if same else f"{case}: {said}" for case, said in cases.items()))
