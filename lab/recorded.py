"""Recorded results of real implementations: what is kept of a report, and observed outcomes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from msgspec import field
from msgspec.structs import replace

from stingy.guarantees import all_rules
from stingy.judging.trial import make_verdict
from stingy.judging.verdict import Evidence, Finding, spell
from stingy.process.file import put
from stingy.process.snapshot import now
from stingy.reports.json import Document, read_as

ROOT = Path(__file__).parents[1]
KEPT = "kept"
"""Key of a record for the rows that passed without a remark: their names by evidence and rule."""


def slim(report: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of a JSON report that is recorded, from which broken rules can be replayed.

    In it, a missing row means NOT-OFFERED, and a missing field means that the field has its default.
    """
    rows = report["results"]
    kept: dict[str, dict[str, list[str]]] = {}
    for row in filter(_only_passed, rows):
        kept.setdefault(row["evidence"], {}).setdefault(row["rule"], []).append(row["case"])
    told = [_without_source(row) for row in rows if not _only_passed(row)]
    whole = {key: value for key, value in report.items() if key != "not_offered"}
    return {**whole, "results": told, KEPT: kept}


def _only_passed(row: Mapping[str, Any]) -> bool:
    return row["verdict"] == Finding.PASS and not row.get("because") and row["rule"] in all_rules()


def keep(report: Mapping[str, Any], path: Path) -> None:
    """Write the recorded part of a report to ``path``, one row or rule a line.

    The recorded part, which stays in the repository, is that of ``slim``. Paths in it, as in a traceback
    that was printed, begin at the folder of ``path``, or at that of the project.
    """
    kept = slim(report) | {"made": asdict(now())}
    lines = [f" {json.dumps(key)}: {_format_value(value)}" for key, value in kept.items()]
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    for folder in path.parent.absolute(), ROOT:
        text = text.replace(f"{folder}/", "")
    put(path, text)


def read(path: Path) -> Document:
    """Read a recorded report, and restore all its rows; rows of rules that were deleted are left out.

    Raises ReportError if the file cannot be read.
    """
    record = read_as(_Record, path)
    passed = [
        make_verdict(rule, row, Finding.PASS, evidence)
        for evidence, cases in record.kept.items()
        for id_, names in cases.items()
        if (rule := all_rules().get(id_))
        for row in rule.cases
        if (row.name if row else "") in names
    ]
    told = [it for it in record.results if it.rule in all_rules()]
    order = [spell(id_, row.name if row else "") for id_, rule in all_rules().items() for row in rule.cases]
    place = {id_: number for number, id_ in enumerate(order)}
    return replace(record, results=sorted([*told, *passed], key=lambda it: place.get(it.id, len(order))))


class _Record(Document):
    kept: dict[Evidence, dict[str, list[str]]] = field(default_factory=dict)


def _without_source(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row without the source of its rule, which the rule itself names."""
    return {key: value for key, value in row.items() if key != "source"}


def _format_value(value: Any) -> str:
    match value:
        case [*rows]:
            return f"[\n  {_JOIN.join(map(_dump, rows))}\n ]"
        case {} if value and all(isinstance(each, dict) for each in value.values()):
            inner = (
                f"{_dump(key)}: {{\n   "
                + ",\n   ".join(f"{_dump(rule)}: {_dump(cases)}" for rule, cases in each.items())
                + "\n  }"
                for key, each in value.items()
            )
            return f"{{\n  {_JOIN.join(inner)}\n }}"
    return _dump(value)


_JOIN = ",\n  "


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def seen(rows: Iterable[tuple[str, str, str]]) -> Mapping[str, str]:
    """Return what the candidate was seen to do where upstream leaves it open, by the rule's id.

    Each of ``rows`` is a rule's id, the name of a row of its table, and the reason of the verdict
    on it. A reason that begins with ``seen:`` is such an outcome; those of one rule are joined.
    """
    found: dict[str, dict[str, str]] = {}
    for rule, case, because in rows:
        if because.startswith("seen: "):
            found.setdefault(rule, {})[case] = because.removeprefix("seen: ")
    return {rule: _enumerate(cases) for rule, cases in found.items()}


def _enumerate(cases: Mapping[str, str]) -> str:
    """Return the outcomes of a rule's cases as one text; only one outcome if it is the same in all."""
    same = len({*cases.values()}) == 1
    return "; ".join(dict.fromkeys(said if same else f"{case}: {said}" for case, said in cases.items()))
