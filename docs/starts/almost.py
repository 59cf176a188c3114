"""A queue that is almost right: one case is forgotten."""

import threading


class WorkQueue:
    def __init__(self):
        self._changed = threading.Condition()
        self._queue, self._dirty, self._processing = [], set(), set()
        self._down = False

    def add(self, item):
        with self._changed:
            if item in self._dirty or self._down:
                return
            self._dirty.add(item)
            self._queue.append(item)
            self._changed.notify()

    def get(self):
        """Wait for an item: (item, False), or (None, True) after a shutdown."""
        with self._changed:
            while not self._queue and not self._down:
                self._changed.wait()
            if not self._queue:
                return None, True
            item = self._queue.pop(0)
            self._dirty.discard(item)
            self._processing.add(item)
            return item, False

    def done(self, item):
        with self._changed:
            self._processing.discard(item)

    def shut_down(self):
        with self._changed:
            self._down = True
            self._changed.notify_all()

    def shutting_down(self):
        return self._down

    def __len__(self):
        with self._changed:
            return len(self._queue)
