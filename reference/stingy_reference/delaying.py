"""Items that are added later: the work queue, and a heap of deadlines before it."""

from __future__ import annotations

from collections.abc import Hashable
from heapq import heappop, heappush
from itertools import count
from threading import Condition, Thread
from time import monotonic
from typing import Any

from stingy_reference.limiters import RateLimiter, default_controller_rate_limiter
from stingy_reference.workqueue import WorkQueue


class DelayingQueue(WorkQueue):
    """A work queue that can be told to add an item after a while.

    What waits is no part of the queue: it is not counted, an Add does not cancel it, and it is dropped
    at a shutdown. Made with what a ``WorkQueue`` is made with.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._sooner = Condition(self._lock)
        """Told when the clerk has to wake earlier than it thought, or to go home."""
        self._deadlines: dict[Hashable, float] = {}
        """When each waiting item is to be added."""
        self._heap: list[tuple[float, int, Hashable]] = []
        """The same, soonest first; an entry is out of date if ``_deadlines`` says otherwise."""
        self._entries = count()
        self._clerk: Thread | None = None
        """Adds what is due. There is none while nobody has asked for a delay."""

    def add_after(self, item: Hashable, seconds: float) -> None:
        """Add the item when so much time has passed, at once if that is 0 or less.

        Of several deadlines of a waiting item the earliest counts. Ignored after a shutdown.
        """
        if self.shutting_down():
            return
        self._metrics.retried()
        if seconds <= 0:
            self.add(item)
            return
        deadline = monotonic() + seconds
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
        """Items whose time has come, soonest first; nothing after a shutdown."""
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
    """A delaying queue that knows how long an item has to wait that has failed.

    Forget the item once it has succeeded: the rate limiter remembers it till then.
    """

    def __init__(self, rate_limiter: RateLimiter | None = None, **options: Any) -> None:
        super().__init__(**options)
        self._limiter = default_controller_rate_limiter() if rate_limiter is None else rate_limiter

    def add_rate_limited(self, item: Hashable) -> None:
        """Add the item when the rate limiter says that it may come; ignored after a shutdown."""
        if not self.shutting_down():
            self.add_after(item, self._limiter.when(item))

    def forget(self, item: Hashable) -> None:
        """Let the rate limiter forget its failures. That is all: it is neither done nor taken out."""
        self._limiter.forget(item)

    def num_requeues(self, item: Hashable) -> int:
        """How often the item was added rate limited since it was forgotten."""
        return self._limiter.num_requeues(item)
