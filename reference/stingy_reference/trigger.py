"""Compute the trigger time of an EndpointSlice: when the change happened that it reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any


@dataclass(frozen=True)
class Seen:
    """The times of a Service and its Pods as last seen, in nanoseconds since the epoch."""

    created: int | None = None
    """When the Service was created; None if it does not say."""
    turned: Mapping[str, int] = field(default_factory=dict)
    """When the Ready condition of each Pod last changed, by the Pod's name; without unset times."""


class TriggerTimeTracker:
    """Remembers the times of each Service and its Pods, and computes when new changes happened.

    Calls for different Services may run concurrently; those for one Service must not.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._seen: dict[tuple[str, str], Seen] = {}

    def compute(self, namespace: str, service: Any, pods: Sequence[Any]) -> int | None:
        """Return the earliest time of all changes to the Service and its Pods since the last call.

        None if nothing has changed. At the first call for a Service, it is the time of its
        creation.
        """
        now = self._look(service, pods)
        with self._lock:
            before = self._seen.get((namespace, service.name))
            self._seen[namespace, service.name] = now
        if before is None:
            # The Service is new. Its Pods may be much older, so their times do not count.
            return now.created
        return min(self._news(before, now), default=None)

    def delete(self, namespace: str, name: str) -> None:
        """Forget a deleted Service. A later one with the same name counts as new."""
        with self._lock:
            self._seen.pop((namespace, name), None)

    def _look(self, service: Any, pods: Sequence[Any]) -> Seen:
        times = {pod.name: _turned(pod) for pod in pods}
        return Seen(service.created, {name: time for name, time in times.items() if time is not None})

    def _news(self, before: Seen, now: Seen) -> list[int]:
        """Return the times that are later than at the last call, or were not set then."""
        news = [time for name, time in now.turned.items() if _later(time, before.turned.get(name))]
        if now.created is not None and _later(now.created, before.created):
            news.append(now.created)
        return news


def _turned(pod: Any) -> int | None:
    """Return when the Pod's Ready condition last changed, to true or to false; None if not set."""
    times = (it.last_transition for it in pod.conditions if it.type == "Ready")
    return next(times, None)


def _later(time: int, before: int | None) -> bool:
    return before is None or time > before
