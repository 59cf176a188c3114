"""Metrics of a work queue: its length, and the times for which items wait and are processed."""

from __future__ import annotations

from collections.abc import Hashable
from threading import Condition, Thread
from time import monotonic
from typing import Protocol

TICK = 0.5
"""Seconds between two updates of the gauges for items in processing."""


class Counter(Protocol):
    def inc(self) -> None: ...


class Gauge(Protocol):
    def inc(self) -> None: ...

    def dec(self) -> None: ...


class SettableGauge(Protocol):
    def set(self, value: float, /) -> None: ...


class Observer(Protocol):
    def observe(self, seconds: float, /) -> None: ...


class MetricsProvider(Protocol):
    """Makes the metrics of a queue, given its name. All times are in seconds."""

    def depth(self, name: str, /) -> Gauge: ...

    def adds(self, name: str, /) -> Counter: ...

    def queue_duration(self, name: str, /) -> Observer: ...

    def work_duration(self, name: str, /) -> Observer: ...

    def unfinished_work(self, name: str, /) -> SettableGauge: ...

    def longest_running(self, name: str, /) -> SettableGauge: ...

    def retries(self, name: str, /) -> Counter: ...


class NoMetrics:
    """Metrics that record nothing, and the interface of those that do."""

    def added(self, item: Hashable) -> None: ...

    def taken(self, item: Hashable) -> None: ...

    def finished(self, item: Hashable) -> None: ...

    def retried(self) -> None: ...

    def stop(self) -> None: ...


class QueueMetrics(NoMetrics):
    """The seven metrics of one queue.

    The queue calls all methods except ``retried`` with its lock held.
    """

    def __init__(self, provider: MetricsProvider, name: str) -> None:
        self._depth = provider.depth(name)
        self._adds = provider.adds(name)
        self._queue_duration = provider.queue_duration(name)
        self._work_duration = provider.work_duration(name)
        self._unfinished_work = provider.unfinished_work(name)
        self._longest_running = provider.longest_running(name)
        self._retries = provider.retries(name)
        self._added: dict[Hashable, float] = {}
        """Time when each dirty item became so, in seconds of the monotonic clock."""
        self._taken: dict[Hashable, float] = {}
        """Time when each item in processing was handed out, by the same clock."""
        self._changed = Condition()
        self._stopped = False
        Thread(target=self._tick, name=f"metrics of {name}", daemon=True).start()

    def added(self, item: Hashable) -> None:
        """Record that the item became dirty, whether it is in processing or not."""
        self._adds.inc()
        self._depth.inc()
        self._added[item] = monotonic()

    def taken(self, item: Hashable) -> None:
        now = monotonic()
        self._depth.dec()
        self._queue_duration.observe(now - self._added.pop(item))
        with self._changed:
            self._taken[item] = now

    def finished(self, item: Hashable) -> None:
        with self._changed:
            taken = self._taken.pop(item)
        self._work_duration.observe(monotonic() - taken)

    def retried(self) -> None:
        """Record that an item was to be added after a delay."""
        self._retries.inc()

    def stop(self) -> None:
        """Stop updating the gauges: after a shutdown, items in processing may never be finished."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()

    def _tick(self) -> None:
        with self._changed:
            while not self._changed.wait_for(lambda: self._stopped, TICK):
                now = monotonic()
                ages = [now - taken for taken in self._taken.values()]
                self._unfinished_work.set(sum(ages))
                self._longest_running.set(max(ages, default=0.0))


def metrics_of(provider: MetricsProvider | None, name: str) -> NoMetrics:
    """Return the metrics of a queue; they record nothing if there is no provider or no name."""
    return QueueMetrics(provider, name) if provider is not None and name else NoMetrics()
