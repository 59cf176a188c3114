"""Examples of a property: the same ones for the same seed.

They are drawn here, because Hypothesis takes as long to choose an example as a rule takes to try it,
and its choices differ between its versions. It simplifies those that fail, and is imported only then.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import takewhile
from typing import cast

from stingy.language.choices import Choices, drawn_from, repeated, simplest
from stingy.language.session import CandidateError, NotOffered, Uncontrolled, Undecided, Unsteady
from stingy.language.values import Range

EXAMPLES = 25
"""Number of examples tried for a property."""
WALKS = 50
"""Number of walks tried: a fault that needs six certain steps in a row may be on one of 100."""
EXAMPLES_TIMED = 6
"""Number of examples if each one costs real waiting; a failing one is not simplified."""
SIMPLER = 500
"""Limit of examples that are tried to simplify a failing one."""
DRAWS = 500
"""Limit of draws, many of which repeat an example if there are few: with 24, all are still found."""

Draw = Callable[[Choices], Mapping[str, object]]
"""Makes values of choices, by parameter."""

_KEY = b"the failing example"


def try_examples(
    ranges: Mapping[str, Range],
    once: Callable[[Mapping[str, object]], object],
    number: int,
    *,
    exact: bool,
    shrinks: bool = True,
    may_shorten: Callable[[], bool] = lambda: True,
) -> int:
    """Call ``once`` with example after example until it raises; return how many were tried.

    ``ranges``: values to draw, by parameter. ``number``: the seed. ``exact``: True if an example
    costs no real waiting. ``shrinks``: True to simplify a failing example, if ``exact`` is True as
    well, and as long as ``may_shorten`` returns True. Raises Unsteady if a failing example passes
    when it is tried again.
    """
    most = number_of_examples(ranges) if exact else EXAMPLES_TIMED
    failed: dict[str, bool] = {}

    def draw(choices: Choices) -> dict[str, object]:
        return {name: range_.draw(choices) for name, range_ in ranges.items() if range_.draw}

    def fails(values: Mapping[str, object]) -> bool:
        example = repr(values)
        if example not in failed and len(failed) < most + SIMPLER:
            try:
                with _same_random_numbers():
                    once(values)
                failed[example] = False
            except AssertionError:
                failed[example] = True
        return failed.get(example, False)

    sources = takewhile(lambda _: len(failed) < most, _sources(number))
    failing = next((choices for choices in sources if fails(draw(choices))), None)
    if failing is None:
        return len(failed)
    values: Mapping[str, object] = draw(repeated(failing.made))
    if exact and shrinks:
        values = _simplify(failing, draw, ranges, lambda values: may_shorten() and fails(values))
    with _same_random_numbers():
        once(values)
    raise Unsteady("the same calls do not always have the same answers")


def number_of_examples(ranges: Mapping[str, Range]) -> int:
    """Return how many examples are tried if an example costs no real waiting."""
    return WALKS if any(range_.walks for range_ in ranges.values()) else EXAMPLES


def _sources(number: int) -> Iterator[Choices]:
    """Yield sources of choices for examples; the first example is the simplest one."""
    yield simplest()
    chance = random.Random(number)  # noqa: S311 - not for security
    for _ in range(DRAWS):
        yield drawn_from(chance)


def _simplify(
    found: Choices,
    draw: Draw,
    ranges: Mapping[str, Range],
    fails: Callable[[Mapping[str, object]], bool],
) -> Mapping[str, object]:
    """Return the simplest values found that fail, as those drawn from ``found`` do.

    ``fails`` returns True for values that fail.
    """
    if any(range_.walks for range_ in ranges.values()):
        ((name, value),) = draw(repeated(found.made)).items()
        return {name: _leave_out(list(cast("Sequence[object]", value)), lambda left: fails({name: left}))}
    return draw(repeated(_choose_simpler(found, draw, fails).made))


def _leave_out(steps: list[object], fails: Callable[[list[object]], bool]) -> list[object]:
    """Return the steps without those that a failure does not need: none of them can be left out alone.

    The algorithm is Zeller's delta debugging: ever shorter runs of steps are left out.
    """
    size = len(steps)
    while size:
        start, before = 0, len(steps)
        while start < len(steps):
            if fails(left := steps[:start] + steps[start + size :]):
                steps = left
            else:
                start += size
        if size > 1 or len(steps) == before:
            size //= 2
    return steps


def _choose_simpler(found: Choices, draw: Draw, fails: Callable[[Mapping[str, object]], bool]) -> Choices:
    """Return the simplest choices found by Hypothesis whose values fail, as those of ``found`` do."""
    from hypothesis import Phase, find, settings, strategies
    from hypothesis.database import InMemoryExampleDatabase, choices_to_bytes
    from hypothesis.errors import HypothesisException

    known = InMemoryExampleDatabase()
    # With one choice too many: an example that is exactly as recorded counts as simplified before.
    known.save(_KEY, choices_to_bytes([*found.made, 0]))
    best = found

    @strategies.composite  # draws faster than ``strategies.data``
    def values_and_choices(choose: strategies.DrawFn) -> tuple[Mapping[str, object], Choices]:
        choices = Choices(lambda most, _: choose(strategies.integers(0, most)))
        return draw(choices), choices

    def still_fails(drawn: tuple[Mapping[str, object], Choices]) -> bool:
        nonlocal best
        values, choices = drawn
        try:
            failed = fails(values)
        except (NotOffered, Undecided, CandidateError, Uncontrolled) as reason:
            raise _Stopped(reason) from None
        if failed and choices.size < best.size:
            best = choices
        return failed

    try:
        find(
            values_and_choices(),
            still_fails,
            settings=settings(
                database=known, phases=[Phase.reuse, Phase.shrink], max_examples=SIMPLER, deadline=None
            ),
            database_key=_KEY,
        )
    except _Stopped as stopped:
        raise stopped.reason from None
    except HypothesisException:
        pass  # it does not fail each time, which ``try_examples`` finds out
    return best


class _Stopped(BaseException):
    """Carries an exception through Hypothesis, which does not catch BaseException."""

    def __init__(self, reason: Exception) -> None:
        super().__init__(reason)
        self.reason = reason


@contextmanager
def _same_random_numbers() -> Iterator[None]:
    """Until the block ends, give a candidate that uses ``random`` the same numbers for each example.

    Otherwise an example that fails might pass when it is tried again.
    """
    state = random.getstate()
    random.seed(0)
    try:
        yield
    finally:
        random.setstate(state)
