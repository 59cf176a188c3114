from __future__ import annotations

# hole
# | import time
# end of hole
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Protocol

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NANOSECONDS = 1_000_000_000
"""Nanoseconds in a second."""


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


def times(service: Service, pods: Sequence[Pod]) -> dict[str, int]:
    """Return when each Pod's Ready condition last changed, and under "" the Service's creation."""
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
        """Return the text of a time in nanoseconds since the epoch; None for no time."""
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


# The code below is yours, from the exercise before.


class TriggerTimeTracker:
    """Computes when the changes happened that a Service's slices now have to report."""

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
