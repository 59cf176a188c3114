"""Shortages while a candidate is judged: too few threads, too little memory, no event loop.

A shortage is not the candidate's fault. It has to be noticed when it happens: later, it looks like
an error that the candidate raises for reasons of its own.
"""

from __future__ import annotations

import mmap
import sys

from stingy.contract.kinds import is_a
from stingy.engine.carrier import count, spawn
from stingy.engine.frames import find_raiser

PLENTY = 1 << 30
"""Bytes: if this much more can be allocated, memory is not scarce."""

LOOPS = ("trio", "gevent", "eventlet", "curio")
"""Libraries whose waits work only inside their own event loop."""

THREADS = 10_000
"""The most controlled threads of one session.

A machine allows about twice that number, and takes half a minute to start the last ones.
"""

_lacking: list[str] = []


def begins() -> None:
    """Forget earlier shortages of threads, memory or event loops, because a rule is judged anew."""
    _lacking.clear()


def lacking() -> str:
    """Return the last shortage (of threads, memory or an event loop) as a sentence; "" if none."""
    return _lacking[-1] if _lacking else ""


def no_thread() -> None:
    """Record as a shortage that a thread could not be started."""
    _note(_no_thread())


def look_at_threads(count: int) -> None:
    """Raise RuntimeError if a session with ``count`` threads must not start one more.

    It is the error that Python raises if the machine can start no more.
    """
    if count >= THREADS:
        _note(f"it starts more threads than the {THREADS:,} that can be followed")
        raise RuntimeError("can't start new thread")


def look_at(error: BaseException) -> None:
    """Record the shortage (of threads, memory or an event loop) that caused this error, if any."""
    if what := describe_want(error):
        _note(what)


def describe_want(error: BaseException) -> str:
    """Return the shortage (as of memory) that caused this error, as a sentence; "" if none did."""
    if is_a(error, RuntimeError) and "can't start new thread" in str(error) and not _has_a_thread():
        return _no_thread()
    if is_a(error, MemoryError) and not _has_plenty():
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
    """Return the library in LOOPS whose event loop the failed code needed; "" if none.

    It is recognised by the module that raised the error, or by a value that asyncio could not
    await. An error in a process that gevent has patched can come from anywhere.
    """
    monkey = sys.modules.get("gevent.monkey")
    if monkey is not None and monkey.is_module_patched("threading"):
        return "gevent"
    raiser = find_raiser(error)
    where = type(error).__module__, str(raiser.f_globals.get("__name__", "")) if raiser else ""
    strange = str(error) if is_a(error, RuntimeError) and "got bad yield" in str(error) else ""
    return next(
        (loop for loop in LOOPS if any(name.partition(".")[0] == loop for name in where) or loop in strange),
        "",
    )


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
