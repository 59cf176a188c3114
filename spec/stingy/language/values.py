"""What a property may range over."""

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
    """Values to try, in words for the page and as a Hypothesis strategy for the run."""

    words: str
    strategy: Callable[[], SearchStrategy[Any]]
    list_all: Callable[[str], Iterator[Any]] | None = None
    """All of them, without Hypothesis, for races: these are shortened in another way. In an order by the seed."""


NOTHING = ""
"""A step that is left out."""
THOROUGH = 4
"""Each step is drawn so many times as often as none."""

ACTS = 4
"""A script is drawn in so many parts."""


def numbers(least: int, most: int) -> Range:
    def strategy() -> SearchStrategy[int]:
        from hypothesis import strategies

        return strategies.integers(least, most)

    return Range(f"a number from {least} to {most}", strategy)


def between(least: Nanoseconds, most: Nanoseconds) -> Range:
    """A span of time, to the nanosecond; whole minutes, seconds and so on are as likely as anything."""

    def strategy() -> SearchStrategy[int]:
        from hypothesis import strategies

        # Left to itself, Hypothesis draws small numbers: of an hour in nanoseconds hardly ever as much as a second.
        units = [size for _, size in _UNITS if most - least >= size]
        of_a_unit = [_whole(-(-least // size), most // size, size) for size in units]
        return strategies.one_of(*of_a_unit, strategies.sampled_from([least, most]))

    return Range(f"a time from {format_span(least)} to {format_span(most)}", strategy)


def _whole(least: int, most: int, size: Nanoseconds) -> SearchStrategy[Nanoseconds]:
    from hypothesis import strategies

    return strategies.integers(least, most).map(lambda number: number * size)


def instants(first: int, last: int) -> Range:
    """A moment of these years, to the nanosecond; any year as likely as another."""

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
    """Items (letters, or words) one after the other, the same one perhaps more than once."""
    words = f"{least} to {most} of the items {', '.join(of)}, in any order, with repetitions"
    return Range(words, partial(_lists, of, least, most))


def steps(*of: str, least: int, most: int) -> Range:
    """What happens one after the other, each thing perhaps more than once.

    About ``least`` are drawn, and more; what breaks a rule is then made as short as it gets.
    """

    def strategy() -> SearchStrategy[list[str]]:
        # A list of Hypothesis' keeps its least length when it is made simple; steps that may turn into nothing do not.
        some = _lists((NOTHING, *of * THOROUGH), least, most)
        return some.map(lambda steps: [step for step in steps if step != NOTHING])

    return Range(f"up to {most} steps out of: {', '.join(of)}", strategy)


def scripts(of: Sequence[str], within: Nanoseconds, most: int) -> Range:
    """What happens one after the other, each thing as a pair with the time that passes before it."""

    def strategy() -> SearchStrategy[list[tuple[str, Nanoseconds]]]:
        from hypothesis import strategies

        whiles = strategies.just(0) | strategies.integers(0, within)
        some = strategies.lists(strategies.tuples(strategies.sampled_from(of), whiles), max_size=most // ACTS)
        # Hypothesis prefers short lists; of several of them it makes a long one, which it still can make short.
        return strategies.tuples(*[some] * ACTS).map(lambda acts: [step for act in acts for step in act])

    words = f"up to {most} steps out of: {', '.join(of)}; each after a while of up to {format_span(within)}"
    return Range(words, strategy)


def _lists(of: Sequence[str], least: int, most: int) -> SearchStrategy[list[str]]:
    from hypothesis import strategies

    return strategies.lists(strategies.sampled_from(of), min_size=least, max_size=most)


def orders(of: str) -> Range:
    """The items, each once, in every order."""

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
    """A span of time in the largest unit that says it exactly: ``1.5 s`` is ``1500 ms``."""
    if span == 0:
        return "0 s"
    unit, size = next((unit, size) for unit, size in _UNITS if span % size == 0)
    return f"{span // size:,} {unit}".replace("-", "−")


def about(span: Nanoseconds, early: Nanoseconds = MICROSECOND, late: Nanoseconds = MICROSECOND) -> About:
    """A latency in seconds as a candidate reports it, give or take a microsecond, or what a rule allows.

    A float of seconds is what the metric takes; whoever computes it from microseconds is no liar.
    """
    return About(span, early, late)


def alike(latency: float) -> About:
    """A latency like another that was measured: each of them may be off as ``about`` allows."""
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
