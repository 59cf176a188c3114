"""Every behaviour of upstream that is known (``catalogue.toml``), and the rules that cover it, which say so themselves."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from stingy.guarantees import all_rules
from stingy.language.rule import Rule

_FILE = Path(__file__).with_suffix(".toml")


@dataclass(frozen=True)
class Behaviour:
    name: str
    says: str
    """What upstream does."""
    rules: tuple[Rule, ...]
    """Those that cover it."""
    why_not: str = ""
    """Why no rule does."""


@dataclass(frozen=True)
class Part:
    title: str
    behaviours: tuple[Behaviour, ...]


@cache
def parts() -> tuple[Part, ...]:
    """The whole catalogue; TypeError if a rule covers what does not stand there."""
    covering: dict[str, list[Rule]] = {}
    for rule in all_rules().values():
        for name in rule.covers:
            covering.setdefault(name, []).append(rule)
    found = tuple(
        Part(
            part["title"],
            tuple(
                Behaviour(name, rules=tuple(covering.pop(name, ())), **_read_entry(entry))
                for name, entry in part["behaviours"].items()
            ),
        )
        for part in tomllib.loads(_FILE.read_text(encoding="utf-8"))["parts"]
    )
    if covering:
        name, rules = covering.popitem()
        raise TypeError(f"{rules[0].id} covers {name}, which is not in {_FILE.name}")
    return found


def find_uncovered() -> list[Behaviour]:
    """What no rule covers, though nothing says why none could."""
    everything = (behaviour for part in parts() for behaviour in part.behaviours)
    return [it for it in everything if not it.rules and not it.why_not]


def _read_entry(entry: str | dict[str, str]) -> dict[str, str]:
    return {"says": entry} if isinstance(entry, str) else entry
