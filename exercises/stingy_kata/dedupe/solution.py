"""A queue in which an item waits once, however often it is added."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable
from threading import Condition


class WorkQueue:
    def __init__(self) -> None:
        self._changed = Condition()
        """A lock, and a condition at which to wait until something has changed."""
        self._queue: deque[Hashable] = deque()
        """Items that a worker can take now, the oldest first."""
        self._dirty: set[Hashable] = set()
        """Items that have to be processed, and that no worker has taken yet."""

    def add(self, item: Hashable) -> None:
        """Say that the item has to be processed."""
        with self._changed:
            # hole
            # | # TODO: an item that waits already is not queued a second time.
            if item in self._dirty:
                return
            self._dirty.add(item)
            # end of hole
            self._enqueue(item)

    def get(self) -> tuple[Hashable | None, bool]:
        """Wait for the oldest item, and take it out: ``(item, False)``."""
        with self._changed:
            while not self._queue:
                self._changed.wait()
            return self._queue.popleft(), False

    def done(self, item: Hashable) -> None:
        """Say that the worker is through with the item."""

    def __len__(self) -> int:
        """Return how many items a worker could take now."""
        with self._changed:
            return len(self._queue)

    def shut_down(self) -> None:
        """Belongs to every work queue; you will write it in the exercise ``shutdown``."""

    def shutting_down(self) -> bool:
        """Belongs to every work queue; you will write it in the exercise ``shutdown``."""
        return False

    def _enqueue(self, item: Hashable) -> None:
        """Put the item at the end of the queue and wake a worker; call it with the lock held."""
        self._queue.append(item)
        self._changed.notify()
