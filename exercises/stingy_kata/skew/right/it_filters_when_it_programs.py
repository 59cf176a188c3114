"""It keeps all stamps until it programs the rules, and then drops those before its start."""

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
        self._seen: list[float] = []

    def observe(self, seconds: float) -> None:
        self._seen.append(seconds)

    @property
    def buckets(self) -> list[tuple[float, int]]:
        return [(float(bound), sum(it <= bound for it in self._seen)) for bound in BOUNDS]

    @property
    def count(self) -> int:
        return len(self._seen)

    @property
    def sum(self) -> float:
        return math.fsum(self._seen)


class Proxy:
    def __init__(self, clock: Any) -> None:
        self._clock = clock
        self._started: int = clock.time_ns()
        self._slices: dict[tuple[str, str], Any] = {}
        self._times: dict[str, list[int]] = {}
        self._latency = Histogram()
        self._lists = 0

    def update(self, slice_: Any) -> bool:
        key = slice_.namespace, slice_.name
        if self._slices.get(key) == slice_:
            return False
        self._slices[key] = slice_
        time = parsed(slice_.annotations.get(ANNOTATION, ""))
        if time is not None:
            self._times.setdefault(f"{slice_.namespace}/{slice_.service}", []).append(time)
        return True

    def remove(self, slice_: Any) -> bool:
        self._times.pop(f"{slice_.namespace}/{slice_.service}", None)
        return self._slices.pop((slice_.namespace, slice_.name), None) is not None

    def services_synced(self) -> None:
        self._lists += 1

    def slices_synced(self) -> None:
        self._lists += 1

    def sync(self, program: Callable[[], bool]) -> list[float]:
        if self._lists < 2:
            return []
        pending, self._times = self._times, {}
        if not program():
            return []
        now = self._clock.time_ns()
        latencies = [
            (now - time) / SECOND for times in pending.values() for time in times if time > self._started
        ]
        for latency in latencies:
            self._latency.observe(latency)
        return latencies

    def metric(self) -> Histogram:
        return self._latency
