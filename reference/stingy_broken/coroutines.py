"""Work queues for asyncio that wait in the wrong place, or for the wrong thing."""

from __future__ import annotations

import asyncio
import threading
import time
from contextlib import suppress

from stingy_broken import breaks
from stingy_broken.edits import define
from stingy_broken.plain import WorkQueue
from stingy_reference.coroutines import AsyncWorkQueue


@breaks("stingy/no-item-is-with-two-workers")
class WaitsBeforeItAdds(AsyncWorkQueue):
    """Add looks whether the item is there, waits for something else, and then adds it."""

    async def add(self, item):
        if self._shutting_down or item in self._dirty:
            return
        await asyncio.sleep(0)
        self._dirty.add(item)
        if item not in self._processing:
            self._enqueue(item)


@breaks("cancellation/a-cancelled-get-takes-no-item-with-it")
class WaitsBeforeItReturns(AsyncWorkQueue):
    """Get waits for something else with the item in its hands: cancelled there, it drops it."""

    async def get(self):
        got = await super().get()
        await asyncio.sleep(0)
        return got


@breaks("once_more/no-add-is-lost")
class WaitsBeforeItFinishes(AsyncWorkQueue):
    """Done looks whether the item was added again, waits for something else, and then finishes it."""

    async def done(self, item):
        again = item in self._dirty
        await asyncio.sleep(0)
        self._processing.discard(item)
        if again:
            self._enqueue(item)
        if not self._processing:
            self._drains.wake_all()


@breaks("interleavings/work-ends-in-every-order")
class WaitsBeforeItCloses(AsyncWorkQueue):
    """ShutDown wakes the workers, waits for something else, and then says that it shuts down."""

    async def shut_down(self):
        self._workers.wake_all()
        await asyncio.sleep(0)
        self._draining = False
        self._shutting_down = True
        self._drains.wake_all()


@breaks("workers/all-that-is-added-gets-done")
class WakesOnlyForAnEmptyQueue(AsyncWorkQueue):
    """Add wakes somebody only if the queue was empty: of two Adds in a row the second wakes nobody."""

    def _enqueue(self, item):
        self._queue.append(item)
        if len(self._queue) == 1:
            self._workers.wake()


@breaks("once_more/no-add-is-lost")
class ClearsTheEventTooLate(AsyncWorkQueue):
    """Whoever takes the last item clears the event that workers wait for, a moment later: an Add comes before it."""

    def __init__(self):
        super().__init__()
        self._event = asyncio.Event()

    def _enqueue(self, item):
        self._queue.append(item)
        self._event.set()

    def _stop(self):
        super()._stop()
        self._event.set()

    async def get(self):
        await self._event.wait()
        while not self._queue and not self._shutting_down:
            await asyncio.sleep(0)
            await self._event.wait()
        got = await super().get()
        if not self._queue and not self._shutting_down:
            asyncio.get_running_loop().call_soon(self._event.clear)
        return got


@breaks("cancellation/a-cancelled-get-takes-no-wake-up-with-it")
class KeepsTheWakeUpToItself(AsyncWorkQueue):
    """A Get that is cancelled when it has just been woken tells nobody that there is an item."""

    async def _news(self):
        await self._workers.wait()


@breaks("cancellation/a-cancelled-get-takes-no-wake-up-with-it")
class WakesTheYoungest(KeepsTheWakeUpToItself):
    """Of those who wait, the last one is woken; cancelled then, it tells nobody that there is an item."""

    def __init__(self):
        super().__init__()
        self._workers.wake = self._wake_youngest

    def _wake_youngest(self):
        waiting = self._workers._waiting
        while waiting:
            future = waiting.pop()
            if not future.done():
                future.set_result(None)
                return


@breaks("cancellation/a-cancelled-get-takes-no-wake-up-with-it")
class WakesWhoHasGone(AsyncWorkQueue):
    """A Get that is cancelled stays in the line, and is woken in the place of one that still waits."""

    def __init__(self):
        super().__init__()
        self._line = []

    async def _news(self):
        future = asyncio.get_running_loop().create_future()
        self._line.append(future)
        await future

    def _enqueue(self, item):
        self._queue.append(item)
        self._wake_next()

    def _stop(self):
        super()._stop()
        while self._line:
            self._wake_next()

    def _wake_next(self):
        if self._line:
            future = self._line.pop(0)
            if not future.done():
                future.set_result(None)


@breaks("cancellation/a-cancelled-get-takes-no-item-with-it")
class HandsItToWhoHasGone(AsyncWorkQueue):
    """Add puts the item into the hands of a worker that waits; if that is cancelled, it is gone."""

    def __init__(self):
        super().__init__()
        self._hands = []

    async def get(self):
        if self._queue or self._shutting_down:
            return await super().get()
        hand = asyncio.get_running_loop().create_future()
        self._hands.append(hand)
        return await hand

    def _enqueue(self, item):
        self._queue.append(item)
        while self._queue and self._hands:
            hand = self._hands.pop(0)
            if not hand.done():
                item = self._queue.popleft()
                self._dirty.remove(item)
                self._processing.add(item)
                hand.set_result((item, False))

    def _stop(self):
        super()._stop()
        for hand in self._hands:
            if not hand.done():
                hand.set_result((None, True))
        self._hands.clear()


class PassesOnSome(AsyncWorkQueue):
    """A Get that is cancelled when it has just been woken wakes another one, but not for the items that are kept."""

    def __init__(self):
        super().__init__()
        self._kept = set()

    async def get(self):
        item, shutdown = await super().get()
        self._kept.discard(item)
        return item, shutdown

    async def _news(self):
        try:
            await self._workers.wait()
        except asyncio.CancelledError:
            if self._kept.issuperset(self._queue):
                raise
            self._workers.wake()
            raise


@breaks("cancellation/a-cancelled-get-takes-nothing-with-it-that-a-done-brings-back")
class KeepsTheWakeUpOfADone(PassesOnSome):
    """A Get that is cancelled when a Done has just woken it tells nobody that an item is back."""

    def done(self, item):
        if item in self._dirty:
            self._kept.add(item)
        super().done(item)


@breaks("delays/a-cancelled-get-takes-nothing-with-it-that-is-due")
class KeepsTheWakeUpOfADeadline(PassesOnSome):
    """A Get that is cancelled when a deadline has just woken it tells nobody that an item is due."""

    def __init__(self):
        super().__init__()
        self._timers = {}

    def add_after(self, item, seconds):
        if seconds <= 0:
            self.add(item)
        elif not self._shutting_down:
            loop = asyncio.get_running_loop()
            at, timer = loop.time() + seconds, self._timers.get(item)
            if timer is None or at < timer.when():
                if timer is not None:
                    timer.cancel()
                self._timers[item] = loop.call_at(at, self._ring, item)

    def _ring(self, item):
        del self._timers[item]
        if item not in self._dirty:
            self._kept.add(item)
        self.add(item)

    def _stop(self):
        super()._stop()
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()


class SendsHomeOneByOne(AsyncWorkQueue):
    """A worker that goes home wakes the next one: one that is cancelled does not."""

    async def get(self):
        got = await super().get()
        if self._shutting_down:
            self._workers.wake()
        return got

    def _send_home(self):
        self._shutting_down = True
        self._workers.wake()
        self._drains.wake_all()


@breaks("cancellation/a-cancelled-get-takes-no-shutdown-with-it")
class ShutsDownOneByOne(SendsHomeOneByOne):
    """ShutDown wakes one worker, which wakes the next one: one that is cancelled in that instant does not."""

    def shut_down(self):
        self._draining = False
        self._send_home()


@breaks("cancellation/a-cancelled-get-takes-no-drain-with-it")
class DrainsOneByOne(SendsHomeOneByOne):
    """A drain wakes one worker, which wakes the next one: one that is cancelled in that instant does not."""

    async def shut_down_with_drain(self):
        self._draining = True
        self._send_home()
        while self._processing and self._draining:
            await self._drains.wait()


@breaks("cancellation/a-cancelled-get-ends")
class GoesOnWhenCancelled(AsyncWorkQueue):
    """A Get that is cancelled waits on, as if nothing had been said."""

    async def _news(self):
        with suppress(asyncio.CancelledError):
            await super()._news()


@breaks("cancellation/a-cancelled-get-takes-no-item-with-it")
class LeavesAThreadBehind(WorkQueue):
    """Get waits in a thread, which a cancellation does not reach: it takes the next item, for nobody."""

    async def get(self):
        return await asyncio.to_thread(super().get)

    async def shut_down_with_drain(self):
        await asyncio.to_thread(super().shut_down_with_drain)


@breaks("stingy/never-more-runs-than-adds")
class HoldsAThreadsLock(AsyncWorkQueue):
    """Add holds a lock for threads while it waits: the next one to want it stops the event loop."""

    def __init__(self):
        super().__init__()
        self._lock = threading.Lock()

    async def add(self, item):
        with self._lock:
            await asyncio.sleep(0)
            super().add(item)


define(globals())
