"""The work queue for asyncio: the same three sets as for threads, but no lock.

Coroutines run one at a time, and switch only where one *waits* (at an ``await``, an ``async with``,
an ``async for``). So the code between two such points is atomic. A queue for threads needs a lock
for that; here it is enough not to wait in the middle of a change.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Hashable


class AsyncWorkQueue:
    """A queue of items, each processed by one worker at a time, for coroutines of one event loop.

    Only ``get`` and ``shut_down_with_drain`` are coroutine functions and may wait. All other
    methods are atomic.
    """

    def __init__(self) -> None:
        self._queue: deque[Hashable] = deque()
        """Items that a worker can take: dirty, and not in processing. In the order of the Adds."""
        self._dirty: set[Hashable] = set()
        """Items that have to be processed, or processed again."""
        self._processing: set[Hashable] = set()
        """Items that workers hold. Done puts an item that is dirty, too, into the queue again."""
        self._workers = Line()
        """The coroutines that wait in ``get``."""
        self._drains = Line()
        """The coroutines that wait in ``shut_down_with_drain``."""
        self._shutting_down = False
        self._draining = False

    def add(self, item: Hashable) -> None:
        """Mark the item as to be processed; ignored after a shutdown."""
        if self._shutting_down or item in self._dirty:
            return
        self._dirty.add(item)
        if item not in self._processing:
            self._enqueue(item)

    async def get(self) -> tuple[Hashable | None, bool]:
        """Wait for an item to process.

        Return ``(item, False)``, or ``(None, True)`` if the queue is shut down and empty. The
        caller must call ``done`` with the item. A cancelled ``get`` takes no item.
        """
        # To be woken is a hint, no promise: until this coroutine has its turn, another one may have
        # taken the item. So it looks again.
        while not self._queue and not self._shutting_down:
            await self._news()
        if not self._queue:
            return None, True
        # There is no await from here on. So no other coroutine and no cancellation can come between
        # taking the item from the queue and marking it as in processing.
        item = self._queue.popleft()
        self._dirty.remove(item)
        self._processing.add(item)
        return item, False

    def done(self, item: Hashable) -> None:
        """Mark the item as processed; it is queued again if it was added in the meantime."""
        if item not in self._processing:
            return  # nobody holds it: to queue it here would let two workers have it
        self._processing.remove(item)
        if item in self._dirty:
            self._enqueue(item)
        if not self._processing:
            self._drains.wake_all()

    def __len__(self) -> int:
        """Return the number of items that workers can take now."""
        return len(self._queue)

    def shut_down(self) -> None:
        """Refuse new items, and end a waiting ``shut_down_with_drain``.

        Each ``get`` ends once the queue is empty.
        """
        self._draining = False
        self._stop()

    async def shut_down_with_drain(self) -> None:
        """Shut down, and wait until no item is in processing, or until ``shut_down`` is called."""
        self._draining = True
        self._stop()
        while self._processing and self._draining:
            await self._drains.wait()

    def shutting_down(self) -> bool:
        """Return True if the queue has been shut down, even if it still has items."""
        return self._shutting_down

    async def _news(self) -> None:
        """Wait until a worker may find an item to take, or a shutdown."""
        try:
            await self._workers.wait()
        except asyncio.CancelledError:
            # It may have been woken just before. Then another waiter must be woken instead.
            if self._queue:
                self._workers.wake()
            raise

    def _enqueue(self, item: Hashable) -> None:
        self._queue.append(item)
        self._workers.wake()

    def _stop(self) -> None:
        self._shutting_down = True
        self._workers.wake_all()
        self._drains.wake_all()


class Line:
    """Coroutines that wait to be woken, in the order of their arrival."""

    def __init__(self) -> None:
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def wait(self) -> None:
        future = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        try:
            await future
        finally:
            # ``wake`` removes the future that it wakes; a cancelled one is removed here.
            if future in self._waiting:
                self._waiting.remove(future)

    def wake(self) -> None:
        """Wake the coroutine that has waited longest, skipping those that are being cancelled."""
        while self._waiting:
            future = self._waiting.popleft()
            if not future.done():
                future.set_result(None)
                return

    def wake_all(self) -> None:
        while self._waiting:
            self.wake()
