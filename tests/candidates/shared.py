"""Sound queues, and a broken one, with things that all of a module share."""

import threading

from stingy_reference.workqueue import WorkQueue

_NUMBERS = {}


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


class SharesWhatIsDirty(WorkQueue):
    """Broken: what is dirty is kept in the class."""

    _everybodys = set()  # noqa: RUF012

    def __init__(self):
        super().__init__()
        self._dirty = self._everybodys
