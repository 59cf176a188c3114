"""What lies around a thread: context variables, its own locals, its name, and what the whole module shares."""

from __future__ import annotations

import _thread
import threading
from collections import deque
from collections.abc import Hashable
from contextvars import ContextVar, copy_context
from functools import lru_cache, partial
from heapq import heappop, heappush
from itertools import count
from threading import Condition, Event, Thread
from time import monotonic
from typing import Any, ClassVar
from weakref import WeakKeyDictionary, ref

from stingy_sound.oddities.books import Answer, Books, Delaying, Parking, Plain

INSIDE: ContextVar[bool] = ContextVar("inside", default=False)


class GuardedByContext(Plain):
    """A variable of the module's context says whether this thread waits in a Get: it cannot, in two."""

    def get(self) -> Answer:
        if INSIDE.get():
            raise RuntimeError("a thread waits in one Get at a time")
        token = INSIDE.set(True)
        try:
            return super().get()
        finally:
            INSIDE.reset(token)


class RunsInACopyOfTheContext(Plain):
    """Each Get runs in a copy of its context, and leaves no trace in the one it was called in."""

    def get(self) -> Answer:
        return copy_context().run(self._get)

    def _get(self) -> Answer:
        if INSIDE.get():
            raise RuntimeError("what is set in a copy is not set here")
        INSIDE.set(True)
        return super().get()


MINE = threading.local()


class GuardedByThreadLocal(Plain):
    """A ``threading.local`` of the module counts the calls that this thread is in; a new one is in none."""

    def get(self) -> Answer:
        MINE.depth = getattr(MINE, "depth", 0) + 1
        try:
            if MINE.depth > 1:
                raise RuntimeError("a thread waits in one Get at a time")
            return super().get()
        finally:
            MINE.depth -= 1


class SpotForEachThread(Parking):
    """Each thread has an event of its own for all its waits, found by ``current_thread`` in a weak dictionary."""

    def __init__(self) -> None:
        super().__init__()
        self._spots: WeakKeyDictionary[Thread, Event] = WeakKeyDictionary()

    def _new_spot(self) -> Any:
        spot = self._spots.setdefault(threading.current_thread(), Event())
        spot.clear()
        return spot


class OneLockForAllQueues(Plain):
    """All queues of the class share one lock, and one condition, that are made with it."""

    _SHARED: ClassVar[Any] = Condition()

    def __init__(self) -> None:
        super().__init__()
        self._lock = self._changed = self._SHARED

    def _wake(self) -> None:
        self._changed.notify_all()


@lru_cache(maxsize=8)
def _condition(number: int) -> Any:  # noqa: ARG001
    """Remembered by the module for the numbers that were asked for last; whoever has one keeps it."""
    return Condition()


class LockFromACache(Plain):
    """Its lock is one of eight that an ``lru_cache`` of the module makes and keeps."""

    _MADE: ClassVar[count[int]] = count()

    def __init__(self) -> None:
        super().__init__()
        self._lock = self._changed = _condition(next(self._MADE) % 8)

    def _wake(self) -> None:
        self._changed.notify_all()


class _SharedClerk:
    """Adds what is due to whatever queue it is of; begins with the first, and goes on for ever."""

    def __init__(self) -> None:
        self._news = Condition()
        self._heap: list[tuple[float, int, Any]] = []
        self._numbers = count()
        self._thread: Thread | None = None

    def call(self, at: float, ring: Any) -> None:
        with self._news:
            heappush(self._heap, (at, next(self._numbers), ring))
            if self._thread is None:
                self._thread = Thread(target=self._keep_looking, daemon=True)
                self._thread.start()
            self._news.notify()

    def _keep_looking(self) -> None:
        while True:
            with self._news:
                while not self._heap or self._heap[0][0] > monotonic():
                    self._news.wait(self._heap[0][0] - monotonic() if self._heap else None)
                ring = heappop(self._heap)[2]
            ring()


CLERK = _SharedClerk()


class ClerkOfAllQueues(Plain):
    """One clerk, a thread of the module, watches the time for all queues, and keeps none of them alive."""

    def __init__(self) -> None:
        super().__init__()
        self._soonest: dict[Hashable, float] = {}

    def add_after(self, item: Hashable, seconds: float) -> None:
        if seconds <= 0:
            self.add(item)
            return
        with self._lock:
            at = monotonic() + seconds
            if self._books.closed or self._soonest.get(item, at + 1) <= at:
                return
            self._soonest[item] = at
        CLERK.call(at, partial(_ring, ref(self), item, at))

    def _ring(self, item: Hashable, at: float) -> None:
        with self._lock:
            if self._soonest.get(item) == at and not self._books.closed:
                del self._soonest[item]
                if self._books.add(item):
                    self._wake()


def _ring(queue_then: ref[ClerkOfAllQueues], item: Hashable, at: float) -> None:
    """If the queue is still there."""
    queue = queue_then()
    if queue is not None:
        queue._ring(item, at)


class RawThreads(Delaying):
    """The clerk is a thread of ``_thread``, which no Thread knows."""

    def _hire(self) -> Any:
        return _thread.start_new_thread(self._keep_looking, ())


class RawLocks:
    """``_thread``'s own locks: one for the books, and one for each worker that waits, taken twice."""

    def __init__(self) -> None:
        self._books = Books()
        self._lock = _thread.allocate_lock()
        self._waiting: deque[Any] = deque()

    def add(self, item: Hashable) -> None:
        with self._lock:
            if self._books.add(item):
                self._wake()

    def get(self) -> Answer:
        while True:
            with self._lock:
                if answer := self._books.take():
                    return answer
                mine = _thread.allocate_lock()
                mine.acquire()
                self._waiting.append(mine)
            mine.acquire()

    def done(self, item: Hashable) -> None:
        with self._lock:
            if self._books.finish(item):
                self._wake()

    def __len__(self) -> int:
        with self._lock:
            return len(self._books)

    def shut_down(self) -> None:
        with self._lock:
            self._books.close()
            while self._waiting:
                self._wake()

    def shutting_down(self) -> bool:
        with self._lock:
            return self._books.closed

    def _wake(self) -> None:
        if self._waiting:
            self._waiting.popleft().release()


SOUND: tuple[type[Any], ...] = (
    *(GuardedByContext, RunsInACopyOfTheContext, GuardedByThreadLocal, SpotForEachThread),
    *(OneLockForAllQueues, LockFromACache, ClerkOfAllQueues, RawThreads, RawLocks),
)
"""Each is sound; the rules must let each pass."""
