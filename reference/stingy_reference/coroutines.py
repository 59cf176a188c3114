"""The work queue for asyncio: the same three sets, and no lock.

Coroutines run one at a time, and change places only where one of them *waits* (at an ``await``, an
``async with``, an ``async for``). So whatever stands between two of these is one step to all the others:
what a queue for threads needs a lock for is here a matter of not waiting in the middle of a thought.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Hashable


class AsyncWorkQueue:
    """A queue of items to process, each by one worker at a time; for the coroutines of one event loop.

    Only ``get`` and ``shut_down_with_drain`` wait. Nothing else is a coroutine function, and so nothing
    else can be cut in two.
    """

    def __init__(self) -> None:
        self._queue: deque[Hashable] = deque()
        """What a worker can take: dirty, and not in processing. The order is that of the Adds."""
        self._dirty: set[Hashable] = set()
        """What has to be processed (again)."""
        self._processing: set[Hashable] = set()
        """What a worker holds. It may be dirty too: then it goes into the queue at its Done."""
        self._workers = Line()
        """Those who wait in ``get``."""
        self._drains = Line()
        """Those who wait for the end of a drain."""
        self._shutting_down = False
        self._draining = False

    def add(self, item: Hashable) -> None:
        """Say that the item has to be processed; ignored after a shutdown."""
        if self._shutting_down or item in self._dirty:
            return
        self._dirty.add(item)
        if item not in self._processing:
            self._enqueue(item)

    async def get(self) -> tuple[Hashable | None, bool]:
        """Wait for an item to process: ``(item, False)``, or ``(None, True)`` when it is time to go home.

        Whoever gets an item must call ``done`` with it. A ``get`` that is cancelled takes none.
        """
        # To be woken is a hint, no promise: until this coroutine has its turn, another one may have
        # taken the item. So it looks again.
        while not self._queue and not self._shutting_down:
            await self._news()
        if not self._queue:
            return None, True
        # From here to the end nobody comes in between: the item is either queued or held, and a
        # cancellation cannot fall into the gap.
        item = self._queue.popleft()
        self._dirty.remove(item)
        self._processing.add(item)
        return item, False

    def done(self, item: Hashable) -> None:
        """Say that the item has been processed; it comes back if it was added in the meantime."""
        if item not in self._processing:
            return  # nobody holds it: to queue it here would let two workers have it
        self._processing.remove(item)
        if item in self._dirty:
            self._enqueue(item)
        if not self._processing:
            self._drains.wake_all()

    def __len__(self) -> int:
        """How many items a worker could take now."""
        return len(self._queue)

    def shut_down(self) -> None:
        """Refuse new items; workers go home once the queue is empty. Ends the wait of a drain."""
        self._draining = False
        self._stop()

    async def shut_down_with_drain(self) -> None:
        """Shut down, and wait until no item is in processing, or until somebody calls ``shut_down``."""
        self._draining = True
        self._stop()
        while self._processing and self._draining:
            await self._drains.wait()

    def shutting_down(self) -> bool:
        """Whether a shutdown has been asked for."""
        return self._shutting_down

    async def _news(self) -> None:
        """Wait until there may be something to take, or a shutdown."""
        try:
            await self._workers.wait()
        except asyncio.CancelledError:
            # It may have been woken in the same instant. Then somebody else needs to know.
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
    """Coroutines that wait to be woken, in the order in which they came."""

    def __init__(self) -> None:
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def wait(self) -> None:
        future = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        try:
            await future
        finally:
            # Whoever was woken has been taken out; whoever is cancelled goes by itself.
            if future in self._waiting:
                self._waiting.remove(future)

    def wake(self) -> None:
        """Wake who has waited longest, leaving out those who were cancelled and have not yet gone."""
        while self._waiting:
            future = self._waiting.popleft()
            if not future.done():
                future.set_result(None)
                return

    def wake_all(self) -> None:
        while self._waiting:
            self.wake()
