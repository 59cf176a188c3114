from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Condition(Protocol):
    """A condition of a Pod. Times are nanoseconds since the epoch; None if they are not set."""

    @property
    def type(self) -> str: ...

    @property
    def last_transition(self) -> int | None: ...


class Pod(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def conditions(self) -> Sequence[Condition]: ...


class Service(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def created(self) -> int | None: ...


class TriggerTimeTracker:
    """Computes when the changes happened that a Service's slices now have to report."""

    def __init__(self) -> None:
        self._seen: dict[tuple[str, str], dict[str, int]] = {}
        """Result of ``times`` at the last call, by the Service's namespace and name."""

    def compute(self, namespace: str, service: Service, pods: Sequence[Pod]) -> int | None:
        """Return the earliest time that is new since the last call; None if none is."""
        key = namespace, service.name
        now = times(service, pods)
        # hole
        # | # TODO: compare with the last look, remember this one, and answer.
        # | self._seen[key] = now
        # | return max(now.values(), default=None)
        before = self._seen.get(key)
        self._seen[key] = now
        if before is None:
            return service.created
        return min((at for name, at in now.items() if at > before.get(name, 0)), default=None)
        # end of hole

    def delete(self, namespace: str, name: str) -> None:
        """The Service has been deleted."""
        # hole
        # | # TODO: what is remembered of it?
        self._seen.pop((namespace, name), None)
        # end of hole


def times(service: Service, pods: Sequence[Pod]) -> dict[str, int]:
    """Return when each Pod's Ready condition last changed, and under "" the Service's creation."""
    found = {"": service.created}
    for pod in pods:
        found[pod.name] = next((it.last_transition for it in pod.conditions if it.type == "Ready"), None)
    return {name: at for name, at in found.items() if at is not None}
