"""The endpoint changes that kube-proxy remembers between two syncs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

from stingy_reference.annotation import LAST_CHANGE_TRIGGER_TIME, parsed

_ZERO_TIME = -62_135_596_800 * 1_000_000_000
"""First second of the year 1, in nanoseconds since the epoch: Go's value of a time not set."""


@dataclass(frozen=True)
class Changes:
    """Changes since the last checkout. Services are written ``namespace/name``."""

    services: frozenset[str]
    trigger_times: Mapping[str, Sequence[int]]
    """Trigger times of each service, in nanoseconds since the epoch."""


class EndpointsChangeTracker:
    """Records which services have changed, and when each change was triggered.

    A trigger time counts only if it is later than the tracker's creation: earlier changes were the
    task of a previous kube-proxy.
    """

    def __init__(self, clock: Any, ip_family: str = "IPv4") -> None:
        self._ip_family = ip_family
        # Wall time, because trigger times are wall times of other machines.
        self._started: int = clock.time_ns()
        self._lock = Lock()
        self._applied: dict[tuple[str, str], Any] = {}
        """The slices as of the last checkout, by namespace and name."""
        self._pending: dict[tuple[str, str], Any | None] = {}
        """The slices that have changed since then; None for a removed one."""
        self._trigger_times: dict[str, list[int]] = defaultdict(list)
        self._services: set[str] = set()

    def update(self, slice_: Any) -> bool:
        """Record a slice that was added or changed. Return True if there is a change to program."""
        if not self._concerns(slice_):
            return False
        with self._lock:
            if self._is_known(slice_):
                return False
            self._note(slice_, slice_)
            triggered = self._trigger_time(slice_)
            if triggered is not None:
                self._trigger_times[_service(slice_)].append(triggered)
            return True

    def remove(self, slice_: Any) -> bool:
        """Record that a slice was removed. Return True if there is a change to program."""
        if not self._concerns(slice_):
            return False
        with self._lock:
            if self._latest(slice_) is None:
                return False
            self._note(slice_, None)
            # The slice's annotation has the time of its last change, not of its removal.
            self._retract(slice_)
            return True

    def checkout(self) -> Changes:
        """Return all changes and their trigger times, and forget them."""
        with self._lock:
            return self._emptied()

    def _emptied(self) -> Changes:
        changes = Changes(frozenset(self._services), dict(self._trigger_times))
        for key, slice_ in self._pending.items():
            if slice_ is None:
                self._applied.pop(key, None)
            else:
                self._applied[key] = slice_
        self._pending.clear()
        self._services.clear()
        self._trigger_times.clear()
        return changes

    def _concerns(self, slice_: Any) -> bool:
        named = slice_.namespace and slice_.name and slice_.service
        return bool(slice_.address_type == self._ip_family and named)

    def _is_known(self, slice_: Any) -> bool:
        return bool(self._latest(slice_) == slice_)

    def _latest(self, slice_: Any) -> Any | None:
        key = slice_.namespace, slice_.name
        return self._pending[key] if key in self._pending else self._applied.get(key)

    def _note(self, slice_: Any, becomes: Any | None) -> None:
        self._pending[slice_.namespace, slice_.name] = becomes
        self._services.add(_service(slice_))

    def _retract(self, slice_: Any) -> None:
        """Drop all trigger times of a removed slice's service.

        It is not recorded which of them belong to the slice.
        """
        self._trigger_times.pop(_service(slice_), None)

    def _trigger_time(self, slice_: Any) -> int | None:
        triggered = parsed(slice_.annotations.get(LAST_CHANGE_TRIGGER_TIME, ""))
        if triggered is None or triggered == _ZERO_TIME or triggered <= self._started:
            return None
        return triggered


def _service(slice_: Any) -> str:
    return f"{slice_.namespace}/{slice_.service}"
