"""Work queues that do in two steps what has to be one."""

from __future__ import annotations

import heapq
import threading
from collections import Counter, deque
from threading import Lock

from stingy_broken import breaks
from stingy_broken.edits import define
from stingy_broken.plain import WorkQueue
from stingy_broken.steps import InSteps


@breaks("interleavings/some-order-of-the-calls-explains-every-answer")
class MarksBeforeItPushes(WorkQueue):
    """Add marks the item dirty in one step, and puts it into the queue in another."""

    def add(self, item):
        with self._lock:
            if self._shutting_down or item in self._dirty:
                return
            self._dirty.add(item)
            held = item in self._processing
        if not held:
            with self._lock:
                self._enqueue(item)


@breaks("stingy/no-item-is-with-two-workers")
class MarksAfterItPushed(WorkQueue):
    """Add puts the item into the queue in one step, and marks it dirty in another."""

    def add(self, item):
        with self._lock:
            if self._shutting_down or item in self._dirty:
                return
            if item not in self._processing:
                self._enqueue(item)
        with self._lock:
            self._dirty.add(item)


@breaks("interleavings/some-order-of-the-calls-explains-every-answer")
class CountsDownWithoutTheLock(WorkQueue):
    """Len is a count; Add and Done count up with the lock, and Get counts down without."""

    def __init__(self):
        super().__init__()
        self._length = 0

    def get(self):
        item, shutdown = super().get()
        if not shutdown:
            self._length -= 1
        return item, shutdown

    def __len__(self):
        with self._lock:
            return self._length

    def _enqueue(self, item):
        super()._enqueue(item)
        self._length += 1


@breaks("interleavings/some-order-of-the-calls-explains-every-answer")
class ForgetsItsAnswerTooEarly(InSteps):
    """Len remembers its answer; Add makes it forget that before it takes the lock."""

    def __init__(self):
        super().__init__()
        self._answer = None

    def __len__(self):
        with self._lock:
            if self._answer is None:
                self._answer = len(self._queue)
            return self._answer

    def add(self, item):
        self._answer = None
        super().add(item)

    def _take(self):
        self._answer = None
        return super()._take()

    def _finish(self, item):
        self._answer = None
        super()._finish(item)


@breaks("once_more/no-add-is-lost")
class EmptiesTheInboxAfterReadingIt(InSteps):
    """Adds go into an inbox; Get copies it, and then empties it of what may have come since."""

    def __init__(self):
        super().__init__()
        self._inbox = []

    def get(self):
        while True:
            arrived = list(self._inbox)
            self._inbox.clear()
            with self._lock:
                self._queue.extend(arrived)
                if not self._nothing_to_do():
                    return self._take()
                if not self._inbox:
                    self._changed.wait()

    def __len__(self):
        with self._lock:
            return len(self._queue) + len(self._inbox)

    def _enqueue(self, item):
        self._inbox.append(item)
        self._changed.notify()


@breaks("handing_out/an-added-item-is-handed-out")
class MakesTheQueueTwice(WorkQueue):
    """The first Add makes the queue; two first Adds make two, and the later one takes the place of the other."""

    def __init__(self):
        super().__init__()
        self._made = False

    def add(self, item):
        if not self._made:
            self._queue = deque()
            self._made = True
        super().add(item)


@breaks("interleavings/work-is-done-in-every-order")
class SaysReadyBeforeItIs(WorkQueue):
    """The first Add makes the statistics, and says that they are there before they are."""

    def __init__(self):
        super().__init__()
        self._making = Lock()
        self._ready = False
        self._adds = None

    def add(self, item):
        if not self._ready:
            with self._making:
                if not self._ready:
                    self._ready = True
                    self._adds = Counter()
        with self._lock:
            self._adds[item] += 1
        super().add(item)


@breaks("interleavings/work-is-done-in-every-order")
class MakesALockPerItemTwice(WorkQueue):
    """Each item has a lock, made when it is first needed: two who need it at once have two."""

    def __init__(self):
        super().__init__()
        self._locks = {}

    def add(self, item):
        if item not in self._locks:
            self._locks[item] = Lock()
        with self._locks[item]:
            if item in self._dirty:
                return
            with self._lock:
                if not self._shutting_down:
                    self._dirty.add(item)
                    if item not in self._processing:
                        self._enqueue(item)


@breaks("interleavings/some-order-of-the-calls-explains-every-answer")
class DrawsItsNumberTooEarly(InSteps):
    """Items stand in the order of numbers that are drawn before the lock is taken."""

    def __init__(self):
        super().__init__()
        self._numbers = Lock()
        self._drawn = 0
        self._queue = []

    def add(self, item):
        number = self._draw()
        with self._lock:
            if self._shutting_down or item in self._dirty:
                return
            self._dirty.add(item)
            if item not in self._processing:
                self._push(number, item)

    def _take(self):
        if not self._queue:
            return None, True
        _, item = heapq.heappop(self._queue)
        self._dirty.remove(item)
        self._processing.add(item)
        return item, False

    def _enqueue(self, item):
        self._push(self._draw(), item)

    def _push(self, number, item):
        heapq.heappush(self._queue, (number, item))
        self._changed.notify()

    def _draw(self):
        with self._numbers:
            self._drawn += 1
            return self._drawn


@breaks("interleavings/no-program-of-a-few-lanes-survives-its-shutdown")
class LeavesItToTheOther(WorkQueue):
    """An Add that finds another at work leaves its item to that one, which may have looked for the last time."""

    def __init__(self):
        super().__init__()
        self._requests = deque()
        self._adding = Lock()

    def add(self, item):
        self._requests.append(item)
        if self._adding.acquire(blocking=False):
            while self._requests:
                super().add(self._requests.popleft())
            self._adding.release()


@breaks("fair/the-order-holds-for-several-workers")
class KeepsOneInReserve(InSteps):
    """A worker takes two items at a time and keeps one for its next Get, out of the others' reach."""

    def __init__(self):
        super().__init__()
        self._mine = threading.local()
        self._reserved = 0

    def get(self):
        with self._lock:
            reserve = vars(self._mine).setdefault("reserve", [])
            while not reserve and self._nothing_to_do():
                self._changed.wait()
            if reserve:
                self._queue.appendleft(reserve.pop())
                self._reserved -= 1
            taken = self._take()
            if self._queue:
                reserve.append(self._queue.popleft())
                self._reserved += 1
            return taken

    def __len__(self):
        with self._lock:
            return len(self._queue) + self._reserved


@breaks("interleavings/work-is-done-in-every-order")
class RemembersPerThread(WorkQueue):
    """Each thread remembers what it added last, and by a count of Gets, read too late, that it is still there."""

    def __init__(self):
        super().__init__()
        self._mine = threading.local()
        self._gets = 0

    def add(self, item):
        if vars(self._mine).get("last") == (item, self._gets):
            return
        super().add(item)
        self._mine.last = item, self._gets

    def _count(self):
        with self._lock:
            self._gets += 1

    def get(self):
        got = super().get()
        self._count()
        return got


define(globals())
