"""A metrics provider that records what queues report to it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

from stingy.engine.touching import are_alone


class Recorder:
    """A metrics provider that keeps the metrics of each queue by the queue's name."""

    def __init__(self) -> None:
        self._queues: defaultdict[str, dict[str, Metric]] = defaultdict(dict)

    @property
    def ops(self) -> dict[str, Callable[..., Any]]:
        return {"metrics": self.read}

    def read(self) -> dict[str, dict[str, Any]]:
        """Return the metrics by queue and kind: numbers, or lists of observed seconds."""
        return {
            queue: {
                kind: metric.observed if kind.endswith("duration") else metric.value
                for kind, metric in kept.items()
            }
            for queue, kept in self._queues.items()
        }

    def depth(self, name: str) -> Metric:
        return self._metric(name, "depth")

    def adds(self, name: str) -> Metric:
        return self._metric(name, "adds")

    def queue_duration(self, name: str) -> Metric:
        return self._metric(name, "queue_duration")

    def work_duration(self, name: str) -> Metric:
        return self._metric(name, "work_duration")

    def unfinished_work(self, name: str) -> Metric:
        return self._metric(name, "unfinished_work")

    def longest_running(self, name: str) -> Metric:
        return self._metric(name, "longest_running")

    def retries(self, name: str) -> Metric:
        return self._metric(name, "retries")

    def _metric(self, name: str, kind: str) -> Metric:
        return self._queues[name].setdefault(kind, Metric())


class Metric:
    """A metric that serves as a counter, a gauge or a histogram."""

    def __init__(self) -> None:
        self.value = 0.0
        self.observed: list[float] = []

    def inc(self) -> None:
        self.value += 1

    def dec(self) -> None:
        self.value -= 1

    def set(self, value: float) -> None:
        self.value = value

    def observe(self, seconds: float) -> None:
        self.observed.append(seconds)


are_alone(Metric)
