"""Work queues that shut down or drain at the wrong moment."""

from __future__ import annotations

from threading import Condition, Lock

from stingy_broken import breaks
from stingy_broken.edits import define
from stingy_broken.plain import WorkQueue
from stingy_broken.steps import InSteps
from stingy_sound.queues import HandsOver


@breaks("shutdown/nothing-comes-in-once-a-shutdown-has-returned")
class LooksAtTheFlagTooEarly(WorkQueue):
    """Add looks whether the queue is shutting down, and then takes the lock."""

    def add(self, item):
        if self._shutting_down:
            return
        with self._lock:
            if item in self._dirty:
                return
            self._dirty.add(item)
            if item not in self._processing:
                self._enqueue(item)


@breaks("shutdown/nothing-comes-in-once-a-shutdown-has-returned")
class ClosesTheExitBeforeTheEntrance(WorkQueue):
    """ShutDown sends the workers home in one step, and refuses Adds from the next one on."""

    def __init__(self):
        super().__init__()
        self._refusing = False

    def add(self, item):
        with self._lock:
            if self._refusing or item in self._dirty:
                return
            self._dirty.add(item)
            if item not in self._processing:
                self._enqueue(item)

    def shut_down(self):
        super().shut_down()
        with self._lock:
            self._refusing = True

    def shut_down_with_drain(self):
        with self._lock:
            self._refusing = True
        super().shut_down_with_drain()


@breaks("interleavings/some-order-of-the-calls-explains-every-answer")
class AnnouncesItBeforeItIsSo(WorkQueue):
    """ShuttingDown says yes from a moment on when Adds are still accepted."""

    def __init__(self):
        super().__init__()
        self._announced = False

    def shut_down(self):
        self._announced = True
        super().shut_down()

    def shutting_down(self):
        with self._lock:
            return self._announced or self._shutting_down


@breaks("interleavings/work-ends-in-every-order")
class CountsTheWaitingTooEarly(InSteps):
    """ShutDown looks whether any worker waits before it sets the flag, and wakes nobody if none does yet."""

    def __init__(self):
        super().__init__()
        self._waiting = 0

    def get(self):
        with self._lock:
            while self._nothing_to_do():
                self._waiting += 1
                self._changed.wait()
                self._waiting -= 1
            return self._take()

    def shut_down(self):
        someone_waits = self._waiting > 0
        with self._lock:
            self._draining = False
            self._shutting_down = True
            self._idle.notify_all()
            if someone_waits:
                self._changed.notify_all()


@breaks("interleavings/work-ends-in-every-order")
class HandsOverToOneWhoHasGone(HandsOver):
    """Workers that a shutdown sent home stay in the line, and what comes back is handed to them."""

    def _stop(self):
        WorkQueue._stop(self)
        for waiting in self._line:
            waiting.give(waiting.given or (None, True))


@breaks("interleavings/work-ends-in-every-order")
class LeavesWithItemsInItsHands(HandsOver):
    """A worker that is given an item, and sees the shutdown when it wakes, goes home and drops the item."""

    def get(self):
        with self._lock:
            waited = not self._queue and not self._shutting_down
        got = super().get()
        with self._lock:
            return (None, True) if waited and self._shutting_down else got


@breaks("interleavings/a-drain-ends-in-every-order")
class MissesTheLastDone(WorkQueue):
    """A drain looks with one lock whether it has to wait, and waits with another."""

    def __init__(self):
        super().__init__()
        self._idle = Condition(Lock())

    def shut_down_with_drain(self):
        with self._lock:
            self._draining = True
            self._stop()
            busy = bool(self._processing)
        with self._idle:
            while busy:
                self._idle.wait()
                busy = bool(self._processing) and self._draining

    def shut_down(self):
        with self._lock:
            self._draining = False
            self._stop()

    def done(self, item):
        with self._lock:
            self._processing.discard(item)
            if item in self._dirty:
                self._enqueue(item)
            last = not self._processing
        if last:
            with self._idle:
                self._idle.notify_all()

    def _stop(self):
        self._shutting_down = True
        self._changed.notify_all()
        with self._idle:
            self._idle.notify_all()


@breaks("interleavings/some-order-explains-a-drain")
class DrainsByAnOldLook(WorkQueue):
    """A drain looks whether anything is in processing before it takes the lock to shut down."""

    def shut_down_with_drain(self):
        if self._processing:
            super().shut_down_with_drain()
        else:
            self.shut_down()


@breaks("interleavings/a-drain-ends-in-every-order")
class DrainsAList(WorkQueue):
    """A drain waits for those items that are in processing when it begins, and for no other."""

    def shut_down_with_drain(self):
        with self._lock:
            self._draining = True
            self._stop()
            awaited = set(self._processing)
            while self._draining and awaited & self._processing:
                self._idle.wait()

    def done(self, item):
        super().done(item)
        with self._lock:
            self._idle.notify_all()


@breaks("interleavings/a-shutdown-ends-a-drain-in-every-order")
class StartsToDrainTooLate(WorkQueue):
    """A drain shuts down in one step, and in the next forgets a ShutDown that came between."""

    def shut_down_with_drain(self):
        with self._lock:
            self._stop()
        with self._lock:
            self._draining = True
            while self._processing and self._draining:
                self._idle.wait()


@breaks("interleavings/a-drain-ends-in-every-order")
class NeitherIsTheLast(InSteps):
    """Done looks in one step whether it is the last, and finishes in another: of two at once, neither is."""

    def done(self, item):
        with self._lock:
            last = self._processing <= {item}
        with self._lock:
            self._finish(item)
            if last:
                self._end_the_drain()


@breaks("interleavings/a-drain-ends-in-every-order")
class LooksForADrainTooEarly(InSteps):
    """Done looks whether there is a drain to be told before it takes the lock."""

    def done(self, item):
        draining = self._draining
        with self._lock:
            self._finish(item)
            if draining:
                self._end_the_drain()


@breaks("interleavings/a-drain-ends-in-every-order")
class CountsTheHeldWithoutTheLock(InSteps):
    """A drain waits for a count of the items in processing, which Get and Done change without the lock."""

    def __init__(self):
        super().__init__()
        self._held = 0

    def get(self):
        item, shutdown = super().get()
        if not shutdown:
            self._held += 1
        return item, shutdown

    def done(self, item):
        self._held -= 1
        super().done(item)

    def _end_the_drain(self):
        self._idle.notify_all()

    def shut_down_with_drain(self):
        with self._lock:
            self._draining = True
            self._stop()
            while self._held and self._draining:
                self._idle.wait()


define(globals())
