from __future__ import annotations

from collections.abc import Hashable
from threading import Lock


class ExponentialRateLimiter:
    """Computes how long a failed item has to wait: each failure doubles the wait.

    Times are in seconds. Nothing waits here: the caller asks, and gets a number.
    """

    def __init__(self, base_delay: float, max_delay: float) -> None:
        self._base_delay = base_delay
        """The wait after the first failure."""
        self._max_delay = max_delay
        """The longest wait."""
        self._lock = Lock()
        """Several workers may call at the same time."""
        # hole
        # | self._failures = 0  # TODO: of which item?
        # | """How often something has failed."""
        self._failures: dict[Hashable, int] = {}
        """How often each item has failed since it was forgotten."""
        # end of hole

    def when(self, item: Hashable) -> float:
        """Count a failure of the item, and return how many seconds it has to wait."""
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
        """Note that the item has succeeded: its next failure counts as its first."""
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
