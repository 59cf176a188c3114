"""Results of our own runs of real implementations: what is kept of a report, and what was seen where upstream leaves it open."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from stingy.file import put
from stingy.renamed import current
from stingy.snapshot import now


def slim(report: Mapping[str, Any]) -> dict[str, Any]:
    """What is worth keeping of a report of ``--report json``; it can be replayed as before.

    A row that is not there is NOT-OFFERED, and what a row leaves out is empty. The source of a rule is the rule's to say.
    """
    rows = [_slim_row(row) for row in report["results"] if row["verdict"] != "NOT-OFFERED"]
    return {**report, "results": rows}


def keep(report: Mapping[str, Any], path: Path) -> None:
    """Write down what is worth keeping, a row a line, so that one can see what has changed."""
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
    """By rule, what was seen where several outcomes are accepted; of rules, cases, and why the verdict is what it is."""
    found: dict[str, dict[str, str]] = {}
    for rule, case, because in rows:
        if because.startswith("seen: "):
            found.setdefault(current(rule), {})[case] = because.removeprefix("seen: ")
    return {rule: _enumerate(cases) for rule, cases in found.items()}


def _enumerate(cases: Mapping[str, str]) -> str:
    """What was seen in each, or once what was seen in all."""
    same = len({*cases.values()}) == 1
    return "; ".join(dict.fromkeys(said if same else f"{case}: {said}" for case, said in cases.items()))
