"""Sound queues, and a broken one, with state that a whole module shares."""

import threading

from stingy_reference.workqueue import WorkQueue

_NUMBERS = {}


class NumbersItems(WorkQueue):
    """Sound: each item gets a number in a table of the module, which all queues share."""

    def add(self, item):
        _NUMBERS.setdefault(item, len(_NUMBERS))
        super().add(item)


class DiesOfAnItem(WorkQueue):
    """Broken: the timer thread that is to add a delayed item raises an exception instead."""

    def add_after(self, item, seconds):
        threading.Timer(seconds, self._add_later, (item,)).start()

    def _add_later(self, item):
        raise ValueError("no room")


class SharesWhatIsDirty(WorkQueue):
    """Broken: the dirty set belongs to the class, so all queues share it."""

    _everybodys = set()  # noqa: RUF012

    def __init__(self):
        super().__init__()
        self._dirty = self._everybodys
