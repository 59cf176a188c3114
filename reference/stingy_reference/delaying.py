"""Work queues that add items after a delay: a work queue with a heap of deadlines."""

from __future__ import annotations

from collections.abc import Hashable
from heapq import heappop, heappush
from itertools import count
from threading import TIMEOUT_MAX, Condition, Thread
from time import monotonic
from typing import Any

from stingy_reference.limiters import RateLimiter, default_controller_rate_limiter
from stingy_reference.workqueue import WorkQueue


class DelayingQueue(WorkQueue):
    """A work queue that can add an item after a delay.

    A waiting item is not in the queue yet: it is not counted, an Add does not cancel it, and a
    shutdown drops it. The constructor's options are those of ``WorkQueue``.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._sooner = Condition(self._lock)
        """Notified when the clerk thread must wake up before its current deadline, or must end."""
        self._deadlines: dict[Hashable, float] = {}
        """Deadline of each waiting item, in seconds of the monotonic clock."""
        self._heap: list[tuple[float, int, Hashable]] = []
        """Heap of (deadline, serial number, item), soonest first.

        An entry is obsolete if ``_deadlines`` has another deadline for its item, or none.
        """
        self._entries = count()
        """Serial numbers, which order entries with equal deadlines."""
        self._clerk: Thread | None = None
        """The thread that adds items at their deadlines; None until the first delay."""

    def add_after(self, item: Hashable, seconds: float) -> None:
        """Add the item after so many seconds, or at once if that is 0 or less.

        If a waiting item is given several deadlines, the earliest counts. Ignored after a shutdown.
        """
        if self.shutting_down():
            return
        self._metrics.retried()
        if seconds <= 0:
            self.add(item)
            return
        deadline = monotonic() + min(seconds, TIMEOUT_MAX)
        with self._lock:
            if self._shutting_down or deadline >= self._deadlines.get(item, float("inf")):
                return
            self._deadlines[item] = deadline
            heappush(self._heap, (deadline, next(self._entries), item))
            if self._clerk is None:
                self._clerk = Thread(target=self._add_what_is_due, name="delayed adds", daemon=True)
                self._clerk.start()
            elif self._heap[0][2] == item:
                self._sooner.notify()

    def _add_what_is_due(self) -> None:
        while due := self._wait_for_due():
            for item in due:
                self.add(item)

    def _wait_for_due(self) -> list[Hashable]:
        """Wait until items are due, and return them, soonest first; empty after a shutdown."""
        with self._lock:
            while not self._shutting_down:
                due = self._take_due(monotonic())
                if due:
                    return due
                self._sooner.wait(self._heap[0][0] - monotonic() if self._heap else None)
            return []

    def _take_due(self, now: float) -> list[Hashable]:
        due = []
        while self._heap and self._heap[0][0] <= now:
            deadline, _, item = heappop(self._heap)
            if self._deadlines.get(item) == deadline:
                del self._deadlines[item]
                due.append(item)
        return due

    def _stop(self) -> None:
        super()._stop()
        self._deadlines.clear()
        self._heap.clear()
        self._sooner.notify()


class RateLimitingQueue(DelayingQueue):
    """A delaying queue with a rate limiter, which sets the delay of items that have failed.

    Call ``forget`` when an item has succeeded: until then the rate limiter counts its failures.
    """

    def __init__(self, rate_limiter: RateLimiter | None = None, **options: Any) -> None:
        super().__init__(**options)
        self._limiter = default_controller_rate_limiter() if rate_limiter is None else rate_limiter

    def add_rate_limited(self, item: Hashable) -> None:
        """Add the item after the delay of the rate limiter; ignored after a shutdown."""
        if not self.shutting_down():
            self.add_after(item, self._limiter.when(item))

    def forget(self, item: Hashable) -> None:
        """Reset the item's failures in the rate limiter. Does not change the queue itself."""
        self._limiter.forget(item)

    def num_requeues(self, item: Hashable) -> int:
        """Return how often the item was added with ``add_rate_limited`` since it was forgotten."""
        return self._limiter.num_requeues(item)
