from __future__ import annotations

from collections import deque
from collections.abc import Hashable
from threading import Condition


class WorkQueue:
    """Hands out items in the order in which they were added, each to one worker at a time."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._queue: deque[Hashable] = deque()
        """Items that a worker can take now, the oldest first."""
        self._dirty: set[Hashable] = set()
        """Items that have to be processed, or processed again."""
        self._processing: set[Hashable] = set()
        """Items that workers have, between their Get and their Done."""
        self._shutting_down = False

    def add(self, item: Hashable) -> None:
        """Say that the item has to be processed."""
        with self._changed:
            # hole
            # | if item in self._dirty:  # TODO: and after a shutdown?
            # |     return
            if self._shutting_down or item in self._dirty:
                return
            # end of hole
            self._dirty.add(item)
            if item not in self._processing:
                self._enqueue(item)

    def get(self) -> tuple[Hashable | None, bool]:
        """Wait for an item: ``(item, False)``, or ``(None, True)`` if shut down and empty."""
        with self._changed:
            # hole
            # | # TODO: a worker should not wait any more when there is nothing left to come.
            # | while not self._queue:
            # |     self._changed.wait()
            while not self._queue and not self._shutting_down:
                self._changed.wait()
            if not self._queue:
                return None, True
            # end of hole
            item = self._queue.popleft()
            self._dirty.discard(item)
            self._processing.add(item)
            return item, False

    def done(self, item: Hashable) -> None:
        """Say that the worker is through with the item."""
        with self._changed:
            self._processing.discard(item)
            if item in self._dirty:
                self._enqueue(item)

    def __len__(self) -> int:
        """Return how many items a worker could take now."""
        with self._changed:
            return len(self._queue)

    def shut_down(self) -> None:
        """Refuse new items, and end each Get once the queue is empty."""
        # hole
        # | # TODO: tell everybody.
        with self._changed:
            self._shutting_down = True
            self._changed.notify_all()
        # end of hole

    def shutting_down(self) -> bool:
        """Return True if the queue has been shut down."""
        with self._changed:
            return self._shutting_down

    def _enqueue(self, item: Hashable) -> None:
        """Put the item into the queue and wake a worker; call it with the lock held."""
        self._queue.append(item)
        self._changed.notify()
