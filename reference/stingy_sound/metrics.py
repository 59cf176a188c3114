"""Correct work queues that record their metrics differently from the reference.

No rule may accuse them of a broken MUST. Some of them break a SHOULD.
"""

from __future__ import annotations

import time
from collections.abc import Hashable
from datetime import UTC, datetime
from typing import Any

from stingy_reference.delaying import DelayingQueue
from stingy_reference.metrics import MetricsProvider, NoMetrics, QueueMetrics


class Told(DelayingQueue):
    """A delaying queue that records its metrics with the class ``Metrics``."""

    Metrics: type[QueueMetrics] = QueueMetrics

    def __init__(self, *, metrics: MetricsProvider | None = None, name: str = "") -> None:
        super().__init__()
        self._metrics: NoMetrics = NoMetrics() if metrics is None or not name else self.Metrics(metrics, name)


class TakesItsTime(DelayingQueue):
    """Sleeps 10 ms in each Add, AddAfter, Get and Done."""

    def add(self, item: Hashable) -> None:
        super().add(item)
        time.sleep(0.01)

    def add_after(self, item: Hashable, seconds: float) -> None:
        time.sleep(0.01)
        super().add_after(item, seconds)

    def get(self) -> tuple[Hashable | None, bool]:
        got = super().get()
        time.sleep(0.01)
        return got

    def done(self, item: Hashable) -> None:
        time.sleep(0.01)
        super().done(item)


class CountsDelaysOnly(Told):
    """Does not count an AddAfter with a delay of 0 or less as a retry, as in controller-runtime."""

    def add_after(self, item: Hashable, seconds: float) -> None:
        if seconds > 0:
            super().add_after(item, seconds)
        else:
            self.add(item)


class IsNeverEarly(Told):
    """Adds a nanosecond to each delay, so that rounding cannot make it too short."""

    def add_after(self, item: Hashable, seconds: float) -> None:
        super().add_after(item, seconds + 1e-9 if seconds > 0 else seconds)


class GoesOnWhileThereIsWork(Told):
    """After a shutdown it goes on updating the gauges until no item is in processing."""

    class Metrics(QueueMetrics):
        def stop(self) -> None:
            self._stopping = True
            self._stop_if_done()

        def finished(self, item: Hashable) -> None:
            super().finished(item)
            if getattr(self, "_stopping", False):
                self._stop_if_done()

        def _stop_if_done(self) -> None:
            if not self._taken:
                self._look()
                super().stop()

        def _look(self) -> None:
            self._unfinished_work.set(0.0)
            self._longest_running.set(0.0)


class LooksAtEveryCall(Told):
    """Updates the gauges at each Get and Done, too."""

    class Metrics(QueueMetrics):
        def taken(self, item: Hashable) -> None:
            super().taken(item)
            self._look()

        def finished(self, item: Hashable) -> None:
            super().finished(item)
            self._look()

        def _look(self) -> None:
            now = time.monotonic()
            with self._changed:
                ages = [now - taken for taken in self._taken.values()]
                self._unfinished_work.set(sum(ages))
                self._longest_running.set(max(ages, default=0.0))


class ReadsTheWallClock(Told):
    """Measures times with the wall clock, to the millisecond."""

    class Metrics(QueueMetrics):
        def __init__(self, provider: MetricsProvider, name: str) -> None:
            super().__init__(provider, name)
            self._since: dict[Hashable, datetime] = {}
            self._begun: dict[Hashable, datetime] = {}

        def added(self, item: Hashable) -> None:
            self._adds.inc()
            self._depth.inc()
            self._since[item] = _now()

        def taken(self, item: Hashable) -> None:
            self._depth.dec()
            self._begun[item] = _now()
            self._queue_duration.observe((_now() - self._since.pop(item)).total_seconds())
            with self._changed:
                self._taken[item] = time.monotonic()

        def finished(self, item: Hashable) -> None:
            self._work_duration.observe((_now() - self._begun.pop(item)).total_seconds())
            with self._changed:
                del self._taken[item]


def _now() -> datetime:
    return datetime.fromtimestamp(time.time_ns() // 1_000_000 / 1000, UTC)


SOUND: tuple[type[Any], ...] = (
    *(TakesItsTime, CountsDelaysOnly, IsNeverEarly, GoesOnWhileThereIsWork, LooksAtEveryCall),
    ReadsTheWallClock,
)
