"""The deadline of a rule, for all attempts to judge it."""

from __future__ import annotations

import time
from collections.abc import Callable

Clock = Callable[[], float]
"""Returns seconds."""

real_clock: Clock = time.monotonic  # bound now, because a candidate in this process may replace it

FOR_SHORTER = 1 / 4
"""Part of the time left that making a failure shorter may take: another attempt may have to follow."""


class Deadline:
    """A time ``seconds`` from now; it never comes if they are infinite."""

    def __init__(self, seconds: float, clock: Clock = real_clock) -> None:
        self.seconds = seconds
        self._clock = clock
        self._end = clock() + seconds

    @property
    def left(self) -> float:
        """Seconds until the end; negative after it."""
        return self._end - self._clock()

    def for_shorter(self) -> Callable[[], bool]:
        """Return a function that returns True as long as a failure may be made shorter.

        The time for that begins with its first call.
        """
        end: list[float] = []

        def lasts() -> bool:
            now = self._clock()
            if not end:
                end.append(now + (self._end - now) * FOR_SHORTER)
            return now < end[0]

        return lasts
