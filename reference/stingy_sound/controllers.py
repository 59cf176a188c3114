"""Correct controllers that work differently from the reference. No rule may accuse them."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from heapq import heappop, heappush
from threading import Condition, Lock, Semaphore, Thread

from stingy_reference.async_controller import AsyncController
from stingy_reference.controller import Controller, Result, TerminalError, is_terminal
from stingy_reference.limiters import RateLimiter
from stingy_reference.priority import PriorityQueue

Reconcile = Callable[[Hashable], Result | None]


class OnAThreadPool(Controller):
    """A dispatcher gives each key to a free pool thread, which reconciles it and calls Done."""

    def __init__(
        self,
        reconcile: Reconcile,
        max_concurrent_reconciles: int = 1,
        rate_limiter: RateLimiter | None = None,
    ) -> None:
        super().__init__(reconcile, max_concurrent_reconciles, rate_limiter)
        self._free = Semaphore(len(self._workers))
        self._pool = ThreadPoolExecutor(len(self._workers))
        self._workers = [Thread(target=self._dispatch, daemon=True)]

    def stop(self) -> None:
        super().stop()
        self._pool.shutdown()

    def _dispatch(self) -> None:
        while True:
            self._free.acquire()
            key, shutdown = self._queue.get()
            if shutdown:
                return
            self._pool.submit(self._run, key)

    def _run(self, key: Hashable) -> None:
        try:
            self._handle(key)
        finally:
            self._queue.done(key)
            self._free.release()


class AThreadForEachRun(OnAThreadPool):
    """A dispatcher starts a thread for each reconcile, and never more than allowed at once."""

    def _dispatch(self) -> None:
        runs = []
        while True:
            self._free.acquire()
            key, shutdown = self._queue.get()
            if shutdown:
                break
            run = Thread(target=self._run, args=(key,), daemon=True)
            runs.append(run)
            run.start()
        for run in runs:
            run.join()


class StartWaits(Controller):
    """Start returns only after a stop; Stop returns at once, like a cancelled context upstream."""

    def start(self) -> None:
        super().start()
        for worker in self._workers:
            worker.join()

    def stop(self) -> None:
        self._queue.shut_down()


class WorksInStart(Controller):
    """The thread that calls Start becomes one of the workers."""

    def start(self) -> None:
        for worker in self._workers[1:]:
            worker.start()
        self._work()

    def stop(self) -> None:
        self._queue.shut_down()
        for worker in self._workers[1:]:
            worker.join()


class DropsItsBacklog(Controller):
    """After Stop, workers take queued keys without reconciling them."""

    def _work(self) -> None:
        while True:
            key, shutdown = self._queue.get()
            if shutdown:
                return
            try:
                if not self._queue.shutting_down():
                    self._handle(key)
            finally:
                self._queue.done(key)


class LooksBeforeItGets(Controller):
    """Workers end as soon as they see the shutdown, and leave queued keys in the queue."""

    def _work(self) -> None:
        while not self._queue.shutting_down():
            key, shutdown = self._queue.get()
            if shutdown:
                return
            try:
                self._handle(key)
            finally:
                self._queue.done(key)


class HiresWhenNeeded(Controller):
    """Each Add starts another worker, until all workers are started."""

    def __init__(
        self,
        reconcile: Reconcile,
        max_concurrent_reconciles: int = 1,
        rate_limiter: RateLimiter | None = None,
    ) -> None:
        super().__init__(reconcile, max_concurrent_reconciles, rate_limiter)
        self._hiring = Lock()
        self._hired: list[Thread] = []

    def add(self, key: Hashable) -> None:
        super().add(key)
        with self._hiring:
            if self._workers and not self._queue.shutting_down():
                self._hired.append(self._workers.pop())
                self._hired[-1].start()

    def start(self) -> None:
        """Do nothing: Add starts the workers."""

    def stop(self) -> None:
        self._queue.shut_down()
        with self._hiring:
            hired = list(self._hired)
        for worker in hired:
            worker.join()


class OnThePriorityQueue(Controller):
    """Uses a priority queue, as controller-runtime does now.

    A delayed Add does not delay a ready key, and an event replaces a waiting retry.
    """

    def __init__(
        self,
        reconcile: Reconcile,
        max_concurrent_reconciles: int = 1,
        rate_limiter: RateLimiter | None = None,
    ) -> None:
        super().__init__(reconcile, max_concurrent_reconciles)
        self._queue = PriorityQueue(rate_limiter)  # type: ignore[assignment]


class SlowlyButSurely(Controller):
    """Sleeps 50 ms in Add, and 100 ms in Stop and before and after each reconcile."""

    def add(self, key: Hashable) -> None:
        time.sleep(0.05)
        super().add(key)

    def _work(self) -> None:
        time.sleep(0.1)
        super()._work()

    def _handle(self, key: Hashable) -> None:
        time.sleep(0.1)
        super()._handle(key)
        time.sleep(0.1)

    def stop(self) -> None:
        super().stop()
        time.sleep(0.1)


class InOnePiece:
    """Has no work queue, but a state for each key and a heap of times, which the workers check."""

    pause: float | None = None
    """Maximum number of seconds until a waiting worker checks again; None: until the next time."""

    def __init__(
        self, reconcile: Reconcile, max_concurrent_reconciles: int, rate_limiter: RateLimiter
    ) -> None:
        self._reconcile = reconcile
        self._limiter = rate_limiter
        self._changed = Condition()
        self._line: deque[Hashable] = deque()
        self._busy: dict[Hashable, bool] = {}
        """Keys that are being reconciled; True if an event has come since the reconcile began."""
        self._times: list[tuple[float, int, Hashable]] = []
        self._set = 0
        self._stopping = False
        self._here = max(1, max_concurrent_reconciles)
        """Number of workers that have not ended."""

    def add(self, key: Hashable) -> None:
        with self._changed:
            if not self._stopping:
                self._due(key)

    def start(self) -> None:
        for _ in range(self._here):
            Thread(target=self._work, daemon=True).start()

    def stop(self) -> None:
        with self._changed:
            self._stopping = True
            self._line.clear()
            self._changed.notify_all()
            while self._here:
                self._changed.wait(self.pause)

    def _due(self, key: Hashable) -> None:
        if key in self._busy:
            self._busy[key] = True
        elif key not in self._line:
            self._line.append(key)
        self._changed.notify_all()

    def _work(self) -> None:
        with self._changed:
            while (key := self._next()) is not None:
                self._busy[key] = False
                self._changed.release()
                try:
                    after = self._outcome(key)
                finally:
                    self._changed.acquire()
                if after is not None:
                    self._set += 1
                    heappush(self._times, (time.monotonic() + after, self._set, key))
                if self._busy.pop(key) and not self._stopping:
                    self._due(key)
                self._changed.notify_all()
            self._here -= 1
            self._changed.notify_all()

    def _next(self) -> Hashable | None:
        while not self._stopping:
            now = time.monotonic()
            while self._times and self._times[0][0] <= now:
                self._due(heappop(self._times)[2])
            if self._line:
                return self._line.popleft()
            until = self._times[0][0] - now if self._times else None
            self._changed.wait(until if self.pause is None else self.pause)
        return None

    def _outcome(self, key: Hashable) -> float | None:
        """Reconcile the key, and return the seconds until it is due again; None if it is not."""
        try:
            result = self._reconcile(key)
        except Exception as error:  # noqa: BLE001
            return None if is_terminal(error) else self._limiter.when(key)
        if result is not None and result.requeue_after > 0:
            self._limiter.forget(key)
            return result.requeue_after
        if result is not None and result.requeue:
            return self._limiter.when(key)
        self._limiter.forget(key)
        return None


class LooksAgainAndAgain(InOnePiece):
    """Waiting workers check every 200 ms for something to do."""

    pause = 0.2


class ATaskForEachRun(AsyncController):
    """Has a task for each key to reconcile; a semaphore limits how many run at once."""

    def __init__(
        self,
        reconcile: Callable[[Hashable], Awaitable[Result | None]],
        max_concurrent_reconciles: int = 1,
        rate_limiter: RateLimiter | None = None,
    ) -> None:
        super().__init__(reconcile, max_concurrent_reconciles, rate_limiter)
        self._places = asyncio.Semaphore(self._workers)
        self._dirty: set[Hashable] = set()
        self._tasks: dict[Hashable, asyncio.Task[None]] = {}
        self._stopping = False

    def add(self, key: Hashable) -> None:
        if self._stopping:
            return
        self._dirty.add(key)
        if key not in self._tasks:
            self._tasks[key] = asyncio.get_running_loop().create_task(self._run(key))

    async def start(self) -> None:
        """Do nothing: Add creates the tasks."""

    async def stop(self) -> None:
        self._stopping = True
        while self._tasks:
            await asyncio.wait(self._tasks.values())

    async def _run(self, key: Hashable) -> None:
        try:
            while key in self._dirty:
                async with self._places:
                    self._dirty.remove(key)
                    if not self._stopping:
                        await self._handle(key)
        finally:
            del self._tasks[key]

    def _add_later(self, key: Hashable, seconds: float) -> None:
        asyncio.get_running_loop().call_later(seconds, self.add, key)


class AwaitsEverything(AsyncController):
    """All its methods are coroutine functions, and Stop waits until Start has ended."""

    def __init__(
        self,
        reconcile: Callable[[Hashable], Awaitable[Result | None]],
        max_concurrent_reconciles: int = 1,
        rate_limiter: RateLimiter | None = None,
    ) -> None:
        super().__init__(reconcile, max_concurrent_reconciles, rate_limiter)
        self._over = asyncio.Event()

    async def add(self, key: Hashable) -> None:  # type: ignore[override]
        await asyncio.sleep(0.01)
        super().add(key)

    async def start(self) -> None:
        await super().start()
        self._over.set()

    async def stop(self) -> None:
        await super().stop()
        await self._over.wait()


SOUND = (
    *(OnAThreadPool, AThreadForEachRun, StartWaits, WorksInStart, DropsItsBacklog, LooksBeforeItGets),
    *(HiresWhenNeeded, OnThePriorityQueue, SlowlyButSurely, InOnePiece, LooksAgainAndAgain),
    *(AsyncController, ATaskForEachRun, AwaitsEverything),
)

__all__ = ["SOUND", "Result", "TerminalError"]
