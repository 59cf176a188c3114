"""What there was too little of while a candidate was judged: threads, or memory, or its own kind of event loop.

That is no fault of the candidate's. Only when it happens can it be told from a candidate that raises the like for reasons of its own.
"""

from __future__ import annotations

import mmap
from types import TracebackType

from stingy.engine.carrier import count, spawn

PLENTY = 1 << 30
"""Bytes: where so many more can be had, memory is not scarce."""

LOOPS = ("trio", "gevent", "eventlet", "curio")
"""Who waits by their means can do so in a loop of theirs alone."""

THREADS = 10_000
"""So many of them a session has under control. A machine has about twice as many, and the last ones take it half a minute."""

_lacking: list[str] = []


def begins() -> None:
    """Nothing has been lacking so far."""
    _lacking.clear()


def lacking() -> str:
    """What has been lacking since, in a sentence; nothing if there was enough of all."""
    return _lacking[-1] if _lacking else ""


def no_thread() -> None:
    """A thread could not be started."""
    _note(_no_thread())


def look_at_threads(count: int) -> None:
    """A session is to have one more than so many. RuntimeError, as where the machine starts no more, if these are all it may have."""
    if count >= THREADS:
        _note(f"it starts more threads than the {THREADS:,} that can be followed")
        raise RuntimeError("can't start new thread")


def look_at(error: BaseException) -> None:
    """Somebody has raised this: note what it is for want of, if it is."""
    if what := describe_want(error):
        _note(what)


def describe_want(error: BaseException) -> str:
    """What this was raised for want of, in a sentence; nothing if there was enough of all."""
    if isinstance(error, RuntimeError) and "can't start new thread" in str(error) and not _has_a_thread():
        return _no_thread()
    if isinstance(error, MemoryError) and not _has_plenty():
        return "the machine has no more memory for it: raise ulimit -v, or the memory limit of its container"
    if loop := _loop_wanted(error):
        return f"it waits with {loop}, which has a loop of its own: judge it through a driver that runs one"
    return ""


def _no_thread() -> str:
    return (
        f"the machine starts no more threads for it than the {count():,} that it has: "
        "raise ulimit -u and ulimit -v, or the pids limit of its container"
    )


def _note(what: str) -> None:
    _lacking[:] = [what]


def _loop_wanted(error: BaseException) -> str:
    """The loop without which this was raised, be it by its own package or where something of it was not understood."""
    where = type(error).__module__, _module_of(error.__traceback__)
    strange = str(error) if isinstance(error, RuntimeError) and "got bad yield" in str(error) else ""
    return next(
        (loop for loop in LOOPS if any(name.partition(".")[0] == loop for name in where) or loop in strange),
        "",
    )


def _module_of(raised: TracebackType | None) -> str:
    """The one whose code has raised it."""
    while raised is not None and raised.tb_next is not None:
        raised = raised.tb_next
    return str(raised.tb_frame.f_globals.get("__name__", "")) if raised else ""


def _has_a_thread() -> bool:
    try:
        spawn(int, ())
    except RuntimeError:
        return False
    return True


def _has_plenty() -> bool:
    try:
        mmap.mmap(-1, PLENTY).close()
    except (OSError, MemoryError):
        return False
    return True
