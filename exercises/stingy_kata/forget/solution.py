from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from math import inf
from threading import Condition, Lock, Thread
from time import monotonic
from typing import Protocol


class RateLimiter(Protocol):
    """Computes how long an item has to wait after its failures."""

    def when(self, item: Hashable, /) -> float: ...

    def forget(self, item: Hashable, /) -> None: ...

    def num_requeues(self, item: Hashable, /) -> int: ...


class RateLimitingQueue:
    """The queue of the exercises before, with a shutdown, with delays, and with a rate limiter."""

    def __init__(self, rate_limiter: RateLimiter) -> None:
        self._limiter = rate_limiter
        self._lock = Lock()
        self._changed = Condition(self._lock)
        self._queue: deque[Hashable] = deque()
        self._dirty: set[Hashable] = set()
        self._processing: set[Hashable] = set()
        self._waiting: dict[Hashable, float] = {}
        self._alarm = Condition(self._lock)
        self._shutting_down = False
        Thread(target=self._clerk, name="clerk", daemon=True).start()

    def add(self, item: Hashable) -> None:
        """Say that the item has to be processed."""
        with self._lock:
            self._add(item)

    def get(self) -> tuple[Hashable | None, bool]:
        """Wait for an item: ``(item, False)``, or ``(None, True)`` if shut down and empty."""
        with self._lock:
            while not self._queue and not self._shutting_down:
                self._changed.wait()
            if not self._queue:
                return None, True
            item = self._queue.popleft()
            self._dirty.discard(item)
            self._processing.add(item)
            return item, False

    def done(self, item: Hashable) -> None:
        """Say that the worker is through with the item, whether it succeeded or failed."""
        with self._lock:
            self._processing.discard(item)
            if item in self._dirty:
                self._enqueue(item)

    def add_after(self, item: Hashable, seconds: float) -> None:
        """Add the item after so many seconds, or at once if that is 0 or less."""
        with self._lock:
            if seconds <= 0:
                self._add(item)
                return
            deadline = monotonic() + seconds
            if deadline < self._waiting.get(item, inf):
                self._waiting[item] = deadline
                self._alarm.notify()

    def add_rate_limited(self, item: Hashable) -> None:
        """Count a failure, and add the item after the delay that the rate limiter sets."""
        self.add_after(item, self._limiter.when(item))

    def forget(self, item: Hashable) -> None:
        """Tell the rate limiter that the item has succeeded."""
        self._limiter.forget(item)

    def shut_down(self) -> None:
        """Refuse new items, and end each Get once the queue is empty."""
        with self._lock:
            self._shutting_down = True
            self._waiting.clear()
            self._changed.notify_all()
            self._alarm.notify()

    # The methods below are called with the lock held.

    def _add(self, item: Hashable) -> None:
        if self._shutting_down or item in self._dirty:
            return
        self._dirty.add(item)
        if item not in self._processing:
            self._enqueue(item)

    def _enqueue(self, item: Hashable) -> None:
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


@dataclass(frozen=True)
class Result:
    """What a reconcile may return; you need its fields only in the exercise ``reconciler``."""

    requeue_after: float = 0.0
    requeue: bool = False


class TerminalError(Exception):
    """What a reconcile may raise; here it is a failure like any other."""


class Controller:
    """Calls ``reconcile`` with every added key, but with each key in only one worker at a time."""

    def __init__(
        self,
        reconcile: Callable[[Hashable], Result | None],
        max_concurrent_reconciles: int,
        rate_limiter: RateLimiter,
    ) -> None:
        self._reconcile = reconcile
        """Makes the world as the object of this key wants it; raises an error if it could not."""
        self._queue = RateLimitingQueue(rate_limiter)
        self._workers = [Thread(target=self._work, daemon=True) for _ in range(max_concurrent_reconciles)]

    def add(self, key: Hashable) -> None:
        """Request a reconcile of this key, because something has happened to its object."""
        self._queue.add(key)

    def start(self) -> None:
        """Let the workers begin."""
        for worker in self._workers:
            worker.start()

    def stop(self) -> None:
        """Refuse new keys, and wait until all workers have ended."""
        self._queue.shut_down()
        for worker in self._workers:
            worker.join()

    def _work(self) -> None:
        """Take keys and reconcile them, until the shutdown; each worker runs this."""
        while True:
            key, shutdown = self._queue.get()
            if shutdown:
                return
            # hole
            # | # TODO: what becomes of the key in each case? Neither comment is true.
            # | try:
            # |     self._reconcile(key)
            # | except Exception:  # one key that fails must not stop the others
            # |     continue  # it is not forgotten, so the queue will bring it back
            # | self._queue.forget(key)  # it is forgotten, so the queue is through with it
            try:
                self._reconcile(key)
            except Exception:  # one key that fails must not stop the others
                self._queue.add_rate_limited(key)
            else:
                self._queue.forget(key)
            finally:
                self._queue.done(key)
            # end of hole
