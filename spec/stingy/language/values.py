"""Ranges of values for properties."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from stingy.contract import MICROSECOND, MILLISECOND, SECOND, Nanoseconds

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


@dataclass(frozen=True)
class Range:
    """Values to try: described in words for the page, and as a Hypothesis strategy for the run."""

    words: str
    strategy: Callable[[], SearchStrategy[Any]]
    list_all: Callable[[str], Iterator[Any]] | None = None
    """Function that yields all values, in an order that depends on the seed it is given.

    Only rules about races need it: they do not use Hypothesis, since they simplify failures in
    their own way.
    """


NOTHING = ""
"""A step that is left out."""
THOROUGH = 4
"""How often each step is drawn for each time that a step is left out."""

ACTS = 4
"""Number of lists that are drawn for a script and then joined."""


def numbers(least: int, most: int) -> Range:
    def strategy() -> SearchStrategy[int]:
        from hypothesis import strategies

        return strategies.integers(least, most)

    return Range(f"a number from {least} to {most}", strategy)


def between(least: Nanoseconds, most: Nanoseconds) -> Range:
    """Return a range of spans of time. Hours, minutes, …, nanoseconds are equally likely units."""

    def strategy() -> SearchStrategy[int]:
        from hypothesis import strategies

        # By itself, Hypothesis prefers small numbers: up to an hour in ns, it rarely draws a second.
        units = [size for _, size in _UNITS if most - least >= size]
        of_a_unit = [_whole(-(-least // size), most // size, size) for size in units]
        return strategies.one_of(*of_a_unit, strategies.sampled_from([least, most]))

    return Range(f"a time from {format_span(least)} to {format_span(most)}", strategy)


def _whole(least: int, most: int, size: Nanoseconds) -> SearchStrategy[Nanoseconds]:
    from hypothesis import strategies

    return strategies.integers(least, most).map(lambda number: number * size)


def instants(first: int, last: int) -> Range:
    """Return a range of instants in these years, to the nanosecond; each year is equally likely."""

    def strategy() -> SearchStrategy[int]:
        from hypothesis import strategies

        return strategies.builds(
            _moment,
            strategies.integers(first, last),
            strategies.integers(0, 365 * 86_400 - 1),
            strategies.integers(0, SECOND - 1),
        )

    return Range(f"a moment of the years {first} to {last}", strategy)


def _moment(year: int, second: int, nanosecond: int) -> Nanoseconds:
    return (int(datetime(year, 1, 1, tzinfo=UTC).timestamp()) + second) * SECOND + nanosecond


def sequences(of: Sequence[str], least: int, most: int) -> Range:
    """Return a range of sequences of these items (letters or words), with repetitions."""
    words = f"{least} to {most} of the items {', '.join(of)}, in any order, with repetitions"
    return Range(words, partial(_lists, of, least, most))


def steps(*of: str, least: int, most: int) -> Range:
    """Return a range of sequences of the steps ``of``, with repetitions.

    Roughly ``least`` to ``most`` steps are drawn. A failing sequence may be simplified to fewer.
    """

    def strategy() -> SearchStrategy[list[str]]:
        # Shrinking a Hypothesis list keeps its least length; steps that shrink to NOTHING avoid that.
        some = _lists((NOTHING, *of * THOROUGH), least, most)
        return some.map(lambda steps: [step for step in steps if step != NOTHING])

    return Range(f"up to {most} steps out of: {', '.join(of)}", strategy)


def scripts(of: Sequence[str], within: Nanoseconds, most: int) -> Range:
    """Return a range of sequences of pairs: a step of ``of``, and the time that passes before it."""

    def strategy() -> SearchStrategy[list[tuple[str, Nanoseconds]]]:
        from hypothesis import strategies

        whiles = strategies.just(0) | strategies.integers(0, within)
        some = strategies.lists(strategies.tuples(strategies.sampled_from(of), whiles), max_size=most // ACTS)
        # Hypothesis prefers short lists; several joined ones are long, and can still shrink.
        return strategies.tuples(*[some] * ACTS).map(lambda acts: [step for act in acts for step in act])

    words = f"up to {most} steps out of: {', '.join(of)}; each after a while of up to {format_span(within)}"
    return Range(words, strategy)


def _lists(of: Sequence[str], least: int, most: int) -> SearchStrategy[list[str]]:
    from hypothesis import strategies

    return strategies.lists(strategies.sampled_from(of), min_size=least, max_size=most)


def orders(of: str) -> Range:
    """Return a range of all orders of these items, which are one letter each."""

    def strategy() -> SearchStrategy[list[str]]:
        from hypothesis import strategies

        return strategies.permutations(list(of))

    return Range(f"an order of the items {', '.join(of)}", strategy)


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
        return isinstance(other, int | float) and -self.early <= other * SECOND - self.span <= self.late

    def __hash__(self) -> int:
        return hash(self.span)

    def __repr__(self) -> str:
        return f"{self.span / SECOND:.9g}"
