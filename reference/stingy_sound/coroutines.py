"""Correct work queues for asyncio that work differently from the reference.

No rule may accuse them.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Hashable
from typing import Any

from stingy_reference.coroutines import AsyncWorkQueue


class OnACondition:
    """Written as for threads, with a condition of asyncio; all methods are coroutine functions."""

    def __init__(self) -> None:
        self._changed = asyncio.Condition()
        self._queue: deque[Hashable] = deque()
        self._dirty: set[Hashable] = set()
        self._processing: set[Hashable] = set()
        self._closing = False
        self._draining = False

    async def add(self, item: Hashable) -> None:
        async with self._changed:
            if self._closing or item in self._dirty:
                return
            self._dirty.add(item)
            if item not in self._processing:
                self._queue.append(item)
                self._changed.notify_all()

    async def get(self) -> tuple[Hashable | None, bool]:
        async with self._changed:
            while not self._queue and not self._closing:
                # notify_all, so that nobody's cancellation can take a wake-up from somebody else: in
                # Python 3.11 a notify is lost with the one that it woke. 3.13 passes it on.
                await self._changed.wait()
            if not self._queue:
                return None, True
            item = self._queue.popleft()
            self._dirty.remove(item)
            self._processing.add(item)
            return item, False

    async def done(self, item: Hashable) -> None:
        async with self._changed:
            if item in self._processing:
                self._processing.remove(item)
                if item in self._dirty:
                    self._queue.append(item)
                self._changed.notify_all()

    def __len__(self) -> int:
        return len(self._queue)

    async def shut_down(self) -> None:
        async with self._changed:
            self._closing, self._draining = True, False
            self._changed.notify_all()

    async def shut_down_with_drain(self) -> None:
        async with self._changed:
            self._closing = self._draining = True
            self._changed.notify_all()
            while self._processing and self._draining:
                await self._changed.wait()

    async def shutting_down(self) -> bool:
        return self._closing


class HandsOver(AsyncWorkQueue):
    """Add gives the item directly to a waiting worker; a cancelled worker puts it back."""

    def __init__(self) -> None:
        super().__init__()
        self._hands: deque[asyncio.Future[Hashable]] = deque()

    async def get(self) -> tuple[Hashable | None, bool]:
        if self._queue:
            return self._take(), False
        if self._shutting_down:
            return None, True
        hand: asyncio.Future[Hashable] = asyncio.get_running_loop().create_future()
        self._hands.append(hand)
        try:
            item = await hand
        except asyncio.CancelledError:
            if hand.done() and not hand.cancelled() and hand.result() is not self:
                self._give_back(hand.result())
            elif hand in self._hands:
                self._hands.remove(hand)
            raise
        return (None, True) if item is self else (item, False)

    def _take(self) -> Hashable:
        item = self._queue.popleft()
        self._dirty.remove(item)
        self._processing.add(item)
        return item

    def _give_back(self, item: Hashable) -> None:
        self._processing.remove(item)
        self._dirty.add(item)
        self._queue.appendleft(item)
        self._serve()

    def _enqueue(self, item: Hashable) -> None:
        self._queue.append(item)
        self._serve()

    def _serve(self) -> None:
        while self._queue and self._hands:
            hand = self._hands.popleft()
            if not hand.done():
                hand.set_result(self._take())

    def _stop(self) -> None:
        super()._stop()
        for hand in self._hands:
            if not hand.done():
                hand.set_result(self)  # it stands for the shutdown: nobody can have added it
        self._hands.clear()


class OnAsyncioQueue(AsyncWorkQueue):
    """Waits with ``asyncio.Queue``; a shutdown adds an end mark, which each worker puts back."""

    def __init__(self) -> None:
        super().__init__()
        self._line: asyncio.Queue[Any] = asyncio.Queue()
        self._end = object()

    async def get(self) -> tuple[Hashable | None, bool]:
        while True:
            item = await self._line.get()
            if item is not self._end:
                self._dirty.remove(item)
                self._processing.add(item)
                return item, False
            last = self._line.empty()
            self._line.put_nowait(self._end)
            if last:
                return None, True

    def __len__(self) -> int:
        return self._line.qsize() - self._shutting_down

    def _enqueue(self, item: Hashable) -> None:
        self._line.put_nowait(item)

    def _stop(self) -> None:
        if not self._shutting_down:
            self._line.put_nowait(self._end)
        super()._stop()


class PollsWithSleep(AsyncWorkQueue):
    """Waiting workers and drains check again every 10 ms."""

    pause = 0.01

    async def get(self) -> tuple[Hashable | None, bool]:
        while not self._queue and not self._shutting_down:  # noqa: ASYNC110 - that is what it is for
            await asyncio.sleep(self.pause)
        return await super().get()

    async def shut_down_with_drain(self) -> None:
        self._draining = True
        self._stop()
        while self._processing and self._draining:  # noqa: ASYNC110
            await asyncio.sleep(self.pause)


class PollsWithoutAPause(PollsWithSleep):
    """Waiting workers and drains check again as soon as the other tasks have run."""

    pause = 0


class Slow(AsyncWorkQueue):
    """Add and Done sleep 2 ms, in which other tasks run."""

    async def add(self, item: Hashable) -> None:  # type: ignore[override]
        await asyncio.sleep(0.002)
        super().add(item)

    async def done(self, item: Hashable) -> None:  # type: ignore[override]
        super().done(item)
        await asyncio.sleep(0.002)


class AsksAThread(AsyncWorkQueue):
    """Add awaits a call in another thread."""

    async def add(self, item: Hashable) -> None:  # type: ignore[override]
        super().add(await asyncio.to_thread(lambda: item))


SOUND = (
    *(AsyncWorkQueue, OnACondition, HandsOver, OnAsyncioQueue, PollsWithSleep, PollsWithoutAPause, Slow),
    AsksAThread,
)
