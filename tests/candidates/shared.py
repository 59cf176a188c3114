"""Sound queues, and a broken one, with things that all of a module share."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar

from stingy_reference.workqueue import WorkQueue

_POOL = ThreadPoolExecutor(2)
_LOCAL = threading.local()
_DEPTH = ContextVar("depth", default=0)
_NUMBERS = {}


class CountsOnAPool(WorkQueue):
    """Each Add is counted by a pool that the module shares."""

    def add(self, item):
        _POOL.submit(int, 1).result()
        super().add(item)


class NumbersItems(WorkQueue):
    """Each item has a number in a table of the module."""

    def add(self, item):
        _NUMBERS.setdefault(item, len(_NUMBERS))
        super().add(item)


class DiesOfAnItem(WorkQueue):
    """Broken: its timer thread is ended by what it cannot add."""

    def add_after(self, item, seconds):
        threading.Timer(seconds, self._add_later, (item,)).start()

    def _add_later(self, item):
        raise ValueError("no room")


class ToldByLocals(WorkQueue):
    """A Get that is called by a Get is told by a thread-local and a context variable."""

    def get(self):
        assert not getattr(_LOCAL, "inside", False)
        assert _DEPTH.get() == 0
        _LOCAL.inside = True
        _DEPTH.set(1)
        got = super().get()
        _LOCAL.inside = False
        _DEPTH.set(0)
        return got


class SharesWhatIsDirty(WorkQueue):
    """Broken: what is dirty is kept in the class."""

    _everybodys = set()  # noqa: RUF012

    def __init__(self):
        super().__init__()
        self._dirty = self._everybodys
