from __future__ import annotations

from collections.abc import Hashable, Sequence
from threading import Lock
from time import monotonic
from typing import Protocol


class RateLimiter(Protocol):
    """What every rate limiter can be asked; ``ExponentialRateLimiter``, of the exercise before, is one."""

    def when(self, item: Hashable, /) -> float: ...

    def forget(self, item: Hashable, /) -> None: ...

    def num_requeues(self, item: Hashable, /) -> int: ...


class BucketRateLimiter:
    """So many items a second, whichever they are, and so many at once."""

    def __init__(self, rate: float, burst: int) -> None:
        self._rate = rate
        """How many tokens fall into the bucket in a second."""
        self._burst = burst
        """How many it holds."""
        self._lock = Lock()
        self._tokens = float(burst)
        """How many there are; fewer than none if so many have been promised already."""
        self._seen = monotonic()
        """When somebody last looked."""

    def when(self, item: Hashable) -> float:  # it is one bucket for all
        """Take a token, and say how many seconds it will be until it has fallen into the bucket."""
        with self._lock:
            # hole
            # | return 0.0  # TODO: fill the bucket, take a token, and say how long that is to fall.
            now = monotonic()
            filled = min(self._burst, self._tokens + (now - self._seen) * self._rate)
            self._tokens = filled - 1
            self._seen = now
            return max(0.0, -self._tokens / self._rate)
            # end of hole

    def forget(self, item: Hashable) -> None:
        """A bucket remembers no items, and gives no token back."""

    def num_requeues(self, item: Hashable) -> int:
        """A bucket remembers no items."""
        return 0


class MaxOfRateLimiter:
    """Several rate limiters as one: an item waits as long as the strictest of them says."""

    def __init__(self, limiters: Sequence[RateLimiter]) -> None:
        self._limiters = limiters

    def when(self, item: Hashable) -> float:
        """The longest that any of them says."""
        # hole
        # | return 0.0  # TODO: ask them.
        return max(limiter.when(item) for limiter in self._limiters)
        # end of hole

    def forget(self, item: Hashable) -> None:
        """The item has succeeded."""
        # hole
        # | # TODO: tell them.
        for limiter in self._limiters:
            limiter.forget(item)
        # end of hole

    def num_requeues(self, item: Hashable) -> int:
        """The most that any of them says: a bucket says 0."""
        return max(limiter.num_requeues(item) for limiter in self._limiters)
