"""Threads of the operating system, each at a lock of its own."""

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
"""Open or shut: who comes to one that is shut stops there until it is released."""

allocate = _thread.allocate_lock
"""A gate that is open."""

spawn = _thread.start_new_thread
"""Let a new thread run this function with these arguments. RuntimeError if there can be no more of them."""

get_ident = _thread.get_ident
"""Which thread calls."""

get_native_id = _thread.get_native_id
"""The same, as the system calls it."""

thread_time = _time.thread_time
"""What the thread that calls has used of a processor, in seconds."""

HAS_THREADS = True
"""Whether what cannot be controlled can be run as it is."""

LOCALS_STAY = sys.version_info >= (3, 13)
"""Whether a thread cannot be rid of its thread-locals: then each session has threads of its own."""

_KEPT = "__asyncio_running_event_loop__"
"""Among the thread-locals: asyncio keeps a pointer to it, and holds it for alive as long as the thread is."""

_thread_dict = ctypes.pythonapi.PyThreadState_GetDict
_thread_dict.argtypes, _thread_dict.restype = (), ctypes.c_void_p

_clock_gettime = getattr(_time, "clock_gettime", None)  # Windows has none


def own_locals() -> dict[object, object]:
    """Where all is kept that is kept for the thread that calls, by threading.local and the like."""
    found = _thread_dict()
    kept: dict[object, object] = ctypes.cast(found, ctypes.py_object).value if found else {}
    return kept


def take_locals(kept: dict[object, object]) -> object:
    """All that is kept there; it is found there no more."""
    if not kept:
        return None
    taken = {name: value for name, value in kept.items() if name != _KEPT}
    for name in taken:
        del kept[name]
    return taken


def frames_of(ident: int) -> Sequence[FrameType]:
    """Where the thread is, and what called that; nothing if there is no such thread."""
    return list(outwards(sys._current_frames().get(ident)))


def count() -> int:
    """How many threads the process has."""
    return len(sys._current_frames())


def raise_in(ident: int, error: type[BaseException]) -> None:
    """Let this be raised in a thread at its next bytecode, which one that is blocked in C has to come to by itself."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(ident), ctypes.py_object(error))


def is_runnable(native_id: int) -> bool:
    """Whether the thread is ready to run, or waits for a disk, as far as Linux tells."""
    try:
        with open(f"/proc/self/task/{native_id}/stat", "rb") as stat:  # noqa: PTH123 - it is no path to keep
            state = stat.read().rpartition(b") ")[2][:1]
    except OSError:
        return False
    return state in b"RD"


class Processor:
    """A processor for all threads of this process that hand over to each other; no other stingy on this machine claims it.

    From one processor to another it takes twice as long to hand over. Linux alone keeps threads on one, and forgets a claim when the
    process ends.
    """

    def __init__(self, number: int) -> None:
        """OSError if another process has claimed it."""
        self._number = number
        self._claim = socket.socket(socket.AF_UNIX)
        try:
            self._claim.bind(f"\0stingy processor {number}")
        except OSError:
            self._claim.close()
            raise

    @staticmethod
    def claim() -> Processor | None:
        """Claim one that is free; None if there is none, or no choice."""
        may = sorted(os.sched_getaffinity(0)) if sys.platform == "linux" else ()
        for number in may if len(may) > 1 else ():
            with suppress(OSError):
                return Processor(number)
        return None

    def leave(self) -> None:
        """Let another process claim it."""
        self._claim.close()

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Run the calling thread, and the threads that it starts, on this processor."""
        before = os.sched_getaffinity(0)
        with suppress(OSError):  # it may have been taken from this process
            os.sched_setaffinity(0, {self._number})
        try:
            yield
        finally:
            with suppress(OSError):
                os.sched_setaffinity(0, before)


def processor_seconds(ident: int) -> float:
    """What the thread has used of a processor so far; 0 where the system does not tell."""
    clock = getattr(_time, "pthread_getcpuclockid", None)
    return _clock_gettime(clock(ident)) if clock is not None and _clock_gettime is not None else 0.0
