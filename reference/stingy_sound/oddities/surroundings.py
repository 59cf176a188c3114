"""Context variables, thread-local variables, raw threads, and state that all queues share."""

from __future__ import annotations

import _thread
import threading
from collections.abc import Hashable
from contextvars import ContextVar, copy_context
from functools import lru_cache
from itertools import count
from threading import Condition, Event, Thread
from typing import Any, ClassVar
from weakref import WeakKeyDictionary, ref

from stingy_sound.oddities.books import Answer, Clerk, Delaying, Parking, Plain, Ringing

INSIDE: ContextVar[bool] = ContextVar("inside", default=False)


class GuardedByContext(Plain):
    """A context variable of the module is True while this thread is in a Get.

    A second Get in the same context raises an error.
    """

    def get(self) -> Answer:
        if INSIDE.get():
            raise RuntimeError("a thread waits in one Get at a time")
        token = INSIDE.set(True)
        try:
            return super().get()
        finally:
            INSIDE.reset(token)


class RunsInACopyOfTheContext(Plain):
    """Each Get runs in a copy of its context, so it sets no context variable for the caller."""

    def get(self) -> Answer:
        return copy_context().run(self._get)

    def _get(self) -> Answer:
        if INSIDE.get():
            raise RuntimeError("what is set in a copy is not set here")
        INSIDE.set(True)
        return super().get()


MINE = threading.local()


class GuardedByThreadLocal(Plain):
    """A thread-local variable of the module counts the Gets that this thread is in.

    It must be 0 in a new thread: a second Get in the same thread raises an error.
    """

    def get(self) -> Answer:
        MINE.depth = getattr(MINE, "depth", 0) + 1
        try:
            if MINE.depth > 1:
                raise RuntimeError("a thread waits in one Get at a time")
            return super().get()
        finally:
            MINE.depth -= 1


class SpotForEachThread(Parking):
    """Each thread has one event for all its waits, in a weak dictionary by ``current_thread``."""

    def __init__(self) -> None:
        super().__init__()
        self._spots: WeakKeyDictionary[Thread, Event] = WeakKeyDictionary()

    def _new_spot(self) -> Any:
        spot = self._spots.setdefault(threading.current_thread(), Event())
        spot.clear()
        return spot


class OneLockForAllQueues(Plain):
    """All queues of this class share one condition, which is made with the class."""

    _SHARED: ClassVar[Any] = Condition()

    def __init__(self) -> None:
        super().__init__()
        self._lock = self._changed = self._SHARED

    def _wake(self) -> None:
        self._changed.notify_all()


@lru_cache(maxsize=8)
def _condition(number: int) -> Any:  # noqa: ARG001
    """Return the condition of this number, which is cached in the module."""
    return Condition()


class LockFromACache(Plain):
    """Its lock is one of eight conditions that an ``lru_cache`` of the module keeps."""

    _MADE: ClassVar[count[int]] = count()

    def __init__(self) -> None:
        super().__init__()
        self._lock = self._changed = _condition(next(self._MADE) % 8)

    def _wake(self) -> None:
        self._changed.notify_all()


CLERK = Clerk()


class ClerkOfAllQueues(Ringing):
    """One thread of the module times the delays of all queues, and references them weakly."""

    def _set(self, item: Hashable, at: float) -> None:
        CLERK.call(at, ref(self), item)


class RawThreads(Delaying):
    """The clerk is started with ``_thread``, so there is no Thread object for it."""

    def _hire(self) -> Any:
        return _thread.start_new_thread(self._keep_looking, ())


class RawLocks(Parking):
    """Has a lock of ``_thread`` for the state, and one that each waiting worker acquires twice."""

    class _Spot:
        def __init__(self) -> None:
            self._lock = _thread.allocate_lock()
            self._lock.acquire()

        def wait(self) -> None:
            self._lock.acquire()

        def set(self) -> None:
            self._lock.release()

    def __init__(self) -> None:
        super().__init__(_thread.allocate_lock())

    def _new_spot(self) -> Any:
        return self._Spot()


SOUND: tuple[type[Any], ...] = (
    *(GuardedByContext, RunsInACopyOfTheContext, GuardedByThreadLocal, SpotForEachThread),
    *(OneLockForAllQueues, LockFromACache, ClerkOfAllQueues, RawThreads, RawLocks),
)
