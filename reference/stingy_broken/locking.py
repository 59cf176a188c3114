"""Work queues that lock in the wrong order, with the wrong lock, too long, or not at all."""

from __future__ import annotations

import time
from contextlib import contextmanager
from threading import Condition, Lock

from stingy_broken import breaks
from stingy_broken.plain import WorkQueue
from stingy_broken.steps import InSteps


@breaks("workers/all-that-is-added-gets-done")
class LocksInACircle(WorkQueue):
    """Add, Get and Done each take two of three locks, and between them close a circle."""

    def __init__(self):
        super().__init__()
        self._adds, self._gets, self._dones = Lock(), Lock(), Lock()
        self.calls = 0

    def add(self, item):
        with self._adds, self._gets:
            self.calls += 1
        super().add(item)

    def get(self):
        with self._gets, self._dones:
            self.calls += 1
        return super().get()

    def done(self, item):
        with self._dones, self._adds:
            self.calls += 1
        super().done(item)


@breaks("once_more/no-add-is-lost")
class AsksItsLengthUnderTheLock(InSteps):
    """A worker that is woken in vain notes the length of the queue, and so takes the lock that it holds."""

    def __init__(self):
        super().__init__()
        self.length_when_woken_in_vain = 0

    def get(self):
        with self._lock:
            while self._nothing_to_do():
                self._changed.wait()
                if self._nothing_to_do():
                    self.length_when_woken_in_vain = len(self)
            return self._take()


@breaks("once_more/no-add-is-lost")
class HasALockForAddsOnly(WorkQueue):
    """Adds keep each other out with a lock of their own; Gets and Dones have another."""

    def __init__(self):
        super().__init__()
        self._adds = Lock()

    def add(self, item):
        with self._adds:
            if self._shutting_down or item in self._dirty:
                return
            self._dirty.add(item)
            if item not in self._processing:
                with self._lock:
                    self._enqueue(item)


@breaks("workers/a-worker-woken-for-nothing-waits-on")
class WaitsAtTheDoor(WorkQueue):
    """A worker waits for an item with a second lock in its hand, which Done needs too."""

    def __init__(self):
        super().__init__()
        self._door = Lock()

    def get(self):
        with self._door:
            return super().get()

    def done(self, item):
        with self._door:
            super().done(item)


@breaks("workers/two-producers-at-once-add-it-once")
class KeepsAContendedLock(WorkQueue):
    """Add tries the lock first; where it had to wait for it, it forgets to give it back."""

    def add(self, item):
        if self._lock.acquire(blocking=False):
            self._lock.release()
            super().add(item)
            return
        self._lock.acquire()
        if item not in self._dirty and not self._shutting_down:
            self._dirty.add(item)
            if item not in self._processing:
                self._enqueue(item)


@breaks("interleavings/work-ends-in-every-order")
class KeepsTheLockAfterAnError(InSteps):
    """A worker that finds the queue emptied by another tries again, and has not given the lock back."""

    @contextmanager
    def _locked(self):
        self._lock.acquire()
        yield
        self._lock.release()

    def get(self):
        while True:
            try:
                with self._locked():
                    if self._nothing_to_do():
                        self._changed.wait()
                    if self._shutting_down and not self._queue:
                        taken = None, True
                    else:
                        item = self._queue.popleft()
                        self._dirty.remove(item)
                        self._processing.add(item)
                        taken = item, False
            except IndexError:
                continue
            return taken


@breaks("once_more/no-add-is-lost")
class GivesUpWhenItIsCrowded(WorkQueue):
    """Add drops the item where it does not get the lock at once."""

    def add(self, item):
        if self._lock.acquire(blocking=False):
            self._lock.release()
            super().add(item)


@breaks("stingy/never-more-runs-than-adds")
class OpensALockThatIsNotItsOwn(WorkQueue):
    """Add does not look whether it got the lock, and gives it back in any case."""

    def add(self, item):
        self._lock.acquire(blocking=False)
        try:
            if item not in self._dirty and not self._shutting_down:
                self._dirty.add(item)
                if item not in self._processing:
                    self._enqueue(item)
        finally:
            self._lock.release()


@breaks("workers/two-producers-at-once-add-it-once")
class WaitsToBeTheOnlyReader(WorkQueue):
    """Add reads together with others, and to write it waits until it is alone: two who do so wait for each other."""

    def __init__(self):
        super().__init__()
        self._readers = 0
        self._alone = Condition(self._lock)

    def add(self, item):
        with self._lock:
            self._readers += 1
        known = item in self._dirty
        with self._lock:
            while not known and self._readers > 1:
                self._alone.wait()
            self._readers -= 1
            self._alone.notify_all()
        super().add(item)


@breaks("workers/two-producers-at-once-add-it-once")
class LocksWithAFlag(WorkQueue):
    """Add has a lock made of a flag, which two find down before either raises it."""

    def __init__(self):
        super().__init__()
        self._adding = False

    def add(self, item):
        while self._adding:
            time.sleep(0.001)
        self._adding = True
        with self._lock:
            known = self._shutting_down or item in self._dirty
        if not known:
            with self._lock:
                self._dirty.add(item)
                if item not in self._processing:
                    self._enqueue(item)
        self._adding = False
