"""Work queues whose wake-ups get lost, or go to somebody who has no use for them."""

from __future__ import annotations

from collections import Counter, deque
from threading import Condition, get_ident

from stingy_broken import breaks
from stingy_broken.edits import define
from stingy_broken.plain import WorkQueue
from stingy_broken.steps import InSteps
from stingy_sound.queues import TwoWaitingRooms


@breaks("workers/all-that-is-added-gets-done")
class SignalsBeforeItPushes(WorkQueue):
    """Add wakes a worker, lets go of the lock, and only then puts the item there."""

    def add(self, item):
        with self._lock:
            self._changed.notify()
        with self._lock:
            if self._shutting_down or item in self._dirty:
                return
            self._dirty.add(item)
            if item not in self._processing:
                self._queue.append(item)


@breaks("workers/all-that-is-added-gets-done")
class CountsAWokenWorkerTwice(InSteps):
    """Add signals only if a worker is counted as waiting; a woken one is taken off by both sides."""

    def __init__(self):
        super().__init__()
        self._waiting = 0

    def get(self):
        with self._lock:
            while self._nothing_to_do():
                self._waiting += 1
                self._changed.wait()
                self._waiting = max(0, self._waiting - 1)
            return self._take()

    def _enqueue(self, item):
        self._queue.append(item)
        if self._waiting:
            self._waiting -= 1
            self._changed.notify()


@breaks("workers/all-that-is-added-gets-done")
class RemembersOneSignal(InSteps):
    """Add does not signal while an earlier signal is still on its way, though it is for another item."""

    def __init__(self):
        super().__init__()
        self._signalled = False

    def _take(self):
        self._signalled = False
        return super()._take()

    def _enqueue(self, item):
        self._queue.append(item)
        if not self._signalled:
            self._signalled = True
            self._changed.notify()


@breaks("interleavings/work-is-done-in-every-order")
class PassesTheSignalOnAtDone(InSteps):
    """Add signals an empty queue only; a worker wakes the next one at its Done, not at its Get."""

    def _enqueue(self, item):
        self._queue.append(item)
        if len(self._queue) == 1:
            self._changed.notify()

    def done(self, item):
        super().done(item)
        with self._lock:
            if self._queue:
                self._changed.notify()


@breaks("once_more/no-add-is-lost")
class LooksWhetherItWasEmptyTooEarly(InSteps):
    """Add looks whether the queue is empty, and so needs a signal, before it takes the lock."""

    def _take(self):
        taken = super()._take()
        if self._queue:
            self._changed.notify()  # Add leaves that to us
        return taken

    def add(self, item):
        was_empty = not self._queue
        with self._lock:
            if self._shutting_down or item in self._dirty:
                return
            self._dirty.add(item)
            if item not in self._processing:
                self._queue.append(item)
                if was_empty:
                    self._changed.notify()


@breaks("once_more/no-add-is-lost")
class WakesOneWhoseTurnItIsNot(InSteps):
    """Workers take turns by number; Add wakes any one of them, and one whose turn it is not sleeps on."""

    def __init__(self):
        super().__init__()
        self._line = deque()

    def get(self):
        with self._lock:
            me = object()
            self._line.append(me)
            while not self._shutting_down and not (self._queue and self._line[0] is me):
                self._changed.wait()
            self._line.remove(me)
            return self._take()


@breaks("interleavings/work-ends-in-every-order")
class ReadsTheVersionTooLate(InSteps):
    """Get waits for the next change, counting from a number that it reads after its look at the queue."""

    def __init__(self):
        super().__init__()
        self._version = 0

    def get(self):
        while True:
            with self._lock:
                if not self._nothing_to_do():
                    return self._take()
            seen = self._version
            with self._lock:
                while self._version == seen:
                    self._changed.wait()

    def _enqueue(self, item):
        super()._enqueue(item)
        self._version += 1

    def _stop(self):
        super()._stop()
        self._version += 1


@breaks("workers/all-that-is-added-gets-done")
class SignalsARoomThatIsLeft(TwoWaitingRooms):
    """Workers wait in two rooms; one that is woken is counted in its room until it runs."""

    def get(self):
        with self._lock:
            while not self._queue and not self._shutting_down:
                room = self._emptier()
                self._in[room] += 1
                self._rooms[room].wait()
                self._in[room] -= 1
        return super().get()

    def _enqueue(self, item):
        self._queue.append(item)
        self._rooms[self._fuller()].notify()

    def _stop(self):
        WorkQueue._stop(self)
        for room in self._rooms:
            room.notify_all()


@breaks("workers/all-that-is-added-gets-done")
class SleepsOnAConditionOfItsOwn(InSteps):
    """A worker that is woken in vain goes back to sleep on a condition that only a shutdown signals."""

    def __init__(self):
        super().__init__()
        self._disappointed = Condition(self._lock)

    def get(self):
        with self._lock:
            if self._nothing_to_do():
                self._changed.wait()
            while self._nothing_to_do():
                self._disappointed.wait()
            return self._take()

    def _stop(self):
        super()._stop()
        self._disappointed.notify_all()


@breaks("interleavings/no-program-of-a-few-lanes-breaks-it")
class TakesAWorkerForAwake(InSteps):
    """Add by a worker that holds another item wakes nobody, as if there were none but this one."""

    def __init__(self):
        super().__init__()
        self._held = Counter()

    def _take(self):
        item, shutdown = super()._take()
        self._held[get_ident()] += not shutdown
        return item, shutdown

    def _finish(self, item):
        super()._finish(item)
        self._held[get_ident()] -= 1

    def add(self, item):
        with self._lock:
            if self._shutting_down or item in self._dirty:
                return
            self._dirty.add(item)
            if item in self._processing:
                return
            self._queue.append(item)
            if self._held[get_ident()] <= 0:
                self._changed.notify()


define(globals())
