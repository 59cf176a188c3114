"""Locks of every kind, and ways to wait with them."""

from __future__ import annotations

import sys
import threading
import time
from collections import deque
from collections.abc import Hashable, Iterator
from contextlib import AbstractContextManager, contextmanager
from itertools import count
from queue import SimpleQueue
from threading import BoundedSemaphore, Condition, Event, Lock
from types import TracebackType
from typing import Any

from stingy_sound.oddities.books import GO_HOME, Answer, Books, Parking, Plain


class _Lock:
    """What may stand behind a ``with``."""

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


class _Tickets(_Lock):
    def __init__(self) -> None:
        self._guard = Lock()
        self._called: dict[int, Event] = {}
        self._drawn = self._served = 0

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:  # noqa: ARG002
        with self._guard:
            if self._drawn == self._served:
                self._drawn += 1
                return True
            if not blocking:
                return False
            mine = self._called[self._drawn] = Event()
            self._drawn += 1
        mine.wait()
        return True

    def release(self) -> None:
        with self._guard:
            self._served += 1
            called = self._called.pop(self._served, None)
        if called is not None:
            called.set()


class TicketLock(Plain):
    """Whoever comes to the lock draws a number, and waits until it is called."""

    def __init__(self) -> None:
        super().__init__(_Tickets())


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
    """Nobody waits for the lock: whoever does not get it tries again."""

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
    """Waits a tenth of a second for the lock, and then for another one."""

    def __init__(self) -> None:
        super().__init__(_Impatient())


class PermitForALock(Plain):
    """A BoundedSemaphore of one permit is the lock."""

    def __init__(self) -> None:
        super().__init__(BoundedSemaphore(1))


class MeetsAtABarrier(Plain):
    """Has a thread that wakes the workers; both meet at a barrier before anybody can call."""

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
    """``Condition.wait_for``, with a predicate that takes what it finds."""

    def get(self) -> Answer:
        with self._changed:
            answer: Answer = self._changed.wait_for(self._books.take)
            return answer


class ReadersAndAWriter(Parking):
    """Len and ShuttingDown may be asked by many at once; whoever changes anything is alone."""

    class _Lock:
        """For one who writes; ``reading`` is for many."""

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

        def acquire(self) -> bool:
            return self._writing.acquire()

        def release(self) -> None:
            self._writing.release()

        def __enter__(self) -> bool:
            return self.acquire()

        def __exit__(self, *_: object) -> None:
            self.release()

    def __init__(self) -> None:
        self._both = self._Lock()
        super().__init__(self._both)

    def __len__(self) -> int:
        with self._both.reading():
            return len(self._books)

    def shutting_down(self) -> bool:
        with self._both.reading():
            return self._books.closed


class StripedLocks:
    """Four books, each with a lock, share the items between them; the order is that of one line for all."""

    STRIPES = 4

    def __init__(self) -> None:
        self._stripes = [(Lock(), Books()) for _ in range(self.STRIPES)]
        self._line: deque[Hashable] = deque()
        self._closed = False
        self._changed = Condition()

    def add(self, item: Hashable) -> None:
        lock, books = self._stripe(item)
        with lock:
            self._queue(books, item, ready=books.add(item))

    def get(self) -> Answer:
        with self._changed:
            while not self._line and not self._closed:
                self._changed.wait()
            if not self._line:
                return GO_HOME
            item = self._line.popleft()
        lock, books = self._stripe(item)
        with lock:
            books.dirty.discard(item)
            books.processing.add(item)
        return item, False

    def done(self, item: Hashable) -> None:
        lock, books = self._stripe(item)
        with lock:
            self._queue(books, item, ready=books.finish(item))

    def __len__(self) -> int:
        with self._changed:
            return len(self._line)

    def shut_down(self) -> None:
        for lock, books in self._stripes:
            lock.acquire()
            books.close()
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        for lock, _ in self._stripes:
            lock.release()

    def shutting_down(self) -> bool:
        with self._changed:
            return self._closed

    def _stripe(self, item: Hashable) -> tuple[Any, Books]:
        return self._stripes[hash(item) % self.STRIPES]

    def _queue(self, books: Books, item: Hashable, *, ready: bool) -> None:
        """With the lock of its stripe held, so that none can come in once all have been closed."""
        if ready:
            books.line.clear()  # the line for all is the only one
            with self._changed:
                self._line.append(item)
                self._changed.notify()


class WakesOnTheWayOut(Plain):
    """Whom to wake is only noted with the lock in hand; they are woken when it has been let go, and taken anew."""

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


class NumbersItsNews(Plain):
    """A worker waits for a number to change that counts all there ever was to hear; an unheard number loses nothing."""

    def __init__(self) -> None:
        super().__init__()
        self._numbers = count(1)
        self._last = 0

    def get(self) -> Answer:
        while True:
            with self._lock:
                answer, heard = self._books.take(), self._last
            if answer is not None:
                return answer
            with self._changed:
                while self._last == heard:
                    self._changed.wait()

    def _wake(self) -> None:
        self._wake_all()

    def _wake_all(self) -> None:
        self._last = next(self._numbers)
        self._changed.notify_all()


SOUND: tuple[type[Any], ...] = (
    *(TicketLock, SpinLock, LockWithATimeOut, PermitForALock, MeetsAtABarrier, WaitsForAPredicate),
    *(ReadersAndAWriter, StripedLocks, WakesOnTheWayOut, NumbersItsNews),
)
"""Each is sound; the rules must let each pass."""
