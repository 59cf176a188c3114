"""Work queues that hand out wrongly: whom, when, how often, in which order."""

from __future__ import annotations

import threading

from stingy_broken import breaks
from stingy_broken.edits import define
from stingy_broken.plain import WorkQueue


@breaks("handing_out/get-takes-the-item-out")
class NeverWaits(WorkQueue):
    """Get returns at once, with the flag up, when there is nothing to do."""

    def get(self):
        with self._lock:
            empty = not self._queue
        return (None, True) if empty else super().get()


@breaks("handing_out/get-takes-the-item-out")
class LooksAndLeavesItThere(WorkQueue):
    """Get returns the first item and leaves it where it is."""

    def get(self):
        item, shutdown = super().get()
        with self._lock:
            if not shutdown:
                self._queue.appendleft(item)
        return item, shutdown


@breaks("handing_out/a-finished-item-stays-away")
class StaysDirty(WorkQueue):
    """Get does not clear the dirty mark, so every Done brings the item back."""

    def get(self):
        item, shutdown = super().get()
        with self._lock:
            if not shutdown:
                self._dirty.add(item)
        return item, shutdown


@breaks("handing_out/a-finished-item-can-come-again")
class StaysInProcessing(WorkQueue):
    """Done forgets to take the item out of processing: it runs once in its life."""

    def done(self, item):
        with self._lock:
            if item in self._processing and item in self._dirty:
                self._enqueue(item)


@breaks("handing_out/an-empty-item-is-an-item")
class TakesEmptyForNothing(WorkQueue):
    """Takes an empty item for the end of work."""

    def get(self):
        item, shutdown = super().get()
        return (item, shutdown) if item else (None, True)


@breaks("handing_out/equal-items-are-one-item")
class GoesByIdentity(WorkQueue):
    """Two equal items are two to it, as pointers are in Go."""

    class _Pointer:
        def __init__(self, item):
            self.item = item

    def __init__(self):
        super().__init__()
        self._handed_out = {}

    def add(self, item):
        pointer = self._Pointer(item)
        super().add(pointer)

    def get(self):
        pointer, shutdown = super().get()
        if shutdown:
            return None, True
        self._handed_out.setdefault(pointer.item, []).append(pointer)
        return pointer.item, False

    def done(self, item):
        super().done(self._handed_out[item].pop(0))


@breaks("once_more/items-come-back-in-the-order-of-their-done")
class ComesBackInTheOrderOfItsAdd(WorkQueue):
    """Items that come back are put among each other by the time of their Add, not of their Done."""

    def __init__(self):
        super().__init__()
        self._owed = []

    def add(self, item):
        with self._lock:
            if item in self._processing and item not in self._dirty and not self._shutting_down:
                self._owed.append(item)
        super().add(item)

    def done(self, item):
        super().done(item)
        with self._lock:
            if item in self._owed:
                later = self._owed[self._owed.index(item) + 1 :]
                behind = [other for other in self._queue if other in later]
                for other in behind:
                    self._queue.remove(other)
                    self._queue.append(other)


@breaks("handing_out/equal-items-are-one-item")
class QueuesEveryAdd(WorkQueue):
    """A plain queue: it remembers neither what is queued nor what a worker holds."""

    def add(self, item):
        with self._lock:
            if not self._shutting_down:
                self._dirty.add(item)
                self._enqueue(item)

    def get(self):
        with self._lock:
            while not self._queue and not self._shutting_down:
                self._changed.wait()
            return (self._queue.popleft(), False) if self._queue else (None, True)

    def done(self, item):
        pass


@breaks("stingy/one-worker-at-a-time")
class ForgetsWhatIsHeld(WorkQueue):
    """Add looks at the dirty set alone: what a worker holds goes straight into the queue."""

    def add(self, item):
        with self._lock:
            if not self._shutting_down and item not in self._dirty:
                self._dirty.add(item)
                self._enqueue(item)

    def done(self, item):
        with self._lock:
            self._processing.discard(item)
            if not self._processing:
                self._idle.notify_all()


@breaks("stingy/the-done-of-another-item-does-not-let-a-held-item-out")
class BringsBackAllThatIsOwed(WorkQueue):
    """Done brings back every item that was added again, and not its own alone."""

    def __init__(self):
        super().__init__()
        self._owed = {}
        """What was added again while a worker had it, in the order of these Adds."""

    def add(self, item):
        with self._lock:
            if item in self._processing and not self._shutting_down:
                self._owed[item] = None
        super().add(item)

    def done(self, item):
        with self._lock:
            others = [other for other in self._owed if other != item] if item in self._processing else []
            self._owed.clear()
        super().done(item)
        with self._lock:
            for other in others:
                self._enqueue(other)


@breaks("stingy/add-depends-on-where-the-item-is")
class CountsEveryEvent(WorkQueue):
    """Brings an item back once for each Add during its run."""

    def __init__(self):
        super().__init__()
        self._owed = {}

    def add(self, item):
        with self._lock:
            if item in self._processing and item in self._dirty:
                self._owed[item] = self._owed.get(item, 0) + 1
        super().add(item)

    def done(self, item):
        super().done(item)
        with self._lock:
            for _ in range(self._owed.pop(item, 0)):
                self._queue.append(item)


@breaks("once_more/no-add-is-lost")
class ComesBackOnlyOnce(WorkQueue):
    """An item that has come back once is not brought back again."""

    def __init__(self):
        super().__init__()
        self._came_back = set()

    def done(self, item):
        with self._lock:
            if item in self._came_back:
                self._dirty.discard(item)
            elif item in self._dirty:
                self._came_back.add(item)
        super().done(item)


@breaks("once_more/each-item-is-remembered-for-itself")
class RemembersOnlyOne(WorkQueue):
    """Remembers in one variable which item was added while it was processed."""

    def __init__(self):
        super().__init__()
        self._again = None

    def add(self, item):
        with self._lock:
            if item in self._processing and not self._shutting_down:
                if self._again in self._processing:
                    self._dirty.discard(self._again)
                self._again = item
        super().add(item)


@breaks("once_more/an-item-that-waits-for-its-done-holds-up-no-other")
class HoldsUpTheOthers(WorkQueue):
    """Nobody gets anything while an item waits for its Done."""

    def get(self):
        with self._lock:
            while self._dirty & self._processing or (not self._queue and not self._shutting_down):
                self._changed.wait()
        return super().get()

    def done(self, item):
        super().done(item)
        with self._lock:
            self._changed.notify_all()


@breaks("workers/an-item-that-comes-back-wakes-a-worker")
class OneAtATime(WorkQueue):
    """Hands out nothing while any item is being processed: a lock around everything."""

    def get(self):
        with self._lock:
            while self._processing and not self._shutting_down:
                self._changed.wait()
        return super().get()

    def done(self, item):
        super().done(item)
        with self._lock:
            self._changed.notify_all()


@breaks("workers/a-worker-woken-for-nothing-waits-on")
class TrustsTheWakeUp(WorkQueue):
    """Waits with `if`: a worker that is woken for nothing goes home."""

    def get(self):
        with self._lock:
            if not self._queue and not self._shutting_down:
                self._changed.wait()
            if not self._queue:
                return None, True
        return super().get()

    def done(self, item):
        super().done(item)
        with self._lock:
            if not self._processing:
                self._changed.notify()


@breaks("workers/an-item-in-processing-wakes-nobody")
class TellsTheNextInVain(WorkQueue):
    """The Add of a held item sends a waiting worker home."""

    def __init__(self):
        super().__init__()
        self._in_vain = 0
        self._waiting = 0

    def add(self, item):
        with self._lock:
            if item in self._processing and self._waiting:
                self._in_vain = 1
                self._changed.notify()
        super().add(item)

    def get(self):
        with self._lock:
            while not self._queue and not self._shutting_down:
                self._waiting += 1
                self._changed.wait()
                self._waiting -= 1
                if self._in_vain:
                    self._in_vain = 0
                    return None, True
        return super().get()


@breaks("workers/another-thread-may-say-done")
class BelongsToItsThread(WorkQueue):
    """Done must come from the thread that called Get; from another it is ignored."""

    def __init__(self):
        super().__init__()
        self._owner = {}

    def get(self):
        item, shutdown = super().get()
        self._owner[item] = threading.get_ident()
        return item, shutdown

    def done(self, item):
        if self._owner.get(item) == threading.get_ident():
            super().done(item)


@breaks("once_more/what-came-back-is-held-like-any-other")
class HoldsItInItsFirstRunAlone(WorkQueue):
    """Get does not mark as processing what comes back."""

    def __init__(self):
        super().__init__()
        self._came_back = set()

    def get(self):
        item, shutdown = super().get()
        with self._lock:
            if item in self._came_back:
                self._processing.discard(item)
        return item, shutdown

    def done(self, item):
        with self._lock:
            if item in self._processing & self._dirty:
                self._came_back.add(item)
            if item in self._came_back - self._processing:
                self._came_back.discard(item)
                return
        super().done(item)


@breaks("interleavings/no-item-overtakes-another")
class FavoursTheNewestWhileOthersWait(WorkQueue):
    """Hands out the newest item while another worker waits for one."""

    def __init__(self):
        super().__init__()
        self._waiting = 0

    def get(self):
        with self._lock:
            while not self._queue and not self._shutting_down:
                self._waiting += 1
                self._changed.wait()
                self._waiting -= 1
            if self._waiting and self._queue:
                self._queue.rotate(1)
        return super().get()


define(globals())
