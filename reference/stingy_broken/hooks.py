"""Work queues that treat the store they are given wrongly."""

from __future__ import annotations

from collections import deque

import stingy_reference
from stingy_broken import breaks
from stingy_broken.edits import define
from stingy_reference.workqueue import Line


class WorkQueue(stingy_reference.WorkQueue):
    """Can be made with a store, and with nothing else."""

    def __init__(self, *, queue=None):
        super().__init__(queue=queue)
        self._given = queue is not None


@breaks("hooks/add-pushes-and-get-pops")
class TakesAnEmptyStoreForNone(WorkQueue):
    """`queue or Line()`: a store that is empty is false."""

    def __init__(self, *, queue=None):
        super().__init__(queue=queue or Line())


@breaks("hooks/the-store-says-what-comes-next")
class KnowsBetterWhatIsNext(WorkQueue):
    """Get pops something from the store, and returns what was added first."""

    def __init__(self, *, queue=None):
        super().__init__(queue=queue)
        self._in_order = deque()

    def _enqueue(self, item):
        self._in_order.append(item)
        super()._enqueue(item)

    def get(self):
        with self._lock:
            while not self._queue and not self._shutting_down:
                self._changed.wait()
            if not self._queue:
                return None, True
            self._queue.pop()
            item = self._in_order.popleft()
            self._dirty.remove(item)
            self._processing.add(item)
            return item, False


@breaks("hooks/what-comes-back-is-pushed")
class BringsBackPastItsStore(WorkQueue):
    """What comes back at its Done waits in a line beside the store that was given."""

    def __init__(self, *, queue=None):
        super().__init__(queue=queue)
        self._back = deque()

    def get(self):
        with self._lock:
            while not self._queue and not self._back and not self._shutting_down:
                self._changed.wait()
            if not self._queue and not self._back:
                return None, True
            item = self._queue.pop() if self._queue else self._back.popleft()
            self._dirty.remove(item)
            self._processing.add(item)
            return item, False

    def add(self, item):
        with self._lock:
            if item in self._back:
                self._queue.touch(item)
                return
        super().add(item)

    def done(self, item):
        with self._lock:
            if self._given and item in self._processing & self._dirty:
                self._processing.remove(item)
                self._back.append(item)
                self._changed.notify()
                return
        super().done(item)


@breaks("hooks/what-has-come-back-is-touched")
class TouchesOnlyInTheFirstRun(WorkQueue):
    """What has come back once is not touched any more."""

    def __init__(self, *, queue=None):
        super().__init__(queue=queue)
        self._came_back = set()

    def add(self, item):
        with self._lock:
            if item in self._came_back and item in self._dirty:
                return
        super().add(item)

    def done(self, item):
        with self._lock:
            if item in self._dirty:
                self._came_back.add(item)
        super().done(item)


@breaks("hooks/the-store-is-asked-one-thing-at-a-time")
class CountsWithoutItsLock(WorkQueue):
    """Len asks the store without the lock."""

    def __len__(self):
        return len(self._queue)


@breaks("hooks/the-store-is-asked-one-thing-at-a-time")
class TouchesWithoutItsLock(WorkQueue):
    """Add touches an item after it has let go of the lock."""

    def add(self, item):
        with self._lock:
            queued = item in self._dirty - self._processing and not self._shutting_down
        if queued:
            self._queue.touch(item)
        else:
            super().add(item)


class CountsForItself(WorkQueue):
    """Knows how many items it has pushed and not popped."""

    def __init__(self, *, queue=None):
        super().__init__(queue=queue)
        self._pushed = 0

    def _enqueue(self, item):
        self._pushed += 1
        super()._enqueue(item)

    def get(self):
        item, shutdown = super().get()
        with self._lock:
            self._pushed -= not shutdown
        return item, shutdown


@breaks("hooks/get-waits-while-the-store-shows-nothing")
class PopsWhateverWasPushed(CountsForItself):
    """Get waits by its own count, and pops what the store keeps back."""

    def get(self):
        with self._lock:
            while not self._pushed and not self._shutting_down:
                self._changed.wait()
            if not self._pushed:
                return None, True
            self._pushed -= 1
            item = self._queue.pop()
            self._dirty.remove(item)
            self._processing.add(item)
            return item, False


@breaks("hooks/nothing-is-popped-at-the-end")
class EmptiesItsStoreAtTheEnd(CountsForItself):
    """After a shutdown Get pops what is left, whatever length the store says it has."""

    def get(self):
        with self._lock:
            while not self._queue and not self._shutting_down:
                self._changed.wait()
            if not self._pushed:
                return None, True
            self._pushed -= 1
            item = self._queue.pop()
            self._dirty.remove(item)
            self._processing.add(item)
            return item, False


define(globals())
