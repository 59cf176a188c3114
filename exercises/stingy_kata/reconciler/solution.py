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
    """Result of a successful reconcile: whether and when the key is to be reconciled again."""

    requeue_after: float = 0.0
    """Seconds after which the key is to be reconciled once more; 0 if it need not be."""
    requeue: bool = False
    """True if the key is to be reconciled once more after the rate limiter's delay."""


class TerminalError(Exception):
    """A failure after which it is no use to try again."""


class Controller:
    """Calls ``reconcile`` with every added key, but with each key in only one worker at a time."""

    def __init__(
        self,
        reconcile: Callable[[Hashable], Result | None],
        max_concurrent_reconciles: int,
        rate_limiter: RateLimiter,
    ) -> None:
        self._reconcile = reconcile
        self._queue = RateLimitingQueue(rate_limiter)
        # hole
        # | # TODO: there may be more than one.
        # | self._workers = [Thread(target=self._work, daemon=True)]
        self._workers = [Thread(target=self._work, daemon=True) for _ in range(max_concurrent_reconciles)]
        # end of hole

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
        while True:
            key, shutdown = self._queue.get()
            if shutdown:
                return
            try:
                self._handle(key)
            finally:
                self._queue.done(key)

    def _handle(self, key: Hashable) -> None:
        """Reconcile the key, and decide by its outcome whether and when to add it again."""
        try:
            result = self._reconcile(key) or Result()
        # hole
        # | # TODO: of one kind of exception it is said that to try again is no use.
        except TerminalError:
            return  # its failures are not forgotten: it has not succeeded
        # end of hole
        except Exception:  # one key that fails must not stop the others
            self._queue.add_rate_limited(key)
        else:
            self._succeeded(key, result)

    def _succeeded(self, key: Hashable, result: Result) -> None:
        """Handle a successful reconcile, which may have asked to be called again."""
        # hole
        # | # TODO: look into the result.
        # | self._queue.forget(key)
        if result.requeue_after > 0:
            self._queue.forget(key)
            self._queue.add_after(key, result.requeue_after)
        elif result.requeue:
            self._queue.add_rate_limited(key)
        else:
            self._queue.forget(key)
        # end of hole
