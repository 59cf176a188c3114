"""Sound queues, and a broken one, with state that a whole module shares."""

import threading

from stingy_reference.workqueue import WorkQueue

_NUMBERS = {}


class NumbersItems(WorkQueue):
    """Numbers each item in a table of the module."""

    def add(self, item):
        _NUMBERS.setdefault(item, len(_NUMBERS))
        super().add(item)


class DiesOfAnItem(WorkQueue):
    """Broken: an item that cannot be added ends its timer thread."""

    def add_after(self, item, seconds):
        threading.Timer(seconds, self._add_later, (item,)).start()

    def _add_later(self, item):
        raise ValueError("no room")


class SharesWhatIsDirty(WorkQueue):
    """Broken: the class keeps the dirty set."""

    _everybodys = set()  # noqa: RUF012

    def __init__(self):
        super().__init__()
        self._dirty = self._everybodys
