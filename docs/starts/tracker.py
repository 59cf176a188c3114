from dataclasses import dataclass
from datetime import datetime

STAMP = "endpoints.kubernetes.io/last-change-trigger-time"


@dataclass
class Changes:
    services: frozenset
    trigger_times: dict


class EndpointsChangeTracker:
    """Remembers which services changed since the last checkout, and when."""

    def __init__(self, clock):
        self._started = clock.time_ns()
        self._slices, self._services, self._times = {}, set(), {}

    def update(self, slice_):
        key = slice_.namespace, slice_.name
        if slice_.service is None or self._slices.get(key) == slice_:
            return False
        self._slices[key] = slice_
        service = f"{slice_.namespace}/{slice_.service}"
        self._services.add(service)
        if STAMP in slice_.annotations:
            time = read(slice_.annotations[STAMP])
            if time >= self._started:
                self._times.setdefault(service, []).append(time)
        return True

    def remove(self, slice_):
        if self._slices.pop((slice_.namespace, slice_.name), None) is None:
            return False
        self._services.add(f"{slice_.namespace}/{slice_.service}")
        return True

    def checkout(self):
        changes = Changes(frozenset(self._services), self._times)
        self._services, self._times = set(), {}
        return changes


def read(stamp):
    """Return a time such as 2026-11-22T09:16:00.5Z in nanoseconds since the epoch."""
    seconds, _, fraction = stamp.removesuffix("Z").partition(".")
    whole = int(datetime.fromisoformat(seconds + "+00:00").timestamp())
    return whole * 1_000_000_000 + int(fraction.ljust(9, "0"))
