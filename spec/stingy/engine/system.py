"""Threads of the operating system; each has a lock of its own, at which it waits for its turn."""

from __future__ import annotations

import _thread
import ctypes
import gc
import os
import socket
import sys
import time as _time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from types import FrameType
from weakref import getweakrefs, ref

from stingy.engine.cpython import LOCALS_WATCH_THREADS
from stingy.engine.frames import outwards

Gate = _thread.LockType
"""A raw lock, open or shut: a thread that comes to a shut one waits until it is released."""

allocate = _thread.allocate_lock
"""Return a gate that is open."""

spawn = _thread.start_new_thread
"""Run a function with arguments in a new thread, and return its ident.

RuntimeError if there can be no more threads.
"""

get_ident = _thread.get_ident
"""Return the ident of the calling thread."""

get_native_id = _thread.get_native_id
"""Return the number that the system has for the calling thread."""

thread_time = _time.thread_time
"""Return the processor time of the calling thread, in seconds."""

HAS_THREADS = True
"""True if there are real threads, on which a candidate that cannot be controlled can run."""

_KEPT = "__asyncio_running_event_loop__"
"""A thread-local that must stay: asyncio keeps a borrowed pointer to it while the thread lives."""

_thread_dict = ctypes.pythonapi.PyThreadState_GetDict
_thread_dict.argtypes, _thread_dict.restype = (), ctypes.c_void_p

_clock_gettime = getattr(_time, "clock_gettime", None)  # Windows has none


class Locals:
    """The thread-locals of the thread that makes this object, so that they can be removed from it."""

    def __init__(self) -> None:
        found = _thread_dict()
        self._kept: dict[object, object] = ctypes.cast(found, ctypes.py_object).value if found else {}
        self._end = _end_of_thread() if LOCALS_WATCH_THREADS else lambda: None

    def take(self) -> object:
        """Remove all thread-locals but ``_KEPT``, and return what they held.

        Called in the thread itself.
        """
        taken = [self._kept.pop(name) for name in tuple(self._kept) if name != _KEPT]
        for watch in getweakrefs(self._end()):
            if (forget := watch.__callback__) is not None:
                if (local := forget.__self__[0]()) is not None:
                    taken.append(_thread._local.__getattribute__(local, "__dict__"))
                forget(watch)
        return taken


def _end_of_thread() -> Callable[[], object]:
    """Return a weak reference to an object that CPython deletes when the calling thread ends.

    Each ``local`` with values of the thread has such a reference too (``LOCALS_WATCH_THREADS``). Its
    callback, which gets the ``local`` from its ``__self__``, removes these values.
    """
    probe = _thread._local()
    vars(probe)  # only now it has values of this thread
    (watch,) = next(part for part in gc.get_referents(probe) if isinstance(part, set))
    return ref(watch())


def frames_of(ident: int) -> Sequence[FrameType]:
    """Return the frames of the thread, innermost first; none if there is no such thread."""
    return list(outwards(sys._current_frames().get(ident)))


def count() -> int:
    """Return the number of threads in this process that Python knows."""
    return len(sys._current_frames())


def raise_in(ident: int, error: type[BaseException]) -> None:
    """Raise an exception of this class in a thread, at its next bytecode.

    A thread that is blocked in C has to return from there first.
    """
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(ident), ctypes.py_object(error))


def is_runnable(native_id: int) -> bool:
    """Return True if the thread is ready to run or waits for a disk; False outside Linux."""
    try:
        with open(f"/proc/self/task/{native_id}/stat", "rb") as stat:  # noqa: PTH123
            state = stat.read().rpartition(b") ")[2][:1]
    except OSError:
        return False
    return state in b"RD"


class Processor:
    """The processor on which this process runs all its controlled threads.

    A hand-over to a thread on another processor takes twice as long. No other process of stingy on
    this machine uses a claimed processor. Only Linux can pin threads to a processor. A claim ends
    with the process.
    """

    def __init__(self, number: int) -> None:
        """Claim the processor ``number``. Raises OSError if another process has claimed it."""
        self._number = number
        self._claim = socket.socket(socket.AF_UNIX)
        try:
            self._claim.bind(f"\0stingy processor {number}")
        except OSError:
            self._claim.close()
            raise

    @staticmethod
    def claim() -> Processor | None:
        """Claim a free processor and return it; None if there is none, or the system gives no choice."""
        may = sorted(os.sched_getaffinity(0)) if sys.platform == "linux" else ()
        for number in may if len(may) > 1 else ():
            with suppress(OSError):
                return Processor(number)
        return None

    def leave(self) -> None:
        """Let another process claim the processor."""
        self._claim.close()

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Until the block ends, run the calling thread, and threads it starts, on this processor."""
        before = os.sched_getaffinity(0)
        with suppress(OSError):  # this process may have lost the right to use it
            os.sched_setaffinity(0, {self._number})
        try:
            yield
        finally:
            with suppress(OSError):
                os.sched_setaffinity(0, before)


def processor_seconds(ident: int) -> float:
    """Return the processor time of a thread in seconds; 0 where the system does not report it."""
    clock = getattr(_time, "pthread_getcpuclockid", None)
    return _clock_gettime(clock(ident)) if clock is not None and _clock_gettime is not None else 0.0
