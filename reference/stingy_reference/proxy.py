"""kube-proxy's side of the programming latency: sync what has changed, and observe how long it took."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import Any

from stingy_reference.tracker import EndpointsChangeTracker

_BOUNDS = (0.0, 0.25, 0.5, *range(1, 60), *range(60, 120, 5), *range(120, 301, 30))
"""Upstream's: the 0 slipped in there, and holds what only clocks that disagree can produce."""


class Histogram:
    """Counts of observations by size, as Prometheus has them."""

    kind = "histogram"

    def __init__(
        self,
        name: str,
        explanation: str = "",
        labels: Mapping[str, str] | None = None,
        bounds: Sequence[float] = _BOUNDS,
    ) -> None:
        self.name = name
        self.explanation = explanation
        self.labels = dict(labels or {})
        self.count = 0
        self.sum = 0.0
        self._bounds = tuple(float(bound) for bound in bounds)
        self._counts = [0] * (len(self._bounds) + 1)

    def observe(self, value: float) -> None:
        # A value that equals a bound belongs below it.
        self._counts[bisect_left(self._bounds, value)] += 1
        self.count += 1
        self.sum += value

    @property
    def buckets(self) -> list[tuple[float, int]]:
        """Each bound with the number of values that do not exceed it; the last bound is infinite."""
        return list(zip((*self._bounds, math.inf), accumulate(self._counts), strict=True))

    def exposition(self) -> str:
        """What a scrape is answered, in Prometheus' text format."""
        return "\n".join(
            (
                f"# HELP {self.name} {self.explanation}",
                f"# TYPE {self.name} {self.kind}",
                *(self._sample("bucket", count, le=_written(bound)) for bound, count in self.buckets),
                self._sample("sum", self.sum),
                self._sample("count", self.count),
                "",
            )
        )

    def _sample(self, of: str, value: float, **label: str) -> str:
        labels = ",".join(f'{name}="{given}"' for name, given in {**self.labels, **label}.items())
        return f"{self.name}_{of}{{{labels}}} {value!r}"


def _written(bound: float) -> str:
    return "+Inf" if bound == math.inf else f"{bound:g}"


class Proxy:
    """A tracker, and the histogram of how long its changes took to be programmed."""

    def __init__(self, clock: Any, ip_family: str = "IPv4") -> None:
        self._clock = clock
        self._tracker = EndpointsChangeTracker(clock, ip_family)
        self._latency = Histogram(
            "kubeproxy_network_programming_duration_seconds",
            "[ALPHA] In Cluster Network Programming Latency in seconds",
            {"ip_family": ip_family},
        )
        self._services_synced = self._slices_synced = False

    def update(self, slice_: Any) -> bool:
        return self._tracker.update(slice_)

    def remove(self, slice_: Any) -> bool:
        return self._tracker.remove(slice_)

    def services_synced(self) -> None:
        """The first list of Services is complete."""
        self._services_synced = True

    def slices_synced(self) -> None:
        """The first list of EndpointSlices is complete."""
        self._slices_synced = True

    def sync(self, program: Callable[[], bool]) -> list[float]:
        """Program what has changed, and observe the latency of each of its trigger times, in seconds.

        Before both lists are complete there is nothing to program from: rules made of half the services
        would cut off the other half.
        """
        if not (self._services_synced and self._slices_synced):
            return []
        changes = self._tracker.checkout()
        if not program():
            return []  # as upstream: the times are gone, and the retry will not measure them
        # Read now, when the rules are written; and never corrected, were it negative: it tells of the clocks.
        now = self._clock.time_ns()
        triggered = [time for times in changes.trigger_times.values() for time in times]
        latencies = [(now - time) / 1_000_000_000 for time in triggered]
        for latency in latencies:
            self._latency.observe(latency)
        return latencies

    def metric(self) -> Histogram:
        return self._latency
