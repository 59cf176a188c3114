"""When that happened which an EndpointSlice has to tell of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any


@dataclass(frozen=True)
class Seen:
    """The times that a Service and its Pods had at the last look; one that is not set is left out."""

    created: int | None = None
    turned: Mapping[str, int] = field(default_factory=dict)
    """When the Ready condition of each Pod turned, by its name."""


class TriggerTimeTracker:
    """Remembers what it has seen of each Service, and says at the next look when what is new happened.

    Calls for different Services may be made at once, those for one Service one after the other.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._seen: dict[tuple[str, str], Seen] = {}

    def compute(self, namespace: str, service: Any, pods: Sequence[Any]) -> int | None:
        """The earliest of what has happened to the Service and its Pods since the last look; None if nothing has."""
        now = self._look(service, pods)
        with self._lock:
            before = self._seen.get((namespace, service.name))
            self._seen[namespace, service.name] = now
        if before is None:
            # Its Pods may be as old as can be: what is new to them is the Service.
            return now.created
        return min(self._news(before, now), default=None)

    def delete(self, namespace: str, name: str) -> None:
        """The Service is gone; another one of its name is a new one."""
        with self._lock:
            self._seen.pop((namespace, name), None)

    def _look(self, service: Any, pods: Sequence[Any]) -> Seen:
        times = {pod.name: _turned(pod) for pod in pods}
        return Seen(service.created, {name: time for name, time in times.items() if time is not None})

    def _news(self, before: Seen, now: Seen) -> list[int]:
        """The times that are later than at the last look, or were not there."""
        news = [time for name, time in now.turned.items() if _later(time, before.turned.get(name))]
        if now.created is not None and _later(now.created, before.created):
            news.append(now.created)
        return news


def _turned(pod: Any) -> int | None:
    """When its Ready condition last turned, whichever way."""
    times = (it.last_transition for it in pod.conditions if it.type == "Ready")
    return next(times, None)


def _later(time: int, before: int | None) -> bool:
    return before is None or time > before
