"""Work queues that are right as long as nobody comes in between."""

from __future__ import annotations

from threading import get_ident

from stingy_broken import breaks
from stingy_broken.edits import define
from stingy_broken.plain import WorkQueue


@breaks("workers/two-producers-at-once-add-it-once")
class LooksBeforeItLocks(WorkQueue):
    """Add looks whether the item is there, and then takes the lock to add it."""

    def add(self, item):
        with self._lock:
            known = item in self._dirty
        if known:
            return
        with self._lock:
            if not self._shutting_down:
                self._dirty.add(item)
                if item not in self._processing:
                    self._enqueue(item)


@breaks("once_more/no-add-is-lost")
class TakesBeforeItMarks(WorkQueue):
    """Get takes the item out in one step and marks it as processing in another."""

    def get(self):
        with self._lock:
            while not self._queue and not self._shutting_down:
                self._changed.wait()
            if not self._queue:
                return None, True
            item = self._queue.popleft()
            self._dirty.remove(item)
        with self._lock:
            self._processing.add(item)
            return item, False


@breaks("stingy/never-more-runs-than-adds")
class TwoTakeTheSame(WorkQueue):
    """Get looks who is first in one step, and takes it out in another."""

    def get(self):
        with self._lock:
            while not self._queue and not self._shutting_down:
                self._changed.wait()
            if not self._queue:
                return None, True
            item = self._queue[0]
        with self._lock:
            if item in self._queue:
                self._queue.remove(item)
            self._dirty.discard(item)
            self._processing.add(item)
            return item, False


@breaks("workers/all-that-is-added-gets-done")
class SignalsOnlyAnEmptyQueue(WorkQueue):
    """Add signals only if the queue was empty: of two Adds in a row the second wakes nobody."""

    def _enqueue(self, item):
        self._queue.append(item)
        if len(self._queue) == 1:
            self._changed.notify()


@breaks("interleavings/a-drain-ends-in-every-order")
class LocksInTwoOrders(WorkQueue):
    """Get and Done take two locks in opposite orders: sooner or later each holds what the other wants."""

    def __init__(self):
        super().__init__()
        from threading import Lock

        self._statistics = Lock()
        self.finished = 0

    def get(self):
        item, shutdown = super().get()
        with self._statistics, self._lock:
            self.finished = max(self.finished, 0)
        return item, shutdown

    def done(self, item):
        with self._lock, self._statistics:
            self.finished += 1
        super().done(item)


@breaks("workers/a-worker-that-adds-wakes-another")
class WakesNobodyForAWorker(WorkQueue):
    """An Add by a thread that has an item wakes nobody: that thread will come back for the next, and look."""

    def __init__(self):
        super().__init__()
        self._workers = {}

    def _enqueue(self, item):
        if get_ident() in self._workers.values():
            self._queue.push(item)
        else:
            super()._enqueue(item)

    def get(self):
        item, shutdown = super().get()
        with self._lock:
            self._workers[item] = get_ident()
        return item, shutdown

    def done(self, item):
        with self._lock:
            self._workers.pop(item, None)
        super().done(item)


define(globals())
