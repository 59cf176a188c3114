from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Condition(Protocol):
    """One of the conditions of a Pod. Times are nanoseconds since the epoch; None where nobody has said."""

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
    """Says, each time a Service is looked at, when that happened which its slices now have to tell of."""

    def __init__(self) -> None:
        self._seen: dict[tuple[str, str], dict[str, int]] = {}
        """The times that each Service, by namespace and name, and its Pods had when it was last looked at."""

    def compute(self, namespace: str, service: Service, pods: Sequence[Pod]) -> int | None:
        """The earliest of what is new since the last look; None if nothing is."""
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
        """The Service is gone."""
        # hole
        # | # TODO: what is remembered of it?
        self._seen.pop((namespace, name), None)
        # end of hole


def times(service: Service, pods: Sequence[Pod]) -> dict[str, int]:
    """When each Pod's Ready condition last turned, by the Pod's name, and under "" when the Service was created."""
    found = {"": service.created}
    for pod in pods:
        found[pod.name] = next((it.last_transition for it in pod.conditions if it.type == "Ready"), None)
    return {name: at for name, at in found.items() if at is not None}
