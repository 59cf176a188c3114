"""Work queues whose buffers are full some day, and whose counts come round."""

from __future__ import annotations

from collections import OrderedDict

from stingy_broken import breaks
from stingy_broken.plain import WorkQueue

PLACES = 1_024


class Ring:
    """So many places, and a number for each item that grows for ever."""

    def __init__(self):
        self._places = [None] * PLACES
        self._first = self._next = 0

    def push(self, item):
        self._places[self._next % PLACES] = item
        self._next += 1

    def touch(self, item):
        pass

    def pop(self):
        item = self._places[self._first % PLACES]
        self._first += 1
        return item

    def __len__(self):
        return self._next - self._first


class RefusingRing(Ring):
    """The same, with no place for one more than it has."""

    def push(self, item):
        if len(self) < PLACES:
            super().push(item)


class EndingRing(Ring):
    """The same, whose numbers were never made to come round."""

    def push(self, item):
        if self._next < PLACES:
            super().push(item)


@breaks("handing_out/of-many-items-none-is-lost")
class DropsWhatDoesNotFit(WorkQueue):
    """Its ring has 1,024 places; what is added while it is full is dropped."""

    def __init__(self):
        super().__init__()
        self._queue = RefusingRing()


@breaks("handing_out/of-many-items-none-is-lost")
class EndsAtTheEndOfItsRing(WorkQueue):
    """Its ring does not come round: from the 1,025th item on, nothing comes any more."""

    def __init__(self):
        super().__init__()
        self._queue = EndingRing()


@breaks("handing_out/of-many-items-none-is-lost")
class LosesEveryThousandth(WorkQueue):
    """Each thousandth Get takes two items, and hands out one."""

    def __init__(self):
        super().__init__()
        self._gets = 0

    def get(self):
        item, shutdown = super().get()
        with self._lock:
            self._gets += not shutdown
            if self._gets % 1_000 == 0 and self._queue:
                self._dirty.discard(self._queue.pop())
        return item, shutdown


class Latest(OrderedDict):
    """A set of the 1,024 that came last."""

    def add(self, item):
        self[item] = None
        while len(self) > PLACES:
            self.popitem(last=False)

    def remove(self, item):
        self.pop(item, None)


@breaks("handing_out/of-many-items-none-is-lost")
class KnowsTheLatestOnly(WorkQueue):
    """It knows of the 1,024 items that came last that they are queued, and queues any other once more."""

    def __init__(self):
        super().__init__()
        self._dirty = Latest()


class UnevenRing(Ring):
    """A ring that gets twice as many places when it is full, and leaves what it holds where it is."""

    def push(self, item):
        if len(self) == len(self._places):
            self._places += [None] * len(self._places)
        self._places[self._next % len(self._places)] = item
        self._next += 1

    def pop(self):
        item = self._places[self._first % len(self._places)]
        self._first += 1
        return item


@breaks("layers/however-many-there-are-a-queue-keeps-count")
class LosesTheOrderAsItGrows(WorkQueue):
    """With more than 1,024 items its ring grows, and what lay at its beginning is not moved."""

    def __init__(self):
        super().__init__()
        self._queue = UnevenRing()
