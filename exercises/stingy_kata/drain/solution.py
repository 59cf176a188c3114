from __future__ import annotations

from collections import deque
from collections.abc import Hashable
from threading import Condition, Lock


class WorkQueue:
    """Hands out items in the order in which they were added, each to one worker at a time."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._changed = Condition(self._lock)
        """Condition at which workers wait for an item."""
        self._idle = Condition(self._lock)
        """Condition at which a drain waits for the workers."""
        self._queue: deque[Hashable] = deque()
        """Items that a worker can take now, the oldest first."""
        self._dirty: set[Hashable] = set()
        """Items that have to be processed, or processed again."""
        self._processing: set[Hashable] = set()
        """Items that workers have, between their Get and their Done."""
        self._shutting_down = False
        self._draining = False
        """True while a drain may wait; ``shut_down`` sets it to False."""

    def add(self, item: Hashable) -> None:
        """Say that the item has to be processed; ignored after a shutdown."""
        with self._lock:
            if self._shutting_down or item in self._dirty:
                return
            self._dirty.add(item)
            if item not in self._processing:
                self._enqueue(item)

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
            # hole
            # | # TODO: who may be waiting for this?
            if not self._processing:
                self._idle.notify_all()
            # end of hole

    def __len__(self) -> int:
        """Return how many items a worker could take now."""
        with self._lock:
            return len(self._queue)

    def shut_down(self) -> None:
        """Refuse new items, end each Get once the queue is empty, and end the wait of a drain."""
        with self._lock:
            # hole
            # | # TODO: somebody may be waiting in a drain.
            self._draining = False
            # end of hole
            self._close()

    def shut_down_with_drain(self) -> None:
        """Shut down, and wait until no worker has an item any more."""
        # hole
        # | # TODO: shut down, then wait for those who are still at work.
        with self._lock:
            self._draining = True
            self._close()
            while self._processing and self._draining:
                self._idle.wait()
        # end of hole

    def shutting_down(self) -> bool:
        """Return True if the queue has been shut down."""
        with self._lock:
            return self._shutting_down

    def _enqueue(self, item: Hashable) -> None:
        """Put the item into the queue and wake a worker; call it with the lock held."""
        self._queue.append(item)
        self._changed.notify()

    def _close(self) -> None:
        """Refuse new items, and wake all waiting threads; call it with the lock held."""
        self._shutting_down = True
        self._changed.notify_all()
        self._idle.notify_all()
