"""Sound work queues that look again and again, each in another way; and some with a lot to do."""

from __future__ import annotations

import asyncio
import collections
import heapq
import logging
import queue
import sqlite3
import tempfile
import threading
import time
from contextlib import suppress
from typing import Any


class Waiting:
    """One condition, and nobody looks before it is told to."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._queue: Any = collections.deque()
        self._dirty: set[Any] = set()
        self._processing: set[Any] = set()
        self._shut = False

    def add(self, item: Any) -> None:
        with self._changed:
            self._add(item)

    def _add(self, item: Any) -> None:
        if self._shut or item in self._dirty:
            return
        self._dirty.add(item)
        if item not in self._processing:
            self._append(item)

    def _append(self, item: Any) -> None:
        self._queue.append(item)
        self._changed.notify()

    def _take(self) -> Any:
        item = self._queue.popleft()
        self._processing.add(item)
        self._dirty.discard(item)
        return item, False

    def get(self) -> Any:
        with self._changed:
            while not self._queue and not self._shut:
                self._changed.wait()
            return self._take() if self._queue else (None, True)

    def done(self, item: Any) -> None:
        with self._changed:
            self._processing.discard(item)
            if item in self._dirty:
                self._append(item)

    def __len__(self) -> int:
        with self._changed:
            return len(self._queue)

    def shut_down(self) -> None:
        with self._changed:
            self._shut = True
            self._changed.notify_all()

    def shutting_down(self) -> bool:
        with self._changed:
            return self._shut


class Delaying(Waiting):
    """Deadlines on a heap, and a clerk who waits for the first of them."""

    def __init__(self) -> None:
        super().__init__()
        self._heap: list[Any] = []
        self._due: dict[Any, float] = {}
        self._clerk: threading.Thread | None = None

    def add_after(self, item: Any, seconds: float) -> None:
        with self._changed:
            if self._shut:
                return
            if seconds <= 0:
                self._add(item)
                return
            at = time.monotonic() + seconds
            if self._due.get(item, at + 1) <= at:
                return
            self._due[item] = at
            heapq.heappush(self._heap, (at, len(self._heap), item))
            if self._clerk is None:
                self._clerk = threading.Thread(target=self._work, daemon=True)
                self._clerk.start()
            self._changed.notify_all()

    def _append(self, item: Any) -> None:
        self._queue.append(item)
        self._changed.notify_all()

    def _work(self) -> None:
        with self._changed:
            while not self._shut:
                self._fire()
                self._changed.wait(self._heap[0][0] - time.monotonic() if self._heap else None)

    def _fire(self) -> None:
        while self._heap and self._heap[0][0] <= time.monotonic():
            at, _, item = heapq.heappop(self._heap)
            if self._due.get(item) == at:
                del self._due[item]
                self._add(item)


class _Looking(Delaying):
    """Get looks, and pauses."""

    def get(self) -> Any:
        while True:
            with self._changed:
                if self._queue:
                    return self._take()
                if self._shut:
                    return None, True
            self._pause()

    def _pause(self) -> None:
        """Nothing: it spins."""


class Spin(_Looking):
    """Get looks under its lock, and does not pause."""


class SpinBare(_Looking):
    """Get looks without a lock until there is something."""

    def get(self) -> Any:
        while True:
            while not self._queue and not self._shut:
                pass
            with self._changed:
                if self._queue:
                    return self._take()
                if self._shut:
                    return None, True


class SpinClock(_Looking):
    """Get spins, and keeps the instant at which it has looked last."""

    def _pause(self) -> None:
        self._looked = time.monotonic()


class Sleep0(_Looking):
    def _pause(self) -> None:
        time.sleep(0)


class Sleep500us(_Looking):
    def _pause(self) -> None:
        time.sleep(0.0005)


class Sleep1ms(_Looking):
    def _pause(self) -> None:
        time.sleep(0.001)


class Sleep10ms(_Looking):
    def _pause(self) -> None:
        time.sleep(0.01)


class Sleep100ms(_Looking):
    def _pause(self) -> None:
        time.sleep(0.1)


class _EventWait(_Looking):
    seconds = 0.01

    def __init__(self) -> None:
        super().__init__()
        self._never = threading.Event()

    def _pause(self) -> None:
        self._never.wait(self.seconds)


class EventWait1ms(_EventWait):
    seconds = 0.001


class EventWait10ms(_EventWait):
    seconds = 0.01


class _ConditionWait(Delaying):
    """Whoever waits looks again by itself."""

    seconds = 0.01

    def get(self) -> Any:
        with self._changed:
            while not self._queue and not self._shut:
                self._changed.wait(self.seconds)
            return self._take() if self._queue else (None, True)


class ConditionWait1ms(_ConditionWait):
    seconds = 0.001


class ConditionWait10ms(_ConditionWait):
    seconds = 0.01


class _QueueGet(Delaying):
    """A token in a queue.Queue for each item; Get waits for one, though not for long."""

    seconds = 0.01

    def __init__(self) -> None:
        super().__init__()
        self._tokens: queue.Queue[int] = queue.Queue()

    def _append(self, item: Any) -> None:
        self._queue.append(item)
        self._tokens.put(1)

    def get(self) -> Any:
        while True:
            with suppress(queue.Empty):
                self._tokens.get(timeout=self.seconds)
            with self._changed:
                if self._queue:
                    return self._take()
                if self._shut:
                    return None, True


class QueueGet1ms(_QueueGet):
    seconds = 0.001


class QueueGet10ms(_QueueGet):
    seconds = 0.01


class _Clerk(Delaying):
    """Get waits; the clerk looks again and again for what is due."""

    seconds = 0.01

    def _work(self) -> None:
        while not self._shut:
            with self._changed:
                self._fire()
            time.sleep(self.seconds)


class Clerk1ms(_Clerk):
    seconds = 0.001


class Clerk10ms(_Clerk):
    seconds = 0.01


class Clerk100ms(_Clerk):
    seconds = 0.1


class Timers(Waiting):
    """A timer an item, each of which is a thread."""

    def __init__(self) -> None:
        super().__init__()
        self._timers: dict[Any, Any] = {}

    def add_after(self, item: Any, seconds: float) -> None:
        with self._changed:
            if self._shut:
                return
            if seconds <= 0:
                self._add(item)
                return
            at = time.perf_counter() + seconds
            if item in self._timers:
                if self._timers[item][0] <= at:
                    return
                self._timers[item][1].cancel()
            timer = threading.Timer(seconds, self._fire, (item, at))
            timer.daemon = True
            self._timers[item] = at, timer
            timer.start()

    def _fire(self, item: Any, at: float) -> None:
        with self._changed:
            if self._timers.get(item, (None,))[0] == at:
                del self._timers[item]
                self._add(item)

    def shut_down(self) -> None:
        with self._changed:
            self._shut = True
            for _, timer in self._timers.values():
                timer.cancel()
            self._timers.clear()
            self._changed.notify_all()


class _Awaited:
    """For asyncio: Get looks, and sleeps."""

    seconds = 0.01

    def __init__(self) -> None:
        self._queue: Any = collections.deque()
        self._dirty: set[Any] = set()
        self._processing: set[Any] = set()
        self._shut = False

    def add(self, item: Any) -> None:
        if self._shut or item in self._dirty:
            return
        self._dirty.add(item)
        if item not in self._processing:
            self._queue.append(item)

    async def get(self) -> Any:
        while not self._queue and not self._shut:  # noqa: ASYNC110 - so it polls
            await asyncio.sleep(self.seconds)
        if not self._queue:
            return None, True
        item = self._queue.popleft()
        self._processing.add(item)
        self._dirty.discard(item)
        return item, False

    def done(self, item: Any) -> None:
        self._processing.discard(item)
        if item in self._dirty:
            self._queue.append(item)

    def __len__(self) -> int:
        return len(self._queue)

    def shut_down(self) -> None:
        self._shut = True

    def shutting_down(self) -> bool:
        return self._shut


class Await0(_Awaited):
    seconds = 0


class Await1ms(_Awaited):
    seconds = 0.001


class Await10ms(_Awaited):
    seconds = 0.01


class Computes(Delaying):
    """Ten thousand steps an Add, under the lock."""

    def __init__(self) -> None:
        super().__init__()
        self._steps = [0]

    def _add(self, item: Any) -> None:
        for _ in range(10_000):
            self._steps[0] += 1
        super()._add(item)


class Logs(Delaying):
    """Each call is logged."""

    _log = logging.getLogger(__name__)

    def _add(self, item: Any) -> None:
        for step in range(20):
            self._log.info("add %s, step %d", item, step)
        super()._add(item)

    def done(self, item: Any) -> None:
        self._log.info("done %s", item)
        super().done(item)


class SqliteDisk(Waiting):
    """The order is a table in a file."""

    def __init__(self) -> None:
        super().__init__()
        self._items: dict[int, Any] = {}
        self._folder = tempfile.TemporaryDirectory()
        self._base = sqlite3.connect(
            f"{self._folder.name}/queue.db", check_same_thread=False, isolation_level=None
        )
        self._base.execute("create table queue (n integer primary key autoincrement, k integer)")
        self._number = 0

    def _append(self, item: Any) -> None:
        self._number += 1
        self._items[self._number] = item
        self._base.execute("insert into queue (k) values (?)", (self._number,))
        self._changed.notify()

    def _take(self) -> Any:
        n, k = self._base.execute("select n, k from queue order by n limit 1").fetchone()
        self._base.execute("delete from queue where n = ?", (n,))
        item = self._items.pop(k)
        self._processing.add(item)
        self._dirty.discard(item)
        return item, False

    def _length(self) -> int:
        return int(self._base.execute("select count(*) from queue").fetchone()[0])

    def get(self) -> Any:
        with self._changed:
            while not self._length() and not self._shut:
                self._changed.wait()
            return self._take() if self._length() else (None, True)

    def __len__(self) -> int:
        with self._changed:
            return self._length()
