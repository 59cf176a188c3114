"""kube-proxy's part in the programming latency: program changes, and observe how long they took."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import Any

from stingy_reference.tracker import EndpointsChangeTracker

_BOUNDS = (0.0, 0.25, 0.5, *range(1, 60), *range(60, 120, 5), *range(120, 301, 30))
"""Bounds of the histogram in seconds, as upstream has them.

The bound 0 is there by mistake; its bucket gets latencies of 0 or less, which only clocks that
disagree can cause.
"""


class Histogram:
    """A histogram as in Prometheus: for each bound, the number of values that do not exceed it."""

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
        # A value equal to a bound counts in the bucket up to that bound.
        self._counts[bisect_left(self._bounds, value)] += 1
        self.count += 1
        self.sum += value

    @property
    def buckets(self) -> list[tuple[float, int]]:
        """Each bound with the number of values up to it; the last bound is infinite."""
        return list(zip((*self._bounds, math.inf), accumulate(self._counts), strict=True))

    def exposition(self) -> str:
        """Return the histogram in Prometheus' text format, as the answer to a scrape."""
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
    """A tracker of changes, and the histogram of the times until the changes were programmed."""

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
        """Note that the first list of Services is complete."""
        self._services_synced = True

    def slices_synced(self) -> None:
        """Note that the first list of EndpointSlices is complete."""
        self._slices_synced = True

    def sync(self, program: Callable[[], bool]) -> list[float]:
        """Program the changes, observe the latency of each trigger time, and return the latencies.

        These are in seconds. ``program`` writes the rules, and returns False if that failed. Before
        both lists are complete, nothing is programmed: rules for some of the Services only would
        cut off the others.
        """
        if not (self._services_synced and self._slices_synced):
            return []
        changes = self._tracker.checkout()
        if not program():
            return []  # as upstream: these trigger times are lost, the retry does not measure them
        # Read the clock after the rules are written. Negative latencies are not corrected, because
        # they show that clocks disagree.
        now = self._clock.time_ns()
        triggered = [time for times in changes.trigger_times.values() for time in times]
        latencies = [(now - time) / 1_000_000_000 for time in triggered]
        for latency in latencies:
            self._latency.observe(latency)
        return latencies

    def metric(self) -> Histogram:
        return self._latency
