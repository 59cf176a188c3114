"""threading, queue and time as a candidate sees them while it runs; restored afterwards, whatever happens."""

from __future__ import annotations

import logging
import queue
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from stingy.contract import SECOND, Nanoseconds
from stingy.engine import scarcity
from stingy.engine import scheduler as engine
from stingy.engine.primitives import Condition, Lock, RLock
from stingy.engine.scheduler import Scheduler, controlled
from stingy.engine.task import Abort, State, Task

MONOTONIC_ORIGIN: Nanoseconds = 1_000 * SECOND

_sleep = time.sleep
_start = threading.Thread.start
_join = threading.Thread.join
_is_alive = threading.Thread.is_alive


def sleep(seconds: float) -> None:
    inside = controlled()
    if inside is None:
        return _sleep(seconds)
    scheduler, task = inside
    if scheduler.aborting:
        raise Abort
    # To sleep no time at all is to let all others go first, but time has to pass for who does nothing else.
    task.deadline = scheduler.in_future(seconds if seconds > 0 else 0.001)
    task.state = State.PARKED
    try:
        while not scheduler.due(task):
            scheduler.block(task)
    finally:
        task.state, task.deadline = State.READY, None
    return None


def start(thread: threading.Thread) -> None:
    inside = controlled()
    if inside is None:
        return _start_for_real(thread)
    scheduler, task = inside
    if scheduler.aborting:
        raise Abort
    # Not by its own name, which may have a number that grows from run to run.
    thread.__dict__["stingy_task"] = scheduler.start(scheduler.new_name(), thread.run)
    thread._started._flag = True  # type: ignore[attr-defined]
    thread._is_stopped = True  # type: ignore[attr-defined]  # for who joins it when all is over, as pools do
    scheduler.point(task)
    return None


def _start_for_real(thread: threading.Thread) -> None:
    try:
        _start(thread)
    except RuntimeError as error:
        scarcity.look_at(error)
        raise


def join(thread: threading.Thread, timeout: float | None = None) -> None:
    other: Task | None = thread.__dict__.get("stingy_task")
    if other is None:
        return _join(thread, timeout)
    inside = controlled()
    if inside is None or inside[0].aborting:
        return None
    scheduler, task = inside
    scheduler.point(task)
    task.deadline = None if timeout is None else scheduler.in_future(max(timeout, 0))
    task.state, task.joins = State.JOINS, other
    try:
        while other.state is not State.IDLE and not scheduler.due(task):
            scheduler.block(task)
    finally:
        task.state, task.joins, task.deadline = State.READY, None, None
    return None


def is_alive(thread: threading.Thread) -> bool:
    other: Task | None = thread.__dict__.get("stingy_task")
    return _is_alive(thread) if other is None else other.state is not State.IDLE


class WallClock:
    """The wall clock of the candidate's machine."""

    origin: Nanoseconds = 1_700_000_000 * SECOND
    """Where it stands when virtual time is at 0."""

    @classmethod
    def reading(cls, scheduler: Scheduler) -> Nanoseconds:
        return cls.origin + scheduler.now + scheduler.stepped


def _reading(name: str, clock: Callable[[Scheduler], Nanoseconds], unit: int) -> Callable[[], float]:
    real = getattr(time, name)

    def read() -> float:
        inside = controlled()
        if inside is None:
            return real()  # type: ignore[no-any-return]
        inside[0].time_is_looked_at()
        now = clock(inside[0])
        return now if unit == 1 else now / unit

    read.__name__ = name
    return read


def _monotonic(scheduler: Scheduler) -> Nanoseconds:
    return MONOTONIC_ORIGIN + scheduler.now


_TIMES = {
    "time": _reading("time", WallClock.reading, SECOND),
    "time_ns": _reading("time_ns", WallClock.reading, 1),
    "monotonic": _reading("monotonic", _monotonic, SECOND),
    "monotonic_ns": _reading("monotonic_ns", _monotonic, 1),
    "perf_counter": _reading("perf_counter", _monotonic, SECOND),
    "perf_counter_ns": _reading("perf_counter_ns", _monotonic, 1),
}

_PATCHES: tuple[tuple[Any, str, Any], ...] = (
    (threading, "Lock", Lock),
    (threading, "_allocate_lock", Lock),
    (threading, "RLock", RLock),
    (threading, "Condition", Condition),
    (threading, "_time", _TIMES["monotonic"]),
    (threading.Thread, "start", start),
    (threading.Thread, "join", join),
    (threading.Thread, "is_alive", is_alive),
    (queue, "SimpleQueue", queue._PySimpleQueue),  # type: ignore[attr-defined]
    (queue, "time", _TIMES["monotonic"]),
    (time, "sleep", sleep),
    *((time, name, reading) for name, reading in _TIMES.items()),
)


Binding = tuple[Any, str, Any]
"""A place, a name in it, and what it is to be bound to."""

_REPLACED: dict[int, Any] = {
    id(getattr(place, name)): new for place, name, new in _PATCHES if not isinstance(place, type)
}
_UNTOUCHED = sys.stdlib_module_names | {"stingy"}


def bound_before() -> list[Binding]:
    """Names in modules outside the standard library that were bound to the real things.

    As in ``from threading import Lock``, in a module that was imported before anybody patched.
    """
    return [
        (module, name, _REPLACED[id(value)])
        for top, module in list(sys.modules.items())
        if top.partition(".")[0] not in _UNTOUCHED and isinstance(module, ModuleType)
        for name, value in list(vars(module).items())
        if id(value) in _REPLACED
    ]


_POOLS = logging.getLogger("concurrent.futures")


def _tells_no_abort(record: logging.LogRecord) -> bool:
    """A pool complains of each of its threads that is unwound at the end of a session."""
    return not (record.exc_info and isinstance(record.exc_info[1], Abort))


@contextmanager
def patched(bindings: Iterable[Binding] = ()) -> Iterator[None]:
    """Patch while the candidate is imported or runs; ``bindings`` as from ``bound_before``."""
    undo: list[Binding] = []
    _POOLS.addFilter(_tells_no_abort)
    try:
        for place, name, new in (*bindings, *_PATCHES):
            undo.append((place, name, getattr(place, name)))
            setattr(place, name, new)
        yield
    finally:
        for place, name, old in reversed(undo):
            setattr(place, name, old)
        _POOLS.removeFilter(_tells_no_abort)


@contextmanager
def running(scheduler: Scheduler) -> Iterator[None]:
    """Make this the scheduler of the process."""
    if engine.active is not None:
        raise RuntimeError("one candidate at a time can be under control")
    engine.active = scheduler
    try:
        yield
    finally:
        engine.active = None
