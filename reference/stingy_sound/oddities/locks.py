"""Unusual locks, and unusual ways to wait with them."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Hashable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from queue import SimpleQueue
from threading import BoundedSemaphore, Lock
from types import TracebackType
from typing import Any

from stingy_sound.oddities.books import GO_HOME, Answer, Books, Parking, Plain


class _Lock:
    """Base of locks that can be used in a ``with`` statement."""

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        raise NotImplementedError

    def release(self) -> None:
        raise NotImplementedError

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


class _Spinning(_Lock):
    def __init__(self) -> None:
        self._lock = Lock()

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:  # noqa: ARG002
        while not self._lock.acquire(blocking=False):
            if not blocking:
                return False
            time.sleep(0)
        return True

    def release(self) -> None:
        self._lock.release()


class SpinLock(Plain):
    """Tries to take the lock without blocking, again and again."""

    def __init__(self) -> None:
        super().__init__(_Spinning())


class _Impatient(_Lock):
    def __init__(self) -> None:
        self._lock = Lock()

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:  # noqa: ARG002
        if not blocking:
            return self._lock.acquire(blocking=False)
        while not self._lock.acquire(timeout=0.1):
            pass
        return True

    def release(self) -> None:
        self._lock.release()


class LockWithATimeOut(Plain):
    """Takes the lock with a time-out of 0.1 s, again and again."""

    def __init__(self) -> None:
        super().__init__(_Impatient())


class PermitForALock(Plain):
    """Its lock is a BoundedSemaphore with one permit."""

    def __init__(self) -> None:
        super().__init__(BoundedSemaphore(1))


class MeetsAtABarrier(Plain):
    """A thread wakes the workers; it and the constructor meet at a barrier first."""

    def __init__(self) -> None:
        super().__init__()
        self._to_wake: SimpleQueue[int] = SimpleQueue()
        beginning = threading.Barrier(2)
        threading.Thread(target=self._keep_waking, args=(beginning,), daemon=True).start()
        beginning.wait()

    def _keep_waking(self, beginning: threading.Barrier) -> None:
        beginning.wait()
        while number := self._to_wake.get():
            with self._lock:
                self._changed.notify(number)

    def _wake(self) -> None:
        self._to_wake.put(1)

    def _wake_all(self) -> None:
        self._changed.notify_all()
        self._to_wake.put(0)
        self._wake = self._changed.notify  # type: ignore[method-assign]


class WaitsForAPredicate(Plain):
    """Waits with ``Condition.wait_for``; the predicate takes the item."""

    def get(self) -> Answer:
        with self._changed:
            answer: Answer = self._changed.wait_for(self._books.take)
            return answer


class _Writing(_Lock):
    """A lock for one writer or many readers.

    The first reader acquires the writer's lock, and the last reader releases it, maybe in another
    thread.
    """

    def __init__(self) -> None:
        self._readers = 0
        self._counting, self._writing = Lock(), Lock()

    @contextmanager
    def reading(self) -> Iterator[None]:
        with self._counting:
            self._readers += 1
            if self._readers == 1:
                self._writing.acquire()
        try:
            yield
        finally:
            with self._counting:
                self._readers -= 1
                if not self._readers:
                    self._writing.release()

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        return self._writing.acquire(blocking, timeout)

    def release(self) -> None:
        self._writing.release()


class ReadersAndAWriter(Parking):
    """Has a readers-writer lock: Len and ShuttingDown read, all other methods write."""

    def __init__(self) -> None:
        super().__init__(_Writing())

    def __len__(self) -> int:
        with self._lock.reading():
            return len(self._books)

    def shutting_down(self) -> bool:
        with self._lock.reading():
            return self._books.closed


class StripedLocks(Plain):
    """Distributes the items by hash among four locks and states; the line has a lock of its own."""

    def __init__(self) -> None:
        super().__init__()
        self._stripes = [(Lock(), Books()) for _ in range(4)]

    def add(self, item: Hashable) -> None:
        lock, books = self._stripe(item)
        with lock:
            self._queue(books, item, ready=books.add(item))

    def get(self) -> Answer:
        with self._lock:
            while not self._books.line:
                if self._books.closed:
                    return GO_HOME
                self._wait()
            item = self._books.line.popleft()
        lock, books = self._stripe(item)
        with lock:
            books.dirty.discard(item)
            books.processing.add(item)
        return item, False

    def done(self, item: Hashable) -> None:
        lock, books = self._stripe(item)
        with lock:
            self._queue(books, item, ready=books.finish(item))

    def shut_down(self) -> None:
        """Shut down with all locks held, so that no Add is in progress."""
        with ExitStack() as all_of_them:
            for lock, books in self._stripes:
                all_of_them.enter_context(lock)
                books.close()
            super().shut_down()

    def _stripe(self, item: Hashable) -> tuple[Any, Books]:
        return self._stripes[hash(item) % len(self._stripes)]

    def _queue(self, books: Books, item: Hashable, *, ready: bool) -> None:
        if ready:
            books.line.clear()  # the line for all is the only one
            with self._lock:
                self._books.line.append(item)
                self._wake()


class WakesOnTheWayOut(Plain):
    """Counts the workers to wake, releases the lock, takes it again, and then wakes them."""

    def __init__(self) -> None:
        super().__init__()
        self._to_wake = 0

    def _alone(self) -> AbstractContextManager[None]:
        return self._waking_later()

    @contextmanager
    def _waking_later(self) -> Iterator[None]:
        with self._lock:
            yield
            to_wake, self._to_wake = self._to_wake, 0
        if to_wake:
            with self._changed:
                self._changed.notify(to_wake)

    def _wake(self) -> None:
        self._to_wake += 1

    def _wake_all(self) -> None:
        self._to_wake = sys.maxsize


SOUND: tuple[type[Any], ...] = (
    *(SpinLock, LockWithATimeOut, PermitForALock, MeetsAtABarrier, WaitsForAPredicate, ReadersAndAWriter),
    *(StripedLocks, WakesOnTheWayOut),
)
