"""Requests: what to judge, by which rules, and how.

The options of the command and of pytest come from here. This module imports nothing else of the
suite, as every pytest run of the environment loads it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan
from random import SystemRandom
from typing import Any

DEFAULT_TARGET = "stingy_reference"
"""The target if none is named: the reference implementation that comes with the suite."""

STANDARD_OUTPUT = "-"
"""The path of a report that goes to standard output."""

EDITIONS = ("2026.11",)
"""Editions of the rules, oldest first: the releases in which rules were added or sharpened."""

HELLO = 5.0
"""Seconds that a driver may take to answer ``hello``, each time that it is started."""

MOST_SECONDS = 1e6
"""Longest time in seconds of any option: more than eleven days.

The systems' timers have limits of their own: ``poll`` counts milliseconds in 32 bits, 24 days.
"""


@dataclass(frozen=True)
class Limits:
    """Limits on the time and memory of a candidate that is judged in its own process."""

    seconds: float = 300.0
    """Seconds that one rule may take."""
    megabytes: int = 4096
    """Resident memory of the candidate and all processes that it starts, in MB."""
    start: float = 10.0
    """Seconds that the import of the candidate may take."""


@dataclass(frozen=True)
class Request:
    """Request of a run: the candidate, the rules, and how to judge."""

    target: str = DEFAULT_TARGET
    profile: tuple[str, ...] = ()
    """Only rules of these profiles; empty for all."""
    rule: tuple[str, ...] = ()
    """Only rules whose ids match one of these patterns; empty for all."""
    edition: str = ""
    """Only rules that this edition has; empty for all."""
    strict: bool = False
    seed: int | None = None
    """Seed of the names, times and thread orders that rules use; None if not drawn yet."""
    kubernetes: str = ""
    """Kubernetes version or behaviours to judge by, as in ``1.30`` or ``1.33,removal=keep``.

    Empty for those that the candidate claims.
    """
    budget: float | None = None
    """Seconds for all races together; None to run a fixed number of orders of each race."""
    baseline: str = ""
    """File of a baseline; empty for none."""
    replay: str = ""
    """File of a report whose broken rules are judged again; empty for none."""
    isolate: bool = False
    timed: bool = False
    limit: float = Limits.seconds
    memory: int = Limits.megabytes
    start: float | None = None
    """Seconds that an import, or a driver's answer to ``hello``, may take; None for the default."""

    settled: frozenset[str] = frozenset()
    """Names of the fields that have their value from the settings of the project."""

    def words(self, rule: str = "") -> Sequence[str]:
        """Return the arguments of ``stingy run`` that make this request; with ``rule``, for this rule only.

        What the settings of the project say is left out. So is the file of a replay, which is
        another command's, and the isolation.
        """
        words = [] if "target" in self.settled else [self.target]
        for name, option in OPTIONS.items():
            value = getattr(self, name)
            said = value != getattr(Request, name) and name not in self.settled
            if not said or name in ("replay", "isolate") or (rule and name == "rule"):
                continue
            if option.kind is bool:
                words.append(f"--{name}")
            else:
                for it in value if isinstance(value, tuple) else (value,):
                    words += [f"--{name}", f"{it:g}" if isinstance(it, float) else str(it)]
        return [*words, *(["--rule", rule] if rule else [])]

    def with_a_seed(self) -> Request:
        """Return the request with a seed; if it has none, one is drawn at random."""
        return replace(self, seed=SystemRandom().randrange(1, 1_000_000)) if self.seed is None else self

    @property
    def limits(self) -> Limits | None:
        """Limits of the candidate's own process; None if it is judged in the suite's process."""
        return Limits(self.limit, self.memory, self.start or Limits.start) if self.isolate else None


@dataclass(frozen=True)
class Option:
    """An option of the commands and of pytest. Its key in ``OPTIONS`` is a field of ``Request``."""

    help: str
    metavar: str = ""
    kind: Callable[[str], Any] = str
    """Converts the text on the command line."""
    least: float | None = None
    """The smallest value; None if there is none."""
    more_than_least: bool = False
    """True if ``least`` itself is already too small."""
    most: float | None = None
    """The largest value; None if there is none."""
    choices: Callable[[], Sequence[str]] = tuple
    """Returns the allowed values; empty if ``kind`` and ``check`` decide what is allowed."""
    check: Callable[[str], object] | None = None
    """Checks the text. Raises ValueError with a message for users."""
    is_path: bool = False
    """True if the text is the path of a file."""

    def read(self, said: str) -> Any:
        """Convert the option's text ``said`` to its value, and check it.

        Raises ValueError with a message for users.
        """
        try:
            value = self.kind(said)
        except OverflowError as error:  # of a whole number in TOML
            raise ValueError(str(error)) from None
        return self.approve(value)

    def approve(self, value: Any) -> Any:
        """Return the value. Raises ValueError with a message for users if it is not allowed."""
        if isinstance(value, float) and isnan(value):  # would pass each comparison
            raise ValueError(f"{value} is not a number")
        choices = self.choices()
        if choices and value not in choices:
            raise ValueError(f"{value!r} is not one of {', '.join(choices)}")
        if self.least is not None and (value < self.least or (self.more_than_least and value == self.least)):
            raise ValueError(
                f"{value:g} is too small: it must be {'more than' if self.more_than_least else 'at least'} {self.least:g}"
            )
        if self.most is not None and value > self.most:
            raise ValueError(f"{value:g} is too large: it must be at most {self.most:,.0f}")
        if self.check is not None:
            self.check(value)
        return value


def _list_profiles() -> Sequence[str]:
    from stingy.contract import PROFILES

    return [*dict.fromkeys(profile.name for profile in PROFILES.values())]


def _check_ways(claimed: str) -> None:
    from stingy.contract.kubernetes import ways

    ways(claimed)


def _check_edition(edition: str) -> None:
    if edition and edition not in EDITIONS:
        raise ValueError(f"there is no edition {edition!r}: this version of stingy has {', '.join(EDITIONS)}")


def seconds(help_: str) -> Option:
    """Return an option that is a time in seconds."""
    return Option(help_, "S", float, 0, more_than_least=True, most=MOST_SECONDS)


OPTIONS: Mapping[str, Option] = {
    "profile": Option(
        "Judge only the rules of this profile, and the rules that they build on.",
        choices=_list_profiles,
    ),
    "rule": Option(
        "Judge only rules whose ids match, as in 'fair/*', and the rules that they build on.", "GLOB"
    ),
    "edition": Option(
        f"Judge only by the rules that this edition has, and not by those of later releases.  [known: {', '.join(EDITIONS)}]",
        "YYYY.MM",
        check=_check_edition,
    ),
    "strict": Option("Fail the candidate for a broken SHOULD as well.", kind=bool),
    "seed": Option(
        "Use the names, times and orders of the run with this seed.  [default: random]", "N", int, 0
    ),
    "kubernetes": Option(
        "Judge a kube-proxy by this version, as in 1.30 or 1.33,removal=keep, instead of the version that it claims.",
        "VERSION",
        check=_check_ways,
    ),
    "budget": seconds(
        "Run all races for this many seconds in total, instead of a fixed number of orders each."
    ),
    "baseline": Option(
        "Accept the failures listed in this file, which stingy baseline write writes.", "FILE", is_path=True
    ),
    "replay": Option(
        "Judge only the rules that this JSON report says are broken, each race in the order that broke it.",
        "FILE",
        is_path=True,
    ),
    "isolate": Option(
        "Judge a Python candidate in its own process, so that it cannot end or change the process of the run. The commands do so by default where the system can fork.",
        kind=bool,
    ),
    "timed": Option(
        "Judge a Python candidate on real threads and in real time, in any Python: the evidence is timed, not exact.",
        kind=bool,
    ),
    "limit": seconds(
        f"Seconds that one rule may take, in a process of its own or with a driver.  [default: {Limits.seconds:g}]"
    ),
    "memory": Option(
        f"Resident memory of the candidate and all processes that it starts.  [default: {Limits.megabytes}]",
        "MB",
        int,
        64,
    ),
    "start": seconds(
        f"Seconds that an import may take, or the hello of a driver.  [default: {Limits.start:g} for an import, {HELLO:g} for a hello]"
    ),
}
