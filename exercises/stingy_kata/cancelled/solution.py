from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Hashable


class WorkQueue:
    """Hands out items to tasks of one event loop, each item to one worker at a time.

    There is no lock: another task can run only where one awaits.
    """

    def __init__(self) -> None:
        self._queue: deque[Hashable] = deque()
        """Items that a worker can take now, the oldest first."""
        self._dirty: set[Hashable] = set()
        """Items that have to be processed, or processed again."""
        self._processing: set[Hashable] = set()
        """Items that workers have, between their Get and their Done."""
        self._waiting: deque[asyncio.Future[None]] = deque()
        """A future for each worker that waits in ``get``, the oldest first."""
        self._shutting_down = False

    def add(self, item: Hashable) -> None:
        """Say that the item has to be processed; ignored after a shutdown."""
        if self._shutting_down or item in self._dirty:
            return
        self._dirty.add(item)
        if item not in self._processing:
            self._enqueue(item)

    async def get(self) -> tuple[Hashable | None, bool]:
        """Wait for an item: ``(item, False)``, or ``(None, True)`` if shut down and empty."""
        while not self._queue and not self._shutting_down:
            await self._wait()
        if not self._queue:
            return None, True
        item = self._queue.popleft()
        self._dirty.discard(item)
        self._processing.add(item)
        return item, False

    def done(self, item: Hashable) -> None:
        """Say that the worker is through with the item."""
        self._processing.discard(item)
        if item in self._dirty:
            self._enqueue(item)

    def __len__(self) -> int:
        """Return how many items a worker could take now."""
        return len(self._queue)

    def shut_down(self) -> None:
        """Refuse new items, and end each Get once the queue is empty."""
        self._shutting_down = True
        while self._waiting:
            self._wake()

    def shutting_down(self) -> bool:
        """Return True if the queue has been shut down."""
        return self._shutting_down

    def _enqueue(self, item: Hashable) -> None:
        """Put the item into the queue and wake a worker."""
        self._queue.append(item)
        self._wake()

    async def _wait(self) -> None:
        """Wait until this worker is woken."""
        woken = asyncio.get_running_loop().create_future()
        self._waiting.append(woken)
        # hole
        # | await woken  # TODO: this worker may be cancelled here, before it is woken or just after.
        try:
            await woken
        except asyncio.CancelledError:
            if self._queue:
                self._wake()
            raise
        # end of hole

    def _wake(self) -> None:
        """Wake the worker that has waited longest, if any waits."""
        # hole
        # | if self._waiting:  # TODO: the first in the line may have been cancelled.
        # |     self._waiting.popleft().set_result(None)
        while self._waiting:
            woken = self._waiting.popleft()
            if not woken.done():
                woken.set_result(None)
                return
        # end of hole
