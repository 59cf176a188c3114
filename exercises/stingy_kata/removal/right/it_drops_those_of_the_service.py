"""A removal drops all pending times of the service, as upstream does since 1.27."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import wraps
from typing import Any

ANNOTATION = "endpoints.kubernetes.io/last-change-trigger-time"
TIME = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?Z", re.ASCII)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SECOND = 1_000_000_000


@dataclass(frozen=True)
class Changes:
    services: frozenset[str]
    trigger_times: Mapping[str, Sequence[int]]


def alone(method: Callable[..., Any]) -> Callable[..., Any]:
    """With the lock: informers change slices while a proxy checks out."""

    @wraps(method)
    def with_lock(self: EndpointsChangeTracker, *given: Any) -> Any:
        with self.lock:
            return method(self, *given)

    return with_lock


class EndpointsChangeTracker:
    def __init__(self, clock: Any) -> None:
        self.lock = threading.Lock()
        self._started: int = clock.time_ns()
        self._slices: dict[tuple[str, str], Any] = {}
        self._services: set[str] = set()
        self._times: dict[str, list[int]] = {}

    @alone
    def update(self, slice_: Any) -> bool:
        key = slice_.namespace, slice_.name
        if self._slices.get(key) == slice_:
            return False
        self._slices[key] = slice_
        service = f"{slice_.namespace}/{slice_.service}"
        self._services.add(service)
        self._keep(service, slice_)
        return True

    @alone
    def remove(self, slice_: Any) -> bool:
        service = f"{slice_.namespace}/{slice_.service}"
        if self._slices.pop((slice_.namespace, slice_.name), None) is None:
            return False
        self._services.add(service)
        self._times.pop(service, None)
        return True

    @alone
    def checkout(self) -> Changes:
        changes = Changes(frozenset(self._services), self._times)
        self._services, self._times = set(), {}
        return changes

    def _keep(self, service: str, slice_: Any) -> None:
        match = TIME.fullmatch(slice_.annotations.get(ANNOTATION, ""))
        if match is not None:
            since = datetime.fromisoformat(f"{match[1]}+00:00") - EPOCH
            time = since // timedelta(seconds=1) * SECOND + int((match[2] or "")[:9].ljust(9, "0"))
            if time > self._started:
                self._times.setdefault(service, []).append(time)
