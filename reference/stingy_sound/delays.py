"""Correct delaying and rate-limiting queues that work differently from the reference.

No rule may accuse them.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Hashable
from heapq import heappop, heappush
from itertools import count
from math import nextafter
from queue import Empty, Queue
from threading import Thread, Timer
from time import monotonic, sleep
from typing import Any

from stingy_reference.coroutines import AsyncWorkQueue
from stingy_reference.delaying import DelayingQueue, RateLimitingQueue
from stingy_reference.limiters import ExponentialRateLimiter, RateLimiter
from stingy_reference.workqueue import WorkQueue


class QueuedItemsAbsorb(DelayingQueue):
    """A delayed Add of an item that is queued already has no effect."""

    def __init__(self) -> None:
        super().__init__()

    def add_after(self, item: Hashable, seconds: float) -> None:
        with self._lock:
            queued = item in self._dirty - self._processing
        if not queued:
            super().add_after(item, seconds)


class AddsCancel(DelayingQueue):
    """An Add without a delay cancels the item's deadline, so that the item is added only once."""

    def __init__(self) -> None:
        super().__init__()

    def add(self, item: Hashable) -> None:
        with self._lock:
            self._deadlines.pop(item, None)
        super().add(item)


class LastComesFirst(DelayingQueue):
    """Of items with the same deadline, the one whose delay was requested last is added first."""

    def __init__(self) -> None:
        super().__init__()
        self._entries = count(0, -1)


class DueOnceItIsPast(DelayingQueue):
    """Items are due only after their deadline, so at the deadline itself the clerk checks again."""

    def __init__(self) -> None:
        super().__init__()

    def _take_due(self, now: float) -> list[Hashable]:
        return super()._take_due(nextafter(now, 0))


class PollingClerk(DelayingQueue):
    """The clerk thread checks every 50 ms whether an item is due."""

    def __init__(self) -> None:
        super().__init__()

    def _add_what_is_due(self) -> None:
        while not self.shutting_down():
            with self._lock:
                due = self._take_due(monotonic())
            for item in due:
                self.add(item)
            sleep(0.05)


class WhoeverCallsLooks(WorkQueue):
    """Has no clerk thread: each call adds due items; a waiting Get checks every 100 ms."""

    def __init__(self) -> None:
        super().__init__()
        self._deadlines: dict[Hashable, float] = {}

    def add_after(self, item: Hashable, seconds: float) -> None:
        if seconds <= 0:
            self.add(item)
            return
        with self._lock:
            if self._shutting_down:
                return
            deadline = self._now() + seconds
            self._deadlines[item] = min(deadline, self._deadlines.get(item, deadline))
            self._changed.notify_all()  # whoever waits in Get has something to look for now
        self._look()

    def get(self) -> tuple[Hashable | None, bool]:
        while True:
            self._look()
            with self._lock:
                if self._queue:
                    item = self._queue.pop()
                    self._dirty.remove(item)
                    self._processing.add(item)
                    return item, False
                if self._shutting_down:
                    return None, True
                self._changed.wait(self._pause())

    def done(self, item: Hashable) -> None:
        self._look()
        super().done(item)

    def __len__(self) -> int:
        self._look()
        return super().__len__()

    def _look(self) -> None:
        with self._lock:
            now = self._now()
            due = sorted(
                (item for item, deadline in self._deadlines.items() if deadline <= now),
                key=lambda item: self._deadlines[item],
            )
            for item in due:
                del self._deadlines[item]
        for item in due:
            self.add(item)

    def _now(self) -> float:
        return monotonic()

    def _pause(self) -> float | None:
        return 0.1 if self._deadlines else None

    def _stop(self) -> None:
        super()._stop()
        self._deadlines.clear()


class GetWaitsForTheDeadline(WhoeverCallsLooks):
    """Has no clerk thread: a waiting Get waits until the next deadline, by the given clock."""

    def __init__(self, clock: Any = time) -> None:
        super().__init__()
        self._clock = clock

    def _now(self) -> float:
        return float(self._clock.monotonic_ns() / 1e9)

    def _pause(self) -> float | None:
        return min(self._deadlines.values()) - self._now() if self._deadlines else None


class TimerForEach(WorkQueue):
    """Has a timer for each delayed item; an earlier deadline or a shutdown cancels it."""

    def __init__(self) -> None:
        super().__init__()
        self._timers: dict[Hashable, tuple[float, Timer]] = {}

    def add_after(self, item: Hashable, seconds: float) -> None:
        if seconds <= 0:
            self.add(item)
            return
        with self._lock:
            deadline = monotonic() + seconds
            earlier, timer = self._timers.get(item, (float("inf"), None))
            if self._shutting_down or earlier <= deadline:
                return
            if timer is not None:
                timer.cancel()
            timer = Timer(seconds, self._ring, (item, deadline))
            timer.daemon = True
            self._timers[item] = deadline, timer
            timer.start()

    def _ring(self, item: Hashable, deadline: float) -> None:
        with self._lock:
            if self._timers.get(item, (None, None))[0] != deadline:
                return  # it was cancelled a moment too late
            del self._timers[item]
        self.add(item)

    def _stop(self) -> None:
        super()._stop()
        for _, timer in self._timers.values():
            timer.cancel()
        self._timers.clear()


class WithAnInbox(WorkQueue):
    """AddAfter sends every item to the clerk's inbox; the clerk wakes up at least every 10 s."""

    _LAST_NOTE = object()

    def __init__(self) -> None:
        super().__init__()
        self._inbox: Queue[Any] = Queue()
        Thread(target=self._keep_looking, name="clerk", daemon=True).start()

    def add_after(self, item: Hashable, seconds: float) -> None:
        if not self.shutting_down():
            self._inbox.put((item, monotonic() + seconds))

    def _keep_looking(self) -> None:
        deadlines: dict[Hashable, float] = {}
        heap: list[tuple[float, int, Hashable]] = []
        entries = count()
        while not self.shutting_down():
            while heap and heap[0][0] <= monotonic():
                deadline, _, item = heappop(heap)
                if deadlines.get(item) == deadline:
                    del deadlines[item]
                    self.add(item)
            try:
                note = self._inbox.get(timeout=max(0, min(10, heap[0][0] - monotonic())) if heap else 10)
            except Empty:
                continue
            if note is self._LAST_NOTE:
                return
            item, deadline = note
            if deadline < deadlines.get(item, float("inf")):
                deadlines[item] = deadline
                heappush(heap, (deadline, next(entries), item))

    def _stop(self) -> None:
        if not self._shutting_down:
            self._inbox.put(self._LAST_NOTE)
        super()._stop()


class ChargesAfterAShutdown(RateLimitingQueue):
    """Asks the rate limiter even after a shutdown, which counts a failure there."""

    def __init__(self, rate_limiter: RateLimiter | None = None) -> None:
        super().__init__(rate_limiter)

    def add_rate_limited(self, item: Hashable) -> None:
        self.add_after(item, self._limiter.when(item))


class AsyncRateLimitingQueue(AsyncWorkQueue):
    """For asyncio: has a timer of the event loop for each delayed item."""

    def __init__(self, rate_limiter: RateLimiter | None = None) -> None:
        super().__init__()
        self._limiter = ExponentialRateLimiter(0.005, 1000) if rate_limiter is None else rate_limiter
        self._timers: dict[Hashable, asyncio.TimerHandle] = {}

    def add_after(self, item: Hashable, seconds: float) -> None:
        if self._shutting_down:
            return
        if seconds <= 0:
            self.add(item)
            return
        loop = asyncio.get_running_loop()
        deadline = loop.time() + seconds
        waiting = self._timers.get(item)
        if waiting is not None:
            if waiting.when() <= deadline:
                return
            waiting.cancel()
        self._timers[item] = loop.call_at(deadline, self._ring, item)

    def add_rate_limited(self, item: Hashable) -> None:
        if not self._shutting_down:
            self.add_after(item, self._limiter.when(item))

    def forget(self, item: Hashable) -> None:
        self._limiter.forget(item)

    def num_requeues(self, item: Hashable) -> int:
        return self._limiter.num_requeues(item)

    def _ring(self, item: Hashable) -> None:
        del self._timers[item]
        self.add(item)

    def _stop(self) -> None:
        super()._stop()
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()


class ATaskForEach(AsyncWorkQueue):
    """For asyncio: each AddAfter with an earlier deadline starts a task that sleeps."""

    def __init__(self) -> None:
        super().__init__()
        self._deadlines: dict[Hashable, float] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def add_after(self, item: Hashable, seconds: float) -> None:
        if self._shutting_down:
            return
        deadline = asyncio.get_running_loop().time() + max(0, seconds)
        if deadline < self._deadlines.get(item, float("inf")):
            self._deadlines[item] = deadline
            task = asyncio.create_task(self._add_later(item, deadline, max(0, seconds)))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _add_later(self, item: Hashable, deadline: float, seconds: float) -> None:
        await asyncio.sleep(seconds)
        if self._deadlines.get(item) == deadline:
            del self._deadlines[item]
            self.add(item)

    def _stop(self) -> None:
        super()._stop()
        for task in self._tasks:
            task.cancel()


SOUND = (
    *(QueuedItemsAbsorb, AddsCancel, LastComesFirst, DueOnceItIsPast, PollingClerk, WhoeverCallsLooks),
    *(GetWaitsForTheDeadline, TimerForEach, WithAnInbox, ChargesAfterAShutdown, AsyncRateLimitingQueue),
    ATaskForEach,
)
