"""Rate limiters: how long a failed item has to wait before its retry. All times are in seconds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from threading import Lock
from time import monotonic
from typing import Protocol


class RateLimiter(Protocol):
    """Sets the delays of failed items."""

    def when(self, item: Hashable, /) -> float:
        """Count a failure of the item, and return how many seconds it has to wait."""

    def forget(self, item: Hashable, /) -> None:
        """Reset the item's count of failures."""

    def num_requeues(self, item: Hashable, /) -> int:
        """Return how often the item has failed since it was forgotten."""


class Failures:
    """Counter of each item's failures: the base of rate limiters that depend on it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._failures: Counter[Hashable] = Counter()

    def fail(self, item: Hashable) -> int:
        """Count a failure of the item, and return how many it had before."""
        with self._lock:
            before = self._failures[item]
            self._failures[item] = before + 1
            return before

    def forget(self, item: Hashable) -> None:
        with self._lock:
            self._failures.pop(item, None)

    def num_requeues(self, item: Hashable) -> int:
        with self._lock:
            return self._failures[item]


class ExponentialRateLimiter(Failures):
    """Returns ``base_delay`` for an item's first failure, and doubles it with each further one.

    The delay is at most ``max_delay``.
    """

    def __init__(self, base_delay: float, max_delay: float) -> None:
        super().__init__()
        self._base_delay = base_delay
        self._max_delay = max_delay
        self._doublings = 0
        """Doublings of the base delay until the maximum is reached. More could overflow a float."""
        while 0 < base_delay * (1 << self._doublings) < max_delay:
            self._doublings += 1

    def when(self, item: Hashable) -> float:
        doubled = self._base_delay * (1 << min(self.fail(item), self._doublings))
        return min(doubled, self._max_delay)


class FastSlowRateLimiter(Failures):
    """Returns ``fast_delay`` for an item's first failures, and ``slow_delay`` for later ones.

    ``max_fast_attempts`` is the number of these first failures.
    """

    def __init__(self, fast_delay: float, slow_delay: float, max_fast_attempts: int) -> None:
        super().__init__()
        self._fast_delay = fast_delay
        self._slow_delay = slow_delay
        self._max_fast_attempts = max_fast_attempts

    def when(self, item: Hashable) -> float:
        return self._fast_delay if self.fail(item) < self._max_fast_attempts else self._slow_delay


class BucketRateLimiter:
    """A token bucket that all items share: ``rate`` tokens a second, and at most ``burst`` at once.

    Each call of ``when`` takes a token. If there is none, it reserves a future one, and returns the
    seconds until then.
    """

    def __init__(self, rate: float, burst: int) -> None:
        self._lock = Lock()
        self._rate = rate
        self._burst = burst
        self._tokens = float(burst)
        self._seen = monotonic()

    def when(self, item: Hashable) -> float:  # noqa: ARG002
        with self._lock:
            now = monotonic()
            self._tokens = min(self._burst, self._tokens + (now - self._seen) * self._rate) - 1
            self._seen = now
            return max(0.0, -self._tokens / self._rate)

    def forget(self, item: Hashable) -> None:
        """Do nothing: the bucket does not keep anything by item."""

    def num_requeues(self, item: Hashable) -> int:  # noqa: ARG002
        return 0


class MaxOfRateLimiter:
    """Returns the longest delay of several rate limiters.

    Each call of ``when`` counts a failure in all of them.
    """

    def __init__(self, limiters: Sequence[RateLimiter]) -> None:
        self._limiters = limiters

    def when(self, item: Hashable) -> float:
        return max([0.0, *(limiter.when(item) for limiter in self._limiters)])

    def forget(self, item: Hashable) -> None:
        for limiter in self._limiters:
            limiter.forget(item)

    def num_requeues(self, item: Hashable) -> int:
        return max((limiter.num_requeues(item) for limiter in self._limiters), default=0)


class MaxWaitRateLimiter:
    """Returns the delay of another rate limiter, but at most ``max_delay``."""

    def __init__(self, limiter: RateLimiter, max_delay: float) -> None:
        self._limiter = limiter
        self._max_delay = max_delay

    def when(self, item: Hashable) -> float:
        return min(self._limiter.when(item), self._max_delay)

    def forget(self, item: Hashable) -> None:
        self._limiter.forget(item)

    def num_requeues(self, item: Hashable) -> int:
        return self._limiter.num_requeues(item)


def default_controller_rate_limiter() -> RateLimiter:
    """Return upstream's default for controllers.

    It combines exponential delays of each item, from 5 ms to 1000 s, with a token bucket for all
    items: 10 a second, 100 at once.
    """
    return MaxOfRateLimiter([ExponentialRateLimiter(0.005, 1000), BucketRateLimiter(10, 100)])


def default_item_rate_limiter() -> RateLimiter:
    """Return a limiter with exponential delays of each item, from 1 ms to 1000 s."""
    return ExponentialRateLimiter(0.001, 1000)
