"""A first try with asyncio: Get waits correctly, but a worker that is cancelled takes its wake-up with it."""

import asyncio


class WorkQueue:
    def __init__(self):
        self._queue, self._dirty, self._processing = [], set(), set()
        self._waiting = []
        self._down = False

    def add(self, item):
        if item in self._dirty or self._down:
            return
        self._dirty.add(item)
        if item not in self._processing:
            self._queue.append(item)
            self._wake()

    async def get(self):
        """Wait for an item: (item, False), or (None, True) after a shutdown."""
        while not self._queue and not self._down:
            woken = asyncio.get_running_loop().create_future()
            self._waiting.append(woken)
            await woken
        if not self._queue:
            return None, True
        item = self._queue.pop(0)
        self._processing.add(item)
        self._dirty.discard(item)
        return item, False

    def done(self, item):
        self._processing.discard(item)
        if item in self._dirty:
            self._queue.append(item)
            self._wake()

    def __len__(self):
        return len(self._queue)

    def shut_down(self):
        self._down = True
        while self._waiting:
            self._wake()

    def shutting_down(self):
        return self._down

    def _wake(self):
        while self._waiting:
            woken = self._waiting.pop(0)
            if not woken.done():
                woken.set_result(None)
                return
