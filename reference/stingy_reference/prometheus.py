"""The metrics of work queues for Prometheus, under upstream's names.

This module needs ``prometheus_client``: ``pip install "stingy[prometheus]"``. All others of this
package need only the standard library.
"""

from __future__ import annotations

from prometheus_client import REGISTRY, CollectorRegistry, Counter, Gauge, Histogram

BUCKETS = [10e-9 * 10**power for power in range(10)]
"""Bounds of the histograms in seconds, as in upstream's component-base: from 10 ns to 10 s."""


class PrometheusMetrics:
    """A provider of metrics; use one for each registry. The label ``name`` is the queue's name."""

    def __init__(self, registry: CollectorRegistry = REGISTRY) -> None:
        def gauge(name: str, said: str) -> Gauge:
            return Gauge(f"workqueue_{name}", said, ["name"], registry=registry)

        def counter(name: str, said: str) -> Counter:
            return Counter(f"workqueue_{name}", said, ["name"], registry=registry)

        def histogram(name: str, said: str) -> Histogram:
            return Histogram(f"workqueue_{name}", said, ["name"], buckets=BUCKETS, registry=registry)

        self._depth = gauge("depth", "Items to be processed, those included that wait for their Done.")
        self._adds = counter("adds_total", "Items that were added, duplicates left out.")
        self._queue_duration = histogram("queue_duration_seconds", "How long items wait to be processed.")
        self._work_duration = histogram("work_duration_seconds", "How long it takes to process an item.")
        self._unfinished_work = gauge(
            "unfinished_work_seconds", "How long the items in processing have been there, all together."
        )
        self._longest_running = gauge(
            "longest_running_processor_seconds", "How long the oldest item in processing has been there."
        )
        self._retries = counter("retries_total", "Items that were to be added later.")

    def depth(self, name: str) -> Gauge:
        return self._depth.labels(name)

    def adds(self, name: str) -> Counter:
        return self._adds.labels(name)

    def queue_duration(self, name: str) -> Histogram:
        return self._queue_duration.labels(name)

    def work_duration(self, name: str) -> Histogram:
        return self._work_duration.labels(name)

    def unfinished_work(self, name: str) -> Gauge:
        return self._unfinished_work.labels(name)

    def longest_running(self, name: str) -> Gauge:
        return self._longest_running.labels(name)

    def retries(self, name: str) -> Counter:
        return self._retries.labels(name)
