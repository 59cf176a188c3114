"""Rate limiters: how long an item has to wait that has failed so often. All times are in seconds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from threading import Lock
from time import monotonic
from typing import Protocol


class RateLimiter(Protocol):
    def when(self, item: Hashable, /) -> float:
        """Note that the item has failed, and say how long it has to wait."""

    def forget(self, item: Hashable, /) -> None:
        """Begin anew with this item."""

    def num_requeues(self, item: Hashable, /) -> int:
        """How often the item has failed since it was forgotten."""


class Failures:
    """How often each item has failed; for rate limiters that go by it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._failures: Counter[Hashable] = Counter()

    def fail(self, item: Hashable) -> int:
        """Note a failure; how many there were before."""
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
    """Each failure doubles the wait, from ``base_delay`` up to ``max_delay``."""

    def __init__(self, base_delay: float, max_delay: float) -> None:
        super().__init__()
        self._base_delay = base_delay
        self._max_delay = max_delay
        self._doublings = 0
        """How often the base can be doubled before it is no use: beyond that, a float overflows."""
        while 0 < base_delay * (1 << self._doublings) < max_delay:
            self._doublings += 1

    def when(self, item: Hashable) -> float:
        doubled = self._base_delay * (1 << min(self.fail(item), self._doublings))
        return min(doubled, self._max_delay)


class FastSlowRateLimiter(Failures):
    """The first ``max_fast_attempts`` failures wait for ``fast_delay``, all others for ``slow_delay``."""

    def __init__(self, fast_delay: float, slow_delay: float, max_fast_attempts: int) -> None:
        super().__init__()
        self._fast_delay = fast_delay
        self._slow_delay = slow_delay
        self._max_fast_attempts = max_fast_attempts

    def when(self, item: Hashable) -> float:
        return self._fast_delay if self.fail(item) < self._max_fast_attempts else self._slow_delay


class BucketRateLimiter:
    """At most ``rate`` items a second, whichever they are, and ``burst`` of them at once.

    Who comes too early gets a place in the future: each call reserves one.
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
        """It remembers no items."""

    def num_requeues(self, item: Hashable) -> int:  # noqa: ARG002
        return 0


class MaxOfRateLimiter:
    """The longest of what several rate limiters say; each of them is asked every time."""

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
    """What another rate limiter says, but never more than ``max_delay``."""

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
    """Each item waits longer each time, and all together are no more than ten a second."""
    return MaxOfRateLimiter([ExponentialRateLimiter(0.005, 1000), BucketRateLimiter(10, 100)])


def default_item_rate_limiter() -> RateLimiter:
    """Each item waits longer each time."""
    return ExponentialRateLimiter(0.001, 1000)
