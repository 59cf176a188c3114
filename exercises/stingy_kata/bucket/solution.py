from __future__ import annotations

from collections.abc import Hashable, Sequence
from threading import Lock
from time import monotonic
from typing import Protocol


class RateLimiter(Protocol):
    """Methods of every rate limiter, as of ``ExponentialRateLimiter`` in the exercise before."""

    def when(self, item: Hashable, /) -> float: ...

    def forget(self, item: Hashable, /) -> None: ...

    def num_requeues(self, item: Hashable, /) -> int: ...


class BucketRateLimiter:
    """A token bucket that all items share: ``rate`` tokens a second, at most ``burst`` at once."""

    def __init__(self, rate: float, burst: int) -> None:
        self._rate = rate
        """How many tokens fall into the bucket in a second."""
        self._burst = burst
        """How many tokens the bucket holds at most."""
        self._lock = Lock()
        self._tokens = float(burst)
        """How many tokens are in it; negative if tokens of the future have been taken."""
        self._seen = monotonic()
        """When ``_tokens`` was last computed, by ``monotonic()``."""

    def when(self, item: Hashable) -> float:  # all items share one bucket
        """Take a token, and return how many seconds it takes until this token is in the bucket."""
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
        """Do nothing: a bucket remembers no items, and gets no token back."""

    def num_requeues(self, item: Hashable) -> int:
        """Return 0: a bucket remembers no items."""
        return 0


class MaxOfRateLimiter:
    """Combines several rate limiters: an item waits for the longest of their delays."""

    def __init__(self, limiters: Sequence[RateLimiter]) -> None:
        self._limiters = limiters

    def when(self, item: Hashable) -> float:
        """Return the longest delay of all limiters."""
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
        """Return the highest number of all limiters; that of a bucket is 0."""
        return max(limiter.num_requeues(item) for limiter in self._limiters)
