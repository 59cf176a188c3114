"""Hypothesis examples of a property: the same ones for the same seed, whatever else is imported."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from stingy.language.session import CandidateError, NotOffered, Uncontrolled, Undecided, Unsteady
from stingy.language.values import Range

EXAMPLES = 25
"""Number of examples tried for a property."""
EXAMPLES_TIMED = 6
"""Number of examples if each one costs real waiting; a failing one is not simplified."""

_CONSTANTS = "_maybe_draw_constant"
"""Name of the private method with which Hypothesis draws constants; no setting turns it off."""


def try_examples(
    ranges: Mapping[str, Range],
    once: Callable[[Mapping[str, object]], object],
    number: int,
    *,
    exact: bool,
    shrinks: bool = True,
) -> int:
    """Call ``once`` with example after example until it raises; return how many were tried.

    ``ranges``: values to draw, by parameter. ``number``: the seed. ``exact``: True if an example
    costs no real waiting. ``shrinks``: True to simplify a failing example, if ``exact`` is True as
    well.
    """
    from hypothesis import HealthCheck, Phase, given, seed, settings
    from hypothesis.errors import Flaky

    quiet = settings(
        max_examples=EXAMPLES if exact else EXAMPLES_TIMED,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate, Phase.shrink] if exact and shrinks else [Phase.generate],
        print_blob=False,
        report_multiple_bugs=False,
    )
    tried = 0

    def example(**drawn: object) -> None:
        nonlocal tried
        tried += 1
        try:
            once(drawn)
        except (NotOffered, Undecided, CandidateError, Uncontrolled) as reason:
            raise _Stopped(reason) from None

    values = {name: range_.strategy() for name, range_ in ranges.items()}
    try:
        with _draw_by_the_seed_alone():
            seed(number)(quiet(given(**values)(example)))()
    except Flaky:
        raise Unsteady("the same calls do not always have the same answers") from None
    except _Stopped as stopped:
        raise stopped.reason from None
    return tried


@contextmanager
def _draw_by_the_seed_alone() -> Iterator[None]:
    """Until the block ends, let Hypothesis draw no constants from modules loaded so far.

    With them, the examples would depend on the tests that ran earlier in this process, and on the
    working directory.
    """
    from hypothesis.internal.conjecture.providers import HypothesisProvider

    usual = vars(HypothesisProvider).get(_CONSTANTS)
    if usual is None:  # this version of Hypothesis draws no such constants
        yield
        return
    setattr(HypothesisProvider, _CONSTANTS, lambda *_, **__: None)
    try:
        yield
    finally:
        setattr(HypothesisProvider, _CONSTANTS, usual)


class _Stopped(BaseException):
    """Carries an exception through Hypothesis, which does not catch BaseException.

    Raised if the rule cannot be checked for this candidate, so that further examples are useless
    and the current one is no counterexample.
    """

    def __init__(self, reason: Exception) -> None:
        super().__init__(reason)
        self.reason = reason
