"""Work queues that keep what they should have let go of."""

from __future__ import annotations

from weakref import WeakKeyDictionary, WeakValueDictionary

from stingy_broken import breaks
from stingy_broken.plain import WorkQueue


class Slots:
    """A list, and the slot that is next."""

    def __init__(self):
        self._slots = []
        self._next = 0

    def push(self, item):
        self._slots.append(item)

    def touch(self, item):
        pass

    def pop(self):
        self._next += 1
        return self._slots[self._next - 1]

    def __len__(self):
        return len(self._slots) - self._next


class SlotsUsedAgain(Slots):
    """The same, begun anew when it is empty."""

    def pop(self):
        item = super().pop()
        if not self:
            self._slots, self._next = [], 0
        return item


class Name:
    """A name that stands for an item in the queue."""


@breaks("memory/what-only-the-queue-holds-is-handed-out")
class HoldsItWeakly(WorkQueue):
    """A text of a subclass of str is queued by a name, held by a weak reference, and skipped when it is gone."""

    def __init__(self):
        super().__init__()
        self._names, self._items = WeakKeyDictionary(), WeakValueDictionary()

    def add(self, item):
        super().add(self._name(item))

    def get(self):
        while True:
            name, shutdown = super().get()
            if type(name) is not Name:
                return name, shutdown
            if (item := self._items.get(name)) is not None:
                return item, False
            super().done(name)

    def done(self, item):
        super().done(self._name(item))

    def _name(self, item):
        if type(item) is str or not isinstance(item, str):
            return item
        name = self._names.setdefault(item, Name())
        self._items.setdefault(name, item)
        return name


@breaks("memory/what-is-done-is-not-kept")
class LeavesItInItsSlot(WorkQueue):
    """Get moves on to the next slot, and leaves what it takes in the one before."""

    def __init__(self):
        super().__init__()
        self._queue = Slots()


@breaks("memory/what-is-done-is-not-kept")
class RemembersWhoeverCame(WorkQueue):
    """Add puts each item into a set of all that ever were, perhaps to count them."""

    def __init__(self):
        super().__init__()
        self._seen = set()

    def add(self, item):
        with self._lock:
            self._seen.add(item)
        super().add(item)


@breaks("memory/what-is-done-is-not-kept-while-others-wait")
class ClearsSlotsAtTheEnd(WorkQueue):
    """Get leaves what it takes in its slot until the queue is empty."""

    def __init__(self):
        super().__init__()
        self._queue = SlotsUsedAgain()


@breaks("memory/a-duplicate-is-not-kept")
class KeepsDuplicates(WorkQueue):
    """Add keeps a list of what came while it was queued already, perhaps to log it one day."""

    def __init__(self):
        super().__init__()
        self._duplicates = []

    def add(self, item):
        with self._lock:
            if item in self._dirty:
                self._duplicates.append(item)
        super().add(item)


@breaks("memory/what-is-refused-is-not-kept")
class KeepsWhatItRefuses(WorkQueue):
    """Add keeps a list of what it has refused after the shutdown."""

    def __init__(self):
        super().__init__()
        self._refused = []

    def add(self, item):
        with self._lock:
            if self._shutting_down:
                self._refused.append(item)
        super().add(item)
