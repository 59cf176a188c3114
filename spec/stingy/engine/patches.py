"""Patches of threading, queue, time and datetime while a candidate runs; always undone after."""

from __future__ import annotations

import _thread
import copyreg
import datetime as dt
import functools
import gc
import importlib._bootstrap
import logging
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import count
from types import ModuleType, SimpleNamespace
from typing import Any

from stingy.engine import clocks, codes, loop, threads
from stingy.engine import scheduler as engine
from stingy.engine.escapes import noticing
from stingy.engine.pool import POOL
from stingy.engine.primitives import Condition, Lock, RLock
from stingy.engine.scheduler import Scheduler
from stingy.engine.task import Abort

_REAL = SimpleNamespace(**vars(_thread))

_PATCHES: tuple[tuple[Any, str, Any], ...] = tuple(
    (place, name, new)
    for place, name, new in (
        (threading, "Lock", Lock),
        (threading, "_allocate_lock", Lock),
        (threading, "RLock", RLock),
        (threading, "Condition", Condition),
        (threading, "_time", clocks.OF_TIME["monotonic"]),
        (threading, "_start_new_thread", threads.start_new_thread),
        (threading.Thread, "start", threads.start),
        (threading.Thread, "join", threads.join),
        (threading.Thread, "is_alive", threads.is_alive),
        (_thread, "start_new_thread", threads.start_new_thread),
        (_thread, "start_new", threads.start_new_thread),
        (_thread, "allocate_lock", Lock),
        (_thread, "allocate", Lock),
        (_thread, "RLock", RLock),
        (functools, "RLock", RLock),
        (importlib._bootstrap, "_thread", _REAL),  # the locks of imports stay real
        (queue, "SimpleQueue", queue._PySimpleQueue),  # type: ignore[attr-defined]
        (queue, "time", clocks.OF_TIME["monotonic"]),
        (gc, "freeze", codes.freeze),
        *((time, name, new) for name, new in clocks.OF_TIME.items()),
        (dt, "date", clocks.Date),
        (dt, "datetime", clocks.Datetime),
        (loop.POLICY, "new_event_loop", loop.new_event_loop),
        (subprocess.Popen, "__init__", noticing(subprocess.Popen.__init__, "starts another process")),
        *(
            (signal, name, noticing(getattr(signal, name), "sets a timer of the system"))
            for name in ("setitimer", "alarm")
            if hasattr(signal, name)
        ),
    )
    if hasattr(place, name)
)


Binding = tuple[Any, str, Any]
"""A module or class, a name in it, and the value to bind to the name."""

_REPLACED: dict[int, Any] = {
    id(getattr(place, name)): new
    for place, name, new in _PATCHES
    if isinstance(place, ModuleType) and not isinstance(new, SimpleNamespace)
}
_OURS = {"stingy", "_pytest", "pytest", "hypothesis", "msgspec", "rich", "click"}
_UNTOUCHED = sys.stdlib_module_names | _OURS


def is_untouched(module: str) -> bool:
    """Return True if ``bound_before`` never replaces names in the module.

    That is so for modules of the standard library, the suite and its dependencies.
    """
    return module.partition(".")[0] in _UNTOUCHED


def bound_before() -> list[Binding]:
    """Return bindings that replace patched functions in modules that imported them by name.

    An example is ``Lock`` after ``from threading import Lock``, in a module that was imported
    before the patches. Modules that ``is_untouched`` names are left out.
    """
    return [
        (module, name, _REPLACED[id(value)])
        for top, module in list(sys.modules.items())
        if not is_untouched(top)
        and isinstance(module, ModuleType)
        and not _REPLACED.keys().isdisjoint(map(id, list(vars(module).values())))
        for name, value in list(vars(module).items())
        if id(value) in _REPLACED
    ]


_POOLS = logging.getLogger("concurrent.futures")


def _is_no_abort(record: logging.LogRecord) -> bool:
    """Return False for a log record about an Abort (the end of a session), so that it is not printed.

    A pool of ``concurrent.futures`` logs an error for each of its threads that a session's end
    unwinds.
    """
    return not (record.exc_info and isinstance(record.exc_info[1], Abort))


_in_force: Iterable[Binding] | None = None
"""The bindings in force besides ``_PATCHES``; None if nothing is patched."""


@contextmanager
def patched(bindings: Iterable[Binding] = ()) -> Iterator[None]:
    """Until the block ends, apply the patches and ``bindings``: the candidate is imported or runs.

    ``bindings`` come from ``bound_before``. A nested call with no or the same bindings changes
    nothing.
    """
    global _in_force  # noqa: PLW0603
    before = _in_force
    if before is not None and (bindings is before or not bindings):
        yield
        return
    undo: list[Binding] = []
    _in_force = bindings
    _POOLS.addFilter(_is_no_abort)
    copyreg.dispatch_table.update(clocks.OF_PICKLES)
    try:
        for place, name, new in (*bindings, *_PATCHES):
            undo.append((place, name, getattr(place, name)))
            setattr(place, name, new)
        yield
    finally:
        for place, name, old in reversed(undo):
            setattr(place, name, old)
        _in_force = before
        if before is None:
            for kind in clocks.OF_PICKLES:
                copyreg.dispatch_table.pop(kind, None)
            _POOLS.removeFilter(_is_no_abort)


@contextmanager
def running(scheduler: Scheduler) -> Iterator[None]:
    """Until the block ends, make this the process's active scheduler.

    Raises RuntimeError if another one is active. Garbage collection is off meanwhile, unless the
    candidate calls it. A finalizer that ran in the middle of the scheduler's own work could take a
    lock there, at a time that no schedule chose.
    """
    if engine.active is not None:
        raise RuntimeError("one candidate at a time can be under control")
    engine.active = scheduler
    collects = gc.isenabled()
    gc.disable()
    counter = threading._counter  # type: ignore[attr-defined]
    # The counter for the default names of Threads starts again, so that each run has the same.
    threading._counter = count(1).__next__  # type: ignore[attr-defined]
    try:
        with POOL.together():
            yield
    finally:
        engine.active = None
        if collects:
            gc.enable()
        threading._counter = counter  # type: ignore[attr-defined]
