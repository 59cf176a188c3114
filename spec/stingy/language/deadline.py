"""The time that one rule may take, with all the attempts that are made to judge it."""

from __future__ import annotations

import time
from collections.abc import Callable

Clock = Callable[[], float]
"""Returns seconds."""

real_clock: Clock = time.monotonic  # bound now, because a candidate in this process may replace it

FOR_SHORTER = 4
"""One of so many parts of what is left is for making a failure shorter: an attempt may have to follow."""


class Deadline:
    """The end of a span of ``seconds``, which begins now. Without limit if that is infinite."""

    def __init__(self, seconds: float, clock: Clock = real_clock) -> None:
        self.seconds = seconds
        self._clock = clock
        self._end = clock() + seconds

    @property
    def left(self) -> float:
        """Seconds until the end; negative after it."""
        return self._end - self._clock()

    def for_shorter(self) -> Callable[[], bool]:
        """Return a function that is True as long as a failure may be made shorter.

        That time begins with its first call.
        """
        end: list[float] = []

        def lasts() -> bool:
            now = self._clock()
            if not end:
                end.append(now + (self._end - now) / FOR_SHORTER)
            return now < end[0]

        return lasts
