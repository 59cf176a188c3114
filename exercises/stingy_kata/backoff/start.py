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
        self._failures = 0  # TODO: of which item?
        """How often something has failed."""

    def when(self, item: Hashable) -> float:
        """Note that the item has failed (once more), and say how long it has to wait."""
        with self._lock:
            before = self._failures
            self._failures += 1
            # TODO: and after the thousandth failure?
            return min(self._base_delay * 2.0**before, self._max_delay)

    def forget(self, item: Hashable) -> None:
        """The item has succeeded: its next failure is a first one."""
        with self._lock:
            self._failures = 0  # TODO: is that all of them, or this one?

    def num_requeues(self, item: Hashable) -> int:
        """How often the item has failed since it was forgotten."""
        with self._lock:
            return self._failures
