"""Work queues that know an item by something else than itself."""

from __future__ import annotations

from stingy_broken import breaks
from stingy_broken.edits import define
from stingy_broken.plain import WorkQueue


class _KnowsByKey(WorkQueue):
    """The books are kept by keys; whoever takes one is given the item that it was made of last."""

    def __init__(self):
        super().__init__()
        self._made_of = {}

    def add(self, item):
        key = self._key(item)
        with self._lock:
            self._made_of[key] = item
        super().add(key)

    def get(self):
        key, shutdown = super().get()
        return (None, True) if shutdown else (self._made_of[key], False)

    def done(self, item):
        super().done(self._key(item))

    def _key(self, item):
        raise NotImplementedError


@breaks("handing_out/an-item-may-be-called-anything")
class TakesNullForNothing(WorkQueue):
    """An item that reads as nothing is not added."""

    def add(self, item):
        if item not in ("null", "undefined"):
            super().add(item)


@breaks("handing_out/an-item-may-be-called-anything")
class KeepsItsSetsInAnObject(WorkQueue):
    """Its sets are objects as JavaScript has them: `__proto__` is in each from the beginning."""

    def add(self, item):
        if item != "__proto__":
            super().add(item)


define(globals())
