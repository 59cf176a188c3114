"""A queue: items are handed out in the order of their Adds, and a Get waits if there is none."""

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

    def add(self, item: Hashable) -> None:
        """Say that the item has to be processed."""
        # hole
        # | # TODO: put it at the end of the queue, and wake a worker that waits.
        with self._changed:
            self._queue.append(item)
            self._changed.notify()
        # end of hole

    def get(self) -> tuple[Hashable | None, bool]:
        """Wait for the oldest item, and take it out: ``(item, False)``."""
        # hole
        # | # TODO: while there is nothing, wait; then take the oldest one out.
        # | return None, False
        with self._changed:
            while not self._queue:
                self._changed.wait()
            return self._queue.popleft(), False
        # end of hole

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
