"""A rate limiter that answers with delays that a rule has chosen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

from stingy.contract import SECOND, Nanoseconds
from stingy.engine.touching import are_alone


class Scripted:
    """A rate limiter that delays an item's n-th failure by the n-th of ``delays``, or by the last.

    Without ``counts``, it reports that no item has ever failed, as a token bucket does.
    """

    def __init__(self, delays: Sequence[Nanoseconds], *, counts: bool = True) -> None:
        self._delays = delays
        self._counts = counts
        self._failures: Counter[Hashable] = Counter()

    def when(self, item: Hashable) -> float:
        failures = self._failures[item]
        self._failures[item] += 1
        return self._delays[min(failures, len(self._delays) - 1)] / SECOND

    def forget(self, item: Hashable) -> None:
        del self._failures[item]

    def num_requeues(self, item: Hashable) -> int:
        return self._failures[item] if self._counts else 0


are_alone(Scripted)
