"""A known behaviour, and what the specification has to say of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Behaviour:
    name: str
    said: str
    """What upstream does."""
    rules: tuple[str, ...] = ()
    """The ids of the rules that are about it."""
    why_not: str = ""
    """Why no rule is."""


@dataclass(frozen=True)
class Part:
    title: str
    behaviours: tuple[Behaviour, ...]


def by(name: str, said: str, *rules: str) -> Behaviour:
    return Behaviour(name, said, rules)


def not_by(name: str, said: str, why: str) -> Behaviour:
    return Behaviour(name, said, why_not=why)
