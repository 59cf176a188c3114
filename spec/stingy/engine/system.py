"""Threads of the operating system; each has a lock of its own, at which it waits for its turn."""

from __future__ import annotations

import _thread
import ctypes
import os
import socket
import sys
import time as _time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from types import FrameType

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

LOCALS_STAY = sys.version_info >= (3, 13)
"""True from Python 3.13 on: thread-locals cannot be removed from a thread.

Each session then starts new threads.
"""

_KEPT = "__asyncio_running_event_loop__"
"""A thread-local that must stay: asyncio keeps a borrowed pointer to it while the thread lives."""

_thread_dict = ctypes.pythonapi.PyThreadState_GetDict
_thread_dict.argtypes, _thread_dict.restype = (), ctypes.c_void_p

_clock_gettime = getattr(_time, "clock_gettime", None)  # Windows has none


def own_locals() -> dict[object, object]:
    """Return the dict that holds all thread-locals of the calling thread."""
    found = _thread_dict()
    kept: dict[object, object] = ctypes.cast(found, ctypes.py_object).value if found else {}
    return kept


def take_locals(kept: dict[object, object]) -> object:
    """Remove and return all but the ``_KEPT`` thread-locals of this dict; None if there are none."""
    if not kept:
        return None
    taken = {name: value for name, value in kept.items() if name != _KEPT}
    for name in taken:
        del kept[name]
    return taken


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
