"""The sequential model of a work queue: three sets and two flags, with a step function.

It specifies the queue a second time, independently of every implementation. States are immutable;
``step`` returns the next state, or None if the call cannot have this result in this state.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

ANYTHING = object()
"""Result of a call that has not returned: any result is possible."""

KNOWN = ("add", "get", "done", "len", "shut_down", "shut_down_with_drain", "shutting_down")
"""Calls that the model knows. ``step`` has two for a drain: ``drain begins``, ``drain ends``."""

SHUTDOWN = object()
"""Result of a Get that reports the shutdown."""


class State(Struct, frozen=True):
    queue: tuple[str, ...] = ()
    """Items that are dirty and not in processing, in the order in which Get returns them."""
    processing: frozenset[str] = frozenset()
    owed: frozenset[str] = frozenset()
    """Items that are in processing and were added again meanwhile."""
    shutting_down: bool = False
    draining: bool = False

    @property
    def dirty(self) -> tuple[str, ...]:
        """All items that still have to be processed: queued now, or to be queued again on Done."""
        return (*self.queue, *sorted(self.owed))

    def __str__(self) -> str:
        sets = {"queue": list(self.queue), "processing": sorted(self.processing), "owed": sorted(self.owed)}
        flags = " shutting down" * self.shutting_down + " draining" * self.draining
        return " ".join(f"{name} {items}" for name, items in sets.items()) + flags


def step(state: State, op: str, item: str | None, answer: object, *, in_order: bool = True) -> State | None:
    """Return the model's state after a call with this result; None if the model forbids the result.

    ``in_order=False``: Get may return any queued item.
    """
    match op:
        case "add":
            return _add(state, str(item))
        case "get":
            return _get(state, answer, in_order=in_order)
        case "done":
            return _done(state, str(item))
        case "len":
            return state if answer in (ANYTHING, len(state.queue)) else None
        case "shutting_down":
            return state if answer in (ANYTHING, state.shutting_down) else None
        case "shut_down":
            return replace(state, shutting_down=True, draining=False)
        case "drain begins":
            return replace(state, shutting_down=True, draining=True)
        case "drain ends":
            return state if not (state.processing and state.draining) else None
    raise ValueError(op)


def must_return(state: State, op: str, item: str | None) -> bool:
    """Return True if a call that still waits in this state should have returned.

    A drain *may* end once nothing is in processing, as in client-go; it *must* have ended only when
    nothing is queued either.
    """
    if op == "drain ends":
        return not state.draining or not (state.processing or state.queue)
    return step(state, op, item, ANYTHING) is not None


def _add(state: State, item: str) -> State:
    if state.shutting_down or item in state.queue or item in state.owed:
        return state
    if item in state.processing:
        return replace(state, owed=state.owed | {item})
    return replace(state, queue=(*state.queue, item))


def _get(state: State, answer: object, *, in_order: bool) -> State | None:
    if not state.queue:
        return state if state.shutting_down and answer in (ANYTHING, SHUTDOWN) else None
    item = state.queue[0] if in_order or answer not in state.queue else str(answer)
    if answer not in (ANYTHING, item):
        return None
    left = tuple(other for other in state.queue if other != item)
    return replace(state, queue=left, processing=state.processing | {item})


def _done(state: State, item: str) -> State:
    queue = (*state.queue, item) if item in state.owed else state.queue
    return replace(state, queue=queue, processing=state.processing - {item}, owed=state.owed - {item})
