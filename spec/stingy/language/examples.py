"""Examples of a property, drawn by Hypothesis: the same for the same seed, whatever else a process has loaded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from stingy.language.session import CandidateError, NotOffered, Uncontrolled, Undecided, Unsteady
from stingy.language.values import Range

EXAMPLES = 25
"""How many examples of a property are tried."""
EXAMPLES_TIMED = 6
"""The same where each costs real waiting; none is shrunk then."""

_CONSTANTS = "_maybe_draw_constant"
"""Hypothesis' own method, which it has no setting for."""


def try_examples(
    ranges: Mapping[str, Range],
    once: Callable[[Mapping[str, object]], object],
    number: int,
    *,
    exact: bool,
    shrinks: bool = True,
) -> int:
    """Try examples until one breaks the rule, by what ``once`` raises. Return how many were tried.

    ``number``: the seed. ``exact``: a look costs no real waiting. ``shrinks``: the example that broke it is made as simple as
    can be, where that costs no waiting.
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
    """Hypothesis likes to draw numbers that stand in a project's own modules, those that are loaded by then.

    What is drawn would so depend on the tests that ran before in this process, and on the folder it was started in.
    """
    from hypothesis.internal.conjecture.providers import HypothesisProvider

    usual = vars(HypothesisProvider).get(_CONSTANTS)
    if usual is None:  # a version that has no such liking
        yield
        return
    setattr(HypothesisProvider, _CONSTANTS, lambda *_, **__: None)
    try:
        yield
    finally:
        setattr(HypothesisProvider, _CONSTANTS, usual)


class _Stopped(BaseException):
    """No example will tell more, and none is to blame: Hypothesis lets this through."""

    def __init__(self, reason: Exception) -> None:
        super().__init__(reason)
        self.reason = reason
