"""Correct work queues that work differently from the reference. No rule may accuse them."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Hashable
from queue import Queue, SimpleQueue
from threading import Condition, Event, Lock, RLock, Semaphore, Thread
from typing import Any

from stingy_reference.workqueue import WorkQueue


class Polling(WorkQueue):
    """Waiting workers and drains check again every 10 ms; there is no condition."""

    def get(self) -> tuple[Hashable | None, bool]:
        while True:
            with self._lock:
                if self._queue:
                    item = self._queue.pop()
                    self._dirty.remove(item)
                    self._processing.add(item)
                    self._metrics.taken(item)
                    return item, False
                if self._shutting_down:
                    return None, True
            self._pause()

    def shut_down_with_drain(self) -> None:
        with self._lock:
            self._draining = True
            self._stop()
        while True:
            with self._lock:
                if not (self._processing and self._draining):
                    return
            time.sleep(0.01)

    def _pause(self) -> None:
        time.sleep(0.01)


class WithSemaphore(WorkQueue):
    """Workers wait for permits: one for each item, and one for the shutdown, which is passed on."""

    def __init__(self) -> None:
        super().__init__()
        self._permits = Semaphore(0)

    def get(self) -> tuple[Hashable | None, bool]:
        self._permits.acquire()
        with self._lock:
            if not self._queue:
                self._permits.release()  # the shutdown's: the next one needs it too
                return None, True
            item = self._queue.pop()
            self._dirty.remove(item)
            self._processing.add(item)
            return item, False

    def _enqueue(self, item: Hashable) -> None:
        super()._enqueue(item)
        self._permits.release()

    def _stop(self) -> None:
        if not self._shutting_down:
            self._permits.release()
        super()._stop()


class Chatty(WorkQueue):
    """Each change wakes all waiting threads; the lock is reentrant."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = RLock()  # type: ignore[assignment]
        self._changed = self._idle = Condition(self._lock)

    def _enqueue(self, item: Hashable) -> None:
        self._queue.push(item)
        self._changed.notify_all()

    def done(self, item: Hashable) -> None:
        with self._lock:
            super().done(item)
            self._changed.notify_all()


class WithEvent(Polling):
    """Workers wait for an event with a time-out of 50 ms."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._news = Event()

    def _enqueue(self, item: Hashable) -> None:
        super()._enqueue(item)
        self._news.set()

    def _pause(self) -> None:
        self._news.wait(0.05)
        self._news.clear()


class TwoWaitingRooms(WorkQueue):
    """Workers wait at two conditions; it counts who waits at each, and discounts whom it wakes."""

    def __init__(self) -> None:
        super().__init__()
        self._rooms = Condition(self._lock), Condition(self._lock)
        self._in = [0, 0]

    def get(self) -> tuple[Hashable | None, bool]:
        with self._lock:
            while not self._queue and not self._shutting_down:
                room = self._emptier()
                self._in[room] += 1
                self._rooms[room].wait()
            if not self._queue:
                return None, True
            item = self._queue.pop()
            self._dirty.remove(item)
            self._processing.add(item)
            return item, False

    def _enqueue(self, item: Hashable) -> None:
        self._queue.push(item)
        room = self._fuller()
        if self._in[room]:
            self._in[room] -= 1
            self._rooms[room].notify()

    def _stop(self) -> None:
        super()._stop()
        self._in = [0, 0]
        for room in self._rooms:
            room.notify_all()

    def _emptier(self) -> int:
        return self._in.index(min(self._in))

    def _fuller(self) -> int:
        return self._in.index(max(self._in))


class WithTickets(WorkQueue):
    """Workers take tickets from a ``queue.Queue``: one for each item, and one for the shutdown."""

    def __init__(self) -> None:
        super().__init__()
        self._tickets: Queue[str] = Queue()

    def get(self) -> tuple[Hashable | None, bool]:
        ticket = self._tickets.get()
        with self._lock:
            if not self._queue:
                self._tickets.put(ticket)
                return None, True
            item = self._queue.pop()
            self._dirty.remove(item)
            self._processing.add(item)
            return item, False

    def _enqueue(self, item: Hashable) -> None:
        super()._enqueue(item)
        self._tickets.put("an item")

    def _stop(self) -> None:
        if not self._shutting_down:
            self._tickets.put("a shutdown")
        super()._stop()


class OneAtTheDoor(WorkQueue):
    """One worker at a time waits at a ``SimpleQueue`` of items; its end mark is put back."""

    _LAST_WORD = object()

    def __init__(self) -> None:
        super().__init__()
        self._line: SimpleQueue[Any] = SimpleQueue()
        self._door = Lock()

    def get(self) -> tuple[Hashable | None, bool]:
        with self._door:
            while True:
                item = self._line.get()
                with self._lock:
                    if item is not self._LAST_WORD:
                        self._dirty.remove(item)
                        self._processing.add(item)
                        return item, False
                    over = self._line.empty()
                    self._line.put(self._LAST_WORD)
                    if over:
                        return None, True

    def __len__(self) -> int:
        with self._lock:
            return len(self._dirty - self._processing)

    def _enqueue(self, item: Hashable) -> None:
        self._line.put(item)

    def _stop(self) -> None:
        if not self._shutting_down:
            self._line.put(self._LAST_WORD)
        super()._stop()


class ReadsWithoutTheLock(WorkQueue):
    """Len and ShuttingDown read one attribute without the lock, which is atomic.

    This holds only for the built-in storage, so there is no option for another one.
    """

    def __init__(self) -> None:
        super().__init__()

    def __len__(self) -> int:
        return len(self._queue)

    def shutting_down(self) -> bool:
        return self._shutting_down


class RaisesTheFlagFirst(WorkQueue):
    """ShutDown sets its flag before it takes the lock and wakes all waiting threads."""

    def shut_down(self) -> None:
        self._shutting_down = True
        super().shut_down()


class WithDispatcher(WorkQueue):
    """Add puts items into an inbox, and a thread passes them on to the workers."""

    def __init__(self) -> None:
        super().__init__()
        self._inbox: deque[Hashable] = deque()
        self._mail = Condition(self._lock)
        Thread(target=self._dispatch, name="dispatcher", daemon=True).start()

    def get(self) -> tuple[Hashable | None, bool]:
        with self._lock:
            while not self._queue and not (self._shutting_down and not self._inbox):
                self._changed.wait()
            if not self._queue:
                return None, True
            item = self._queue.pop()
            self._dirty.remove(item)
            self._processing.add(item)
            if self._shutting_down:
                self._changed.notify_all()
            return item, False

    def __len__(self) -> int:
        with self._lock:
            return len(self._inbox) + len(self._queue)

    def _enqueue(self, item: Hashable) -> None:
        self._inbox.append(item)
        self._mail.notify()

    def _dispatch(self) -> None:
        while True:
            with self._lock:
                while not self._inbox:
                    self._mail.wait()
                self._queue.push(self._inbox.popleft())
                self._changed.notify()


class Waiting:
    """A waiting worker: the condition at which it waits, and the answer that it gets."""

    def __init__(self, lock: Lock) -> None:
        self.called = Condition(lock)
        self.given: tuple[Hashable | None, bool] | None = None

    def give(self, answer: tuple[Hashable | None, bool]) -> None:
        self.given = answer
        self.called.notify()


class HandsOver(WorkQueue):
    """Gives an item directly to the worker that has waited longest."""

    def __init__(self) -> None:
        super().__init__()
        self._line: deque[Waiting] = deque()

    def get(self) -> tuple[Hashable | None, bool]:
        with self._lock:
            if self._queue:
                item = self._queue.pop()
                self._mark(item)
                return item, False
            if self._shutting_down:
                return None, True
            me = Waiting(self._lock)
            self._line.append(me)
            while me.given is None:
                me.called.wait()
            return me.given

    def _enqueue(self, item: Hashable) -> None:
        if not self._line:
            self._queue.push(item)
            return
        self._mark(item)
        self._line.popleft().give((item, False))

    def _mark(self, item: Hashable) -> None:
        self._dirty.remove(item)
        self._processing.add(item)

    def _stop(self) -> None:
        super()._stop()
        while self._line:
            self._line.popleft().give((None, True))


class DrainsTheQueueToo(WorkQueue):
    """A drain also waits until all queued items are processed, as upstream's comment says."""

    def shut_down_with_drain(self) -> None:
        with self._lock:
            self._draining = True
            self._stop()
            while (self._processing or self._queue) and self._draining:
                self._idle.wait()


class KeepsWhatItHandedOutLast(WorkQueue):
    """Keeps a reference to the last item handed out, until the next Get or an empty queue."""

    _last: Hashable = None

    def get(self) -> tuple[Hashable | None, bool]:
        got = super().get()
        self._last = got[0]
        return got

    def done(self, item: Hashable) -> None:
        super().done(item)
        with self._lock:
            if not self._queue:
                self._last = None


class CannotBearAStrayDone(WorkQueue):
    """After a Done without a Get, each further Get raises an error."""

    _broken = False

    def get(self) -> tuple[Hashable | None, bool]:
        if self._broken:
            raise RuntimeError("somebody has called Done without a Get")
        return super().get()

    def done(self, item: Hashable) -> None:
        with self._lock:
            self._broken |= item not in self._processing
        super().done(item)


SOUND = (
    *(Polling, WithSemaphore, Chatty, WithEvent, TwoWaitingRooms, WithTickets, OneAtTheDoor),
    *(ReadsWithoutTheLock, RaisesTheFlagFirst, WithDispatcher, HandsOver, DrainsTheQueueToo),
    *(KeepsWhatItHandedOutLast, CannotBearAStrayDone),
)
