"""A queue in which an item that was handed out can be added again."""

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
            if item in self._dirty:
                return
            self._dirty.add(item)
            self._enqueue(item)

    def get(self) -> tuple[Hashable | None, bool]:
        """Wait for the oldest item, and take it out: ``(item, False)``."""
        with self._changed:
            while not self._queue:
                self._changed.wait()
            item = self._queue.popleft()
            # hole
            # | # TODO: it has been handed out. Of which set is it still a member?
            self._dirty.discard(item)
            # end of hole
            return item, False

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
