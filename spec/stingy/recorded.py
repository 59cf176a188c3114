"""What real implementations were found to do: results of our own runs, kept with this version of the rules."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


def outcomes(rule_id: str) -> Mapping[str, str]:
    """By implementation and version: what was seen, where a rule accepts several outcomes or only looks."""
    return {who: seen for who, rules in _all().items() if (seen := rules.get(rule_id))}


@cache
def _all() -> Mapping[str, Mapping[str, str]]:
    return dict(_seen(path) for path in _paths())


def _paths() -> list[Path]:
    """In the wheel they lie beside this file, in a checkout where they are recorded."""
    shipped = sorted((HERE / "recorded").glob("*.json"))
    return shipped or sorted(HERE.parent.parent.glob("candidates/*/result*.json"))


def _seen(path: Path) -> tuple[str, Mapping[str, str]]:
    report = json.loads(path.read_text(encoding="utf-8"))
    candidate = report["candidate"]
    return f"{candidate['name']} {candidate['version']}", dict(_by_rule(report["results"]))


def _by_rule(results: list[dict[str, Any]]) -> Mapping[str, str]:
    found: dict[str, list[str]] = {}
    for result in results:
        if result["because"].startswith("seen: "):
            said = result["because"].removeprefix("seen: ")
            found.setdefault(result["rule"], []).append(
                f"{result['case']}: {said}" if result["case"] else said
            )
    return {rule: "; ".join(said) for rule, said in found.items()}
