"""It keeps a count for each bucket instead of the latencies, and all pending times in one list."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

ANNOTATION = "endpoints.kubernetes.io/last-change-trigger-time"
TIME = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?Z", re.ASCII)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SECOND = 1_000_000_000
BOUNDS = (*(0.0, 0.25, 0.5), *range(1, 60), *range(60, 120, 5), *range(120, 301, 30), math.inf)


def parsed(text: str) -> int | None:
    match = TIME.fullmatch(text)
    if match is None:
        return None
    since = datetime.fromisoformat(f"{match[1]}+00:00") - EPOCH
    return since // timedelta(seconds=1) * SECOND + int((match[2] or "")[:9].ljust(9, "0"))


class Histogram:
    name = "kubeproxy_network_programming_duration_seconds"

    def __init__(self) -> None:
        self.sum = 0.0
        self._counts = dict.fromkeys(map(float, BOUNDS), 0)

    def observe(self, seconds: float) -> None:
        self.sum += seconds
        for bound in self._counts:
            self._counts[bound] += seconds <= bound

    @property
    def buckets(self) -> list[tuple[float, int]]:
        return list(self._counts.items())

    @property
    def count(self) -> int:
        return self._counts[math.inf]


class Proxy:
    def __init__(self, clock: Any) -> None:
        self._clock = clock
        self._started: int = clock.time_ns()
        self._slices: dict[tuple[str, str], Any] = {}
        self._pending: list[tuple[str, int]] = []
        self._latency = Histogram()
        self._lists = 0

    def update(self, slice_: Any) -> bool:
        key = slice_.namespace, slice_.name
        if self._slices.get(key) == slice_:
            return False
        self._slices[key] = slice_
        time = parsed(slice_.annotations.get(ANNOTATION, ""))
        if time is not None and time > self._started:
            self._pending.append((f"{slice_.namespace}/{slice_.service}", time))
        return True

    def remove(self, slice_: Any) -> bool:
        service = f"{slice_.namespace}/{slice_.service}"
        self._pending = [it for it in self._pending if it[0] != service]
        return self._slices.pop((slice_.namespace, slice_.name), None) is not None

    def services_synced(self) -> None:
        self._lists += 1

    def slices_synced(self) -> None:
        self._lists += 1

    def sync(self, program: Callable[[], bool]) -> list[float]:
        if self._lists < 2:
            return []
        pending, self._pending = self._pending, []
        if not program():
            return []
        now = self._clock.time_ns()
        latencies = [(now - time) / SECOND for _, time in pending]
        for latency in latencies:
            self._latency.observe(latency)
        return latencies

    def metric(self) -> Histogram:
        return self._latency
