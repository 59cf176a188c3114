"""``threading.Thread`` and ``_thread`` for controlled threads: start, join and ``is_alive``."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from contextvars import Context, copy_context
from typing import Any

from stingy.engine import escapes, scarcity
from stingy.engine.carrier import spawn
from stingy.engine.life import life_of
from stingy.engine.scheduler import Scheduler, find_caller
from stingy.engine.task import Abort, State

_start = threading.Thread.start
_join = threading.Thread.join
_is_alive = threading.Thread.is_alive


def start(thread: threading.Thread) -> None:
    inside = find_caller()
    if inside is None:
        return _start_for_real(thread)
    scheduler, task = inside
    if scheduler.aborting:
        raise Abort
    if not thread._initialized:  # type: ignore[attr-defined]
        raise RuntimeError("thread.__init__() not called")
    if thread._started.is_set():  # type: ignore[attr-defined]
        raise RuntimeError("threads can only be started once")
    # The Thread's own name may have a number that is higher in each run.
    name = scheduler.new_name()
    started = scheduler.start(name, lambda: _live(scheduler, name, thread), thread=thread)
    started.context = _context(thread)
    scheduler.strategy.started(name)
    scheduler.point(task)
    return None


def _context(thread: threading.Thread) -> Context:
    """Return the ``contextvars`` context in which a new Thread runs.

    It is empty, except since Python 3.14 if the caller has given one or it inherits the caller's.
    """
    given: Context | None = thread.__dict__.get("_context")
    inherits = getattr(sys.flags, "thread_inherit_context", False)
    return given or (copy_context() if inherits else Context())


def _live(scheduler: Scheduler, name: str, thread: threading.Thread) -> None:
    """Run the code of a Thread that the candidate has started; record an exception that ends it."""
    try:
        thread.run()
    except Abort:
        raise
    except BaseException as error:  # noqa: BLE001 - any error ends it
        _end_by(scheduler, name, error)
        if threading.excepthook is not escapes.usual_hook:  # the candidate has set one
            thread._invoke_excepthook(thread)  # type: ignore[attr-defined]
    finally:
        if not scheduler.aborting and (task := scheduler.me()):
            task.locals.take()
        if life := life_of(thread):
            life.end()


def _end_by(scheduler: Scheduler, name: str, error: BaseException) -> None:
    escapes.noticed_at_an_error(error)
    scheduler.ends_by(name, error)


def start_new_thread(function: Callable[..., object], args: tuple[Any, ...], kwargs: Any = None, /) -> int:
    """Start a thread as ``_thread`` does, without a Thread object; return its ident."""
    inside = find_caller()
    if inside is None:
        return spawn(function, args, kwargs or {})
    scheduler, task = inside
    if scheduler.aborting:
        raise Abort
    name = scheduler.new_name()

    def live() -> None:
        try:
            function(*args, **(kwargs or {}))
        except Abort:
            raise
        except BaseException as error:  # noqa: BLE001 - any error ends it
            _end_by(scheduler, name, error)

    ident = scheduler.start_raw(name, live).ident
    scheduler.strategy.started(name)
    scheduler.point(task)
    return ident


def _start_for_real(thread: threading.Thread) -> None:
    try:
        _start(thread)
    except RuntimeError as error:
        scarcity.look_at(error)
        raise
    escapes.is_started(thread)


def join(thread: threading.Thread, timeout: float | None = None) -> None:
    other = life_of(thread)
    inside = find_caller()
    if other is None or inside is None or inside[0].aborting:
        return None if other else _join(thread, timeout)
    if thread is threading.current_thread():
        raise RuntimeError("cannot join current thread")
    scheduler, task = inside
    scheduler.point(task)
    task.deadline = None if timeout is None else scheduler.time.in_future(max(timeout, 0))
    task.state, task.joins = State.JOINS, other
    try:
        while not other.is_over and not scheduler.time.is_due(task):
            scheduler.block(task)
    finally:
        task.state, task.joins, task.deadline = State.READY, None, None
    return None


def is_alive(thread: threading.Thread) -> bool:
    life = life_of(thread)
    return _is_alive(thread) if life is None else not life.is_over
