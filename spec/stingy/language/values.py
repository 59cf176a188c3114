"""Ranges of values for properties."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from stingy.contract import MICROSECOND, MILLISECOND, SECOND, Nanoseconds
from stingy.contract.kinds import is_a
from stingy.language.choices import Choices


@dataclass(frozen=True)
class Range:
    """Values to try: described in words for the page, and drawn or listed for the run."""

    words: str
    draw: Callable[[Choices], Any] | None = None
    """Function that makes one of the values of choices; None for a rule about races."""
    list_all: Callable[[str], Iterator[Any]] | None = None
    """Function that yields all values, in an order that depends on the seed it is given.

    Only rules about races need it, since they simplify failures in their own way.
    """
    walks: bool = False
    """True for walks: each step may be left out to simplify one, and rules with the same walks share them."""


ACTS = 4
"""Number of lists that are drawn for a script and then joined: hardly any script is short then."""


def numbers(least: int, most: int) -> Range:
    return Range(f"a number from {least} to {most}", lambda choices: choices.number(least, most))


def between(least: Nanoseconds, most: Nanoseconds) -> Range:
    """Return a range of spans of time. Hours, minutes, …, nanoseconds are equally likely units."""
    units = [size for _, size in _UNITS if most - least >= size]

    def draw(choices: Choices) -> Nanoseconds:
        size = choices.pick(units)  # in nanoseconds alone, hardly any span would be a whole second
        return choices.number(-(-least // size), most // size) * size

    return Range(f"a time from {format_span(least)} to {format_span(most)}", draw)


def instants(first: int, last: int) -> Range:
    """Return a range of instants in these years, to the nanosecond; each year is equally likely."""

    def draw(choices: Choices) -> Nanoseconds:
        year = choices.pick(range(first, last + 1))
        second = choices.number(0, 365 * 86_400 - 1)
        start = int(datetime(year, 1, 1, tzinfo=UTC).timestamp())
        return (start + second) * SECOND + choices.number(0, SECOND - 1)

    return Range(f"a moment of the years {first} to {last}", draw)


def sequences(of: Sequence[str], least: int, most: int) -> Range:
    """Return a range of sequences of these items (letters or words), with repetitions."""

    def draw(choices: Choices) -> list[str]:
        return choices.repeat(lambda: choices.pick(of), least, most, simplest=least)

    words = f"{least} to {most} of the items {', '.join(of)}, in any order, with repetitions"
    return Range(words, draw)


def steps(*of: str, least: int, most: int) -> Range:
    """Return a range of sequences of the steps ``of``, with repetitions.

    ``least`` to ``most`` steps are drawn. A failing sequence may be simplified to fewer.
    """

    def draw(choices: Choices) -> list[str]:
        return choices.repeat(lambda: choices.pick(of), least, most, simplest=0)

    return Range(f"up to {most} steps out of: {', '.join(of)}", draw)


def scripts(of: Sequence[str], within: Nanoseconds, most: int) -> Range:
    """Return a range of sequences of pairs: a step of ``of``, and the time that passes before it."""

    def draw(choices: Choices) -> list[tuple[str, Nanoseconds]]:
        def step() -> tuple[str, Nanoseconds]:
            return choices.pick(of), choices.pick((0, 1)) and choices.number(0, within)

        acts = [choices.repeat(step, 0, most // ACTS, simplest=0) for _ in range(ACTS)]
        return [step for act in acts for step in act]

    words = f"up to {most} steps out of: {', '.join(of)}; each after a while of up to {format_span(within)}"
    return Range(words, draw)


def orders(of: str) -> Range:
    """Return a range of all orders of these items, which are one letter each."""

    def draw(choices: Choices) -> list[str]:
        left = list(of)
        return [left.pop(left.index(choices.pick(left))) for _ in of]

    return Range(f"an order of the items {', '.join(of)}", draw)


_UNITS = (
    ("h", 3600 * SECOND),
    ("min", 60 * SECOND),
    ("s", SECOND),
    ("ms", MILLISECOND),
    ("µs", MICROSECOND),
    ("ns", 1),
)


def format_span(span: Nanoseconds) -> str:
    """Return a span as text, in the largest unit that is exact: 1.5 s is ``1,500 ms``."""
    if span == 0:
        return "0 s"
    unit, size = next((unit, size) for unit, size in _UNITS if span % size == 0)
    return f"{span // size:,} {unit}".replace("-", "−")


def about(span: Nanoseconds, early: Nanoseconds = MICROSECOND, late: Nanoseconds = MICROSECOND) -> About:
    """Return an object that equals each latency, in float seconds, that is close to ``span``.

    ``early`` and ``late`` are the largest accepted differences. By default they are a microsecond,
    because a candidate may measure in microseconds.
    """
    return About(span, early, late)


def alike(latency: float) -> About:
    """Return an object that equals each latency close to this measured one, in seconds.

    Each of the two may be off by a microsecond, so a difference of two is accepted.
    """
    return about(round(latency * SECOND), 2 * MICROSECOND, 2 * MICROSECOND)


@dataclass(frozen=True)
class About:
    span: Nanoseconds
    early: Nanoseconds
    late: Nanoseconds

    def __eq__(self, other: object) -> bool:
        return is_a(other, int, float) and -self.early <= other * SECOND - self.span <= self.late

    def __hash__(self) -> int:
        return hash(self.span)

    def __repr__(self) -> str:
        return f"{self.span / SECOND:.9g}"
