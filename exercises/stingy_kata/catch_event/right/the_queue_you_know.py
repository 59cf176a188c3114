"""It is the one that you have written: a work queue, a clerk for delayed Adds, and workers."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from math import inf
from threading import Condition, Lock, Thread
from time import monotonic
from typing import Any


@dataclass(frozen=True)
class Result:
    requeue_after: float = 0.0
    requeue: bool = False


class TerminalError(Exception): ...


class Queue:
    def __init__(self) -> None:
        self._lock = Lock()
        self._changed = Condition(self._lock)
        self._alarm = Condition(self._lock)
        self._queue: deque[Hashable] = deque()
        self._dirty: set[Hashable] = set()
        self._processing: set[Hashable] = set()
        self._waiting: dict[Hashable, float] = {}
        self._shutting_down = False
        Thread(target=self._clerk, daemon=True).start()

    def add(self, item: Hashable) -> None:
        with self._lock:
            self._add(item)

    def add_after(self, item: Hashable, seconds: float) -> None:
        with self._lock:
            deadline = monotonic() + seconds
            if deadline < self._waiting.get(item, inf):
                self._waiting[item] = deadline
                self._alarm.notify()

    def get(self) -> Hashable | None:
        with self._lock:
            while not self._queue and not self._shutting_down:
                self._changed.wait()
            if not self._queue:
                return None
            item = self._queue.popleft()
            self._dirty.discard(item)
            self._processing.add(item)
            return item

    def done(self, item: Hashable) -> None:
        with self._lock:
            self._processing.discard(item)
            if item in self._dirty:
                self._queue.append(item)
                self._changed.notify()

    def shut_down(self) -> None:
        with self._lock:
            self._shutting_down = True
            self._waiting.clear()
            self._changed.notify_all()
            self._alarm.notify()

    def _add(self, item: Hashable) -> None:
        if self._shutting_down or item in self._dirty:
            return
        self._dirty.add(item)
        if item not in self._processing:
            self._queue.append(item)
            self._changed.notify()

    def _clerk(self) -> None:
        with self._lock:
            while not self._shutting_down:
                now = monotonic()
                for item in [item for item, deadline in self._waiting.items() if deadline <= now]:
                    del self._waiting[item]
                    self._add(item)
                soonest = min(self._waiting.values(), default=None)
                self._alarm.wait(None if soonest is None else soonest - monotonic())


class Controller:
    def __init__(
        self,
        reconcile: Callable[[Hashable], Result | None],
        max_concurrent_reconciles: int,
        rate_limiter: Any,
    ) -> None:
        self._reconcile = reconcile
        self._limiter = rate_limiter
        self._queue = Queue()
        self._workers = [
            Thread(target=self._work, daemon=True) for _ in range(max(1, max_concurrent_reconciles))
        ]

    def add(self, key: Hashable) -> None:
        self._queue.add(key)

    def start(self) -> None:
        for worker in self._workers:
            worker.start()

    def stop(self) -> None:
        self._queue.shut_down()
        for worker in self._workers:
            worker.join()

    def _work(self) -> None:
        while (key := self._queue.get()) is not None:
            self._handle(key)
            self._queue.done(key)

    def _handle(self, key: Hashable) -> None:
        try:
            result = self._reconcile(key) or Result()
        except TerminalError:
            return
        except Exception:
            self._queue.add_after(key, self._limiter.when(key))
            return
        if result.requeue_after > 0:
            self._limiter.forget(key)
            self._queue.add_after(key, result.requeue_after)
        elif result.requeue:
            self._queue.add_after(key, self._limiter.when(key))
        else:
            self._limiter.forget(key)
