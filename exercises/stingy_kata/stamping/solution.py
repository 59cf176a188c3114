from __future__ import annotations

# hole
# | import time
# end of hole
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Protocol

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NANOSECONDS = 1_000_000_000
"""In a second."""


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


def times(service: Service, pods: Sequence[Pod]) -> dict[str, int]:
    """When each Pod's Ready condition last turned, by the Pod's name, and under "" when the Service was created."""
    # hole
    # | # TODO: who has stamped what? What nobody has stamped is not in it.
    # | return {name: time.time_ns() for name in ["", *(pod.name for pod in pods)]}
    found = {"": service.created}
    for pod in pods:
        found[pod.name] = next((it.last_transition for it in pod.conditions if it.type == "Ready"), None)
    return {name: at for name, at in found.items() if at is not None}
    # end of hole


class AnnotationCodec:
    """Writes the annotation ``endpoints.kubernetes.io/last-change-trigger-time``."""

    def format(self, instant: int | None) -> str | None:
        """The text of a time in nanoseconds since the epoch; None where there is no time, and no annotation."""
        # hole
        # | # TODO: the seconds, then as much of the rest as there is.
        # | return str(instant)
        if instant is None:
            return None
        seconds, rest = divmod(instant, NANOSECONDS)
        moment = EPOCH + timedelta(seconds=seconds)
        fraction = f".{rest:09}".rstrip("0") if rest else ""
        return f"{moment:%Y-%m-%dT%H:%M:%S}{fraction}Z"
        # end of hole


# What follows is yours of the exercise before.


class TriggerTimeTracker:
    """Says, each time a Service is looked at, when that happened which its slices now have to tell of."""

    def __init__(self) -> None:
        self._seen: dict[tuple[str, str], dict[str, int]] = {}

    def compute(self, namespace: str, service: Service, pods: Sequence[Pod]) -> int | None:
        key = namespace, service.name
        now = times(service, pods)
        before = self._seen.get(key)
        self._seen[key] = now
        if before is None:
            return now.get("")
        return min((at for name, at in now.items() if at > before.get(name, 0)), default=None)

    def delete(self, namespace: str, name: str) -> None:
        self._seen.pop((namespace, name), None)
