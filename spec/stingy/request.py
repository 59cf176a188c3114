"""What is asked of whom: of the command, of pytest, and of a test of one's own. Each option is told here, once.

Nothing of ours is imported for that: this is loaded into every pytest run of the environment it is installed in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import SystemRandom
from typing import Any

DEFAULT_TARGET = "stingy_reference"
"""Who is judged if nobody is named: the implementation that comes with the suite."""

HELLO = 5.0
"""Seconds that a driver may take to answer ``hello``, unless more are given; so it is asked again each time it is started."""


@dataclass(frozen=True)
class Limits:
    """What a candidate in a process of its own may use."""

    seconds: float = 300.0
    """For one rule."""
    megabytes: int = 4096
    """Resident, in all its processes."""
    start: float = 10.0
    """Seconds to be imported."""


@dataclass(frozen=True)
class Request:
    """Who is to be judged, by what, and how."""

    target: str = DEFAULT_TARGET
    profile: tuple[str, ...] = ()
    """Only rules of these; of all if there are none."""
    rule: tuple[str, ...] = ()
    """Only rules whose ids are like one of these patterns; all if there are none."""
    strict: bool = False
    seed: int | None = None
    """Names, times and orders are chosen by it; by one that is drawn if there is none."""
    kubernetes: str = ""
    """As of this version, or with these ways, instead of what it claims."""
    budget: float | None = None
    """Seconds for all races, instead of a fixed number of orders each."""
    baseline: str = ""
    """A file of failures that are known."""
    replay: str = ""
    """A report: only what it says is broken."""
    isolate: bool = False
    limit: float = Limits.seconds
    memory: int = Limits.megabytes
    start: float | None = None
    """Seconds to be imported, or to say hello."""

    def with_a_seed(self) -> Request:
        """The same; with a seed that is drawn if it has none."""
        return replace(self, seed=SystemRandom().randrange(1, 1_000_000)) if self.seed is None else self

    @property
    def limits(self) -> Limits | None:
        """None where it is to have no process of its own."""
        return Limits(self.limit, self.memory, self.start or Limits.start) if self.isolate else None


@dataclass(frozen=True)
class Option:
    """One thing that may be asked for, as people are told of it; its name is that of the request's field."""

    help: str
    metavar: str = ""
    kind: Callable[[str], Any] = str
    """Of what is typed."""
    least: float | None = None
    more_than_least: bool = False
    choices: Callable[[], Sequence[str]] = tuple
    """What may be said; none where that is not to be listed."""
    check: Callable[[str], object] | None = None
    """Raises ValueError with a sentence."""

    def read(self, said: str) -> Any:
        """What is said, in its type; ValueError, with a sentence, if it is none of those."""
        choices = self.choices()
        if choices and said not in choices:
            raise ValueError(f"{said!r} is none of {', '.join(choices)}")
        value = self.kind(said)
        if self.least is not None and (value < self.least or (self.more_than_least and value == self.least)):
            raise ValueError(
                f"{said} is too little: {'more than' if self.more_than_least else 'at least'} {self.least:g}"
            )
        if self.check is not None:
            self.check(said)
        return value


def _list_profiles() -> Sequence[str]:
    from stingy.contract import PROFILES

    return [*dict.fromkeys(profile.name for profile in PROFILES.values())]


def _check_ways(claimed: str) -> None:
    from stingy.kubernetes import ways

    ways(claimed)


OPTIONS: Mapping[str, Option] = {
    "profile": Option(
        "Only this profile, and what it builds on.",
        choices=_list_profiles,
    ),
    "rule": Option("Only rules like this, as in 'fair/*', and what they build on.", "GLOB"),
    "strict": Option("A broken SHOULD fails the candidate, too.", kind=bool),
    "seed": Option("Names, times and orders as in that run.", "N", int, 0),
    "kubernetes": Option(
        "Judge kube-proxies as of this version, as in 1.30 or 1.33,removal=keep, instead of what they claim.",
        "VERSION",
        check=_check_ways,
    ),
    "budget": Option(
        "Run races for so many seconds in all, instead of in a fixed number of orders each.",
        "S",
        float,
        0,
        more_than_least=True,
    ),
    "baseline": Option("Failures that are known, as written by: stingy baseline write.", "FILE"),
    "replay": Option(
        "Only what this JSON report says is broken, each race in the order that broke it.", "FILE"
    ),
    "isolate": Option(
        "Judge a candidate in Python in a process of its own, which it may end or spoil; as is done where it can be.",
        kind=bool,
    ),
    "limit": Option(
        f"Seconds that one rule may take in that process, or with a driver, {Limits.seconds:g} unless said.",
        "S",
        float,
        0,
        more_than_least=True,
    ),
    "memory": Option(
        f"Memory that it may keep resident, with all that it starts, {Limits.megabytes} unless said.",
        "MB",
        int,
        64,
    ),
    "start": Option(
        f"Seconds that it may take to be imported, {Limits.start:g} unless said, or a driver to say hello, {HELLO:g}.",
        "S",
        float,
        0,
        more_than_least=True,
    ),
}
