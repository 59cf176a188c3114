"""Correct rate limiters that work differently from the reference. No rule may accuse them."""

from __future__ import annotations

import time
from collections.abc import Hashable
from datetime import timedelta
from decimal import Decimal
from threading import Lock
from typing import Any, Protocol

NANOSECONDS = 1_000_000_000


class Clock(Protocol):
    def monotonic_ns(self) -> int: ...


class WithIntegers:
    """Exponential delays, computed in whole nanoseconds as unlimited integers."""

    def __init__(self, base_delay: float, max_delay: float) -> None:
        self._lock = Lock()
        self._base, self._max = round(base_delay * NANOSECONDS), round(max_delay * NANOSECONDS)
        self._failures: dict[Hashable, int] = {}

    def when(self, item: Hashable) -> float:
        with self._lock:
            failures = self._failures.setdefault(item, 0)
            self._failures[item] += 1
        return min(self._base << failures, self._max) / NANOSECONDS

    def forget(self, item: Hashable) -> None:
        with self._lock:
            self._failures.pop(item, None)

    def num_requeues(self, item: Hashable) -> int:
        with self._lock:
            return self._failures.get(item, 0)


class RemembersTheWait:
    """Exponential delays: it stores each item's next delay, in whole microseconds."""

    def __init__(self, base_delay: float, max_delay: float) -> None:
        self._lock = Lock()
        self._max = timedelta(seconds=max_delay)
        self._unknown = min(timedelta(seconds=base_delay), self._max), 0
        self._known: dict[Hashable, tuple[timedelta, int]] = {}

    def when(self, item: Hashable) -> float:
        with self._lock:
            wait, failures = self._known.get(item, self._unknown)
            self._known[item] = min(wait * 2, self._max), failures + 1
            return wait.total_seconds()

    def forget(self, item: Hashable) -> None:
        with self._lock:
            self._known.pop(item, None)

    def num_requeues(self, item: Hashable) -> int:
        with self._lock:
            return self._known.get(item, self._unknown)[1]


class CountsBackwards:
    """Fast and slow delays: it stores the number of fast attempts that an item has left.

    A negative number is that of slow attempts so far.
    """

    def __init__(self, fast_delay: float, slow_delay: float, max_fast_attempts: int) -> None:
        self._lock = Lock()
        self._delays = fast_delay, slow_delay
        self._fast = max_fast_attempts
        self._left: dict[Hashable, int] = {}

    def when(self, item: Hashable) -> float:
        with self._lock:
            left = self._left.get(item, self._fast)
            self._left[item] = left - 1
        return self._delays[left <= 0]

    def forget(self, item: Hashable) -> None:
        with self._lock:
            self._left.pop(item, None)

    def num_requeues(self, item: Hashable) -> int:
        with self._lock:
            return self._fast - self._left.get(item, self._fast)


class KnowsTheNextPlace:
    """A rate limit without a bucket: stores the time of the next free place at an even rate.

    It uses the given clock.
    """

    def __init__(self, rate: float, burst: int, clock: Clock) -> None:
        self._lock = Lock()
        self._clock = clock
        self._interval = Decimal(NANOSECONDS) / Decimal(rate)
        self._tolerance = self._interval * (burst - 1)
        self._next = Decimal(clock.monotonic_ns())

    def when(self, item: Hashable) -> float:  # noqa: ARG002
        with self._lock:
            now = self._clock.monotonic_ns()
            due = max(self._next, Decimal(now))
            self._next = due + self._interval
            return float(max(due - self._tolerance - now, Decimal(0)) / NANOSECONDS)

    def forget(self, item: Hashable) -> None: ...

    def num_requeues(self, item: Hashable) -> int:  # noqa: ARG002
        return 0


class FillsFromThePast:
    """A token bucket that stores when it will be full, by monotonic time; delays are in milliseconds."""

    def __init__(self, rate: float, burst: int) -> None:
        self._lock = Lock()
        self._interval = 1 / rate
        self._burst = burst
        self._full_at = time.monotonic()

    def when(self, item: Hashable) -> float:  # noqa: ARG002
        with self._lock:
            now = time.monotonic()
            self._full_at = max(self._full_at, now) + self._interval
            return round(max(0.0, self._full_at - now - self._burst * self._interval), 3)

    def forget(self, item: Hashable) -> None: ...

    def num_requeues(self, item: Hashable) -> int:  # noqa: ARG002
        return 0


SOUND: tuple[type[Any], ...] = (
    *(WithIntegers, RemembersTheWait, CountsBackwards, KnowsTheNextPlace, FillsFromThePast),
)
