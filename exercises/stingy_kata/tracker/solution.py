from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import Protocol

LAST_CHANGE_TRIGGER_TIME = "endpoints.kubernetes.io/last-change-trigger-time"

RFC3339 = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)"
    r"(?:\.(\d+))?"
    r"(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))",
    re.ASCII,
)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NANOSECONDS = 1_000_000_000


class Clock(Protocol):
    """The clock of this node."""

    def time_ns(self) -> int: ...


class EndpointSlice(Protocol):
    """The fields of an EndpointSlice that matter here; slices with equal fields are equal."""

    @property
    def namespace(self) -> str: ...

    @property
    def name(self) -> str: ...

    @property
    def service(self) -> str | None: ...

    @property
    def annotations(self) -> Mapping[str, str]: ...


@dataclass(frozen=True)
class Changes:
    """Result of a checkout; services are written ``namespace/name``."""

    services: frozenset[str]
    trigger_times: Mapping[str, Sequence[int]]


class EndpointsChangeTracker:
    """Notes which services have changed since the last checkout, and when each change was triggered."""

    def __init__(self, clock: Clock) -> None:
        self._started = clock.time_ns()
        """When this tracker was made, in nanoseconds since the epoch."""
        self._lock = Lock()
        """Changes come in one thread, checkouts in another."""
        self._slices: dict[tuple[str, str], EndpointSlice] = {}
        """Each slice as it was reported last, by namespace and name."""
        self._services: set[str] = set()
        """The services that have changed since the last checkout."""
        self._times: dict[str, list[int]] = {}
        """The trigger times of these changes, by service."""

    def update(self, slice_: EndpointSlice) -> bool:
        """Record an added or changed slice; return True if there is something to program."""
        with self._lock:
            key = slice_.namespace, slice_.name
            if self._slices.get(key) == slice_:
                return False  # informers report every object again from time to time
            self._slices[key] = slice_
            service = f"{slice_.namespace}/{slice_.service}"
            time = parsed(slice_.annotations.get(LAST_CHANGE_TRIGGER_TIME))
            # hole
            # | # TODO: the service has changed. Is its time to be kept?
            self._services.add(service)
            if time is not None and time > self._started:
                self._times.setdefault(service, []).append(time)
            # end of hole
            return True

    def remove(self, slice_: EndpointSlice) -> bool:
        """Record that a slice is gone; return True if there is something to program."""
        with self._lock:
            service = f"{slice_.namespace}/{slice_.service}"
            if self._slices.pop((slice_.namespace, slice_.name), None) is None:
                return False  # it is unknown
            # hole
            # | # TODO: what becomes of the service, and of its times?
            self._services.add(service)
            self._times.pop(service, None)
            # end of hole
            return True

    def checkout(self) -> Changes:
        """Return what has changed since the last checkout, and forget these changes."""
        with self._lock:
            # hole
            # | # TODO: hand over what has gathered.
            # | return Changes(frozenset(), {})
            changes = Changes(frozenset(self._services), self._times)
            self._services = set()
            self._times = {}
            return changes
            # end of hole


def parsed(text: str | None) -> int | None:
    """Nanoseconds since the epoch, as in the exercise ``trigger_time``; None if invalid."""
    match = RFC3339.fullmatch(text or "")
    if match is None:
        return None
    found = [part or "" for part in match.groups()]
    year, month, day, hour, minute, second = map(int, found[:6])
    fraction, sign, hours, minutes = found[6:]
    try:
        since = datetime(year, month, day, hour, minute, second, tzinfo=UTC) - EPOCH
    except ValueError:
        return None
    ahead = timedelta(hours=int(hours or 0), minutes=int(minutes or 0))
    since += ahead if sign == "-" else -ahead
    return since // timedelta(seconds=1) * NANOSECONDS + int(fraction[:9].ljust(9, "0"))
