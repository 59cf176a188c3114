from __future__ import annotations

from collections.abc import Hashable
from threading import Lock


class ExponentialRateLimiter:
    """How long an item has to wait that has failed so often: each failure doubles it.

    Times are in seconds. Nothing waits here: somebody asks, and is told a number.
    """

    def __init__(self, base_delay: float, max_delay: float) -> None:
        self._base_delay = base_delay
        """The wait after the first failure."""
        self._max_delay = max_delay
        """The longest there is."""
        self._lock = Lock()
        """Workers fail at the same time, too."""
        # hole
        # | self._failures = 0  # TODO: of which item?
        # | """How often something has failed."""
        self._failures: dict[Hashable, int] = {}
        """How often each item has failed since it was forgotten."""
        # end of hole

    def when(self, item: Hashable) -> float:
        """Note that the item has failed (once more), and say how long it has to wait."""
        with self._lock:
            # hole
            # | before = self._failures
            # | self._failures += 1
            # | # TODO: and after the thousandth failure?
            # | return min(self._base_delay * 2.0**before, self._max_delay)
            before = self._failures.get(item, 0)
            self._failures[item] = before + 1
            doublings = min(before, 1000)  # beyond that, a float overflows
            return min(self._base_delay * 2.0**doublings, self._max_delay)
            # end of hole

    def forget(self, item: Hashable) -> None:
        """The item has succeeded: its next failure is a first one."""
        with self._lock:
            # hole
            # | self._failures = 0  # TODO: is that all of them, or this one?
            self._failures.pop(item, None)
            # end of hole

    def num_requeues(self, item: Hashable) -> int:
        """How often the item has failed since it was forgotten."""
        with self._lock:
            # hole
            # | return self._failures
            return self._failures.get(item, 0)
            # end of hole
