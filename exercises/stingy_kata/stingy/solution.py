"""A queue that never hands an item to two workers at once."""

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
        """Items that have to be processed, or processed again."""
        self._processing: set[Hashable] = set()
        """Items that workers have, between their Get and their Done."""

    def add(self, item: Hashable) -> None:
        """Say that the item has to be processed."""
        with self._changed:
            if item in self._dirty:
                return
            self._dirty.add(item)
            # hole
            # | # TODO: may it be queued while a worker has it?
            # | self._enqueue(item)
            if item not in self._processing:
                self._enqueue(item)
            # end of hole

    def get(self) -> tuple[Hashable | None, bool]:
        """Wait for the oldest item, and take it out: ``(item, False)``."""
        with self._changed:
            while not self._queue:
                self._changed.wait()
            item = self._queue.popleft()
            self._dirty.discard(item)
            # hole
            # | # TODO: from now on a worker has it.
            self._processing.add(item)
            # end of hole
            return item, False

    def done(self, item: Hashable) -> None:
        """Say that the worker is through with the item."""
        with self._changed:
            self._processing.discard(item)
            if item in self._dirty:
                self._enqueue(item)  # it was added in the meantime: now somebody may have it

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
