"""Work queues that know an item by something else than itself."""

from __future__ import annotations

from stingy_broken import breaks
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


@breaks("handing_out/values-that-are-written-alike-are-different")
class KnowsItByItsText(_KnowsByKey):
    """The key of an item is its ``str``."""

    def _key(self, item):
        return str(item)


@breaks("handing_out/values-that-are-written-alike-are-different")
class JoinsNamespaceAndName(_KnowsByKey):
    """The key of a tuple is its parts, joined by a slash."""

    def _key(self, item):
        return "/".join(map(str, item)) if isinstance(item, tuple) else item


@breaks("handing_out/values-that-are-written-alike-are-different")
class HasNoKeyForNothing(_KnowsByKey):
    """The key of what is nothing is 0."""

    def _key(self, item):
        return item if item is not None else 0


@breaks("handing_out/equal-values-are-one-item")
class KnowsItByItsSpelling(_KnowsByKey):
    """The key of an item is its ``repr``, which another one has that is equal."""

    def _key(self, item):
        return repr(item)


@breaks("handing_out/equal-values-are-one-item")
class KnowsItByItsType(_KnowsByKey):
    """The key of an item is itself and its type."""

    def _key(self, item):
        return type(item), item


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
