from __future__ import annotations

from collections import deque
from collections.abc import Hashable
from math import inf
from threading import Condition, Lock, Thread
from time import monotonic


class WorkQueue:
    """Hands out items in the order in which they were added, each to one worker at a time."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._changed = Condition(self._lock)
        """Condition at which workers wait for an item."""
        self._queue: deque[Hashable] = deque()
        """Items that a worker can take now, the oldest first."""
        self._dirty: set[Hashable] = set()
        """Items that have to be processed, or processed again."""
        self._processing: set[Hashable] = set()
        """Items that workers have, between their Get and their Done."""
        self._shutting_down = False

    def add(self, item: Hashable) -> None:
        """Say that the item has to be processed; ignored after a shutdown."""
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
        """Say that the worker is through with the item."""
        with self._lock:
            self._processing.discard(item)
            if item in self._dirty:
                self._enqueue(item)

    def __len__(self) -> int:
        """Return how many items a worker could take now."""
        with self._lock:
            return len(self._queue)

    def shut_down(self) -> None:
        """Refuse new items, and end each Get once the queue is empty."""
        with self._lock:
            self._close()

    def shutting_down(self) -> bool:
        """Return True if the queue has been shut down."""
        with self._lock:
            return self._shutting_down

    # Methods that begin with an underscore are called with the lock held.

    def _add(self, item: Hashable) -> None:
        if self._shutting_down or item in self._dirty:
            return
        self._dirty.add(item)
        if item not in self._processing:
            self._enqueue(item)

    def _enqueue(self, item: Hashable) -> None:
        self._queue.append(item)
        self._changed.notify()

    def _close(self) -> None:
        self._shutting_down = True
        self._changed.notify_all()


class DelayingQueue(WorkQueue):
    """A work queue that can be told to add an item later."""

    def __init__(self) -> None:
        super().__init__()
        self._waiting: dict[Hashable, float] = {}
        """The deadline of each item that waits, by ``monotonic()``."""
        self._alarm = Condition(self._lock)
        """Condition at which the clerk thread waits for the next deadline."""
        Thread(target=self._clerk, name="clerk", daemon=True).start()

    def add_after(self, item: Hashable, seconds: float) -> None:
        """Add the item after so many seconds, or at once if that is 0 or less."""
        # hole
        # | # TODO: note the deadline, if it is the earliest of this item, and ring the alarm.
        with self._lock:
            if seconds <= 0:
                self._add(item)
                return
            deadline = monotonic() + seconds
            if deadline < self._waiting.get(item, inf):
                self._waiting[item] = deadline
                self._alarm.notify()
        # end of hole

    def _clerk(self) -> None:
        """Until the shutdown: add items that are due, then wait for the next deadline."""
        with self._lock:
            while not self._shutting_down:
                self._add_what_is_due()
                soonest = min(self._waiting.values(), default=None)
                self._alarm.wait(None if soonest is None else soonest - monotonic())

    def _add_what_is_due(self) -> None:
        """Add every item whose deadline has come, and remove it from ``_waiting``."""
        # hole
        # | # TODO: which items are due? They leave `_waiting` and are added.
        now = monotonic()
        for item, deadline in list(self._waiting.items()):
            if deadline <= now:
                del self._waiting[item]
                self._add(item)
        # end of hole

    def _close(self) -> None:
        super()._close()
        self._waiting.clear()
        self._alarm.notify()
