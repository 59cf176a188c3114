"""A first try: Get waits correctly, and Add checks for duplicates before it takes the lock."""

import threading


class WorkQueue:
    def __init__(self):
        self._changed = threading.Condition()
        self._queue, self._dirty, self._processing = [], set(), set()
        self._down = False

    def add(self, item):
        if item in self._dirty or self._down:
            return
        with self._changed:
            self._dirty.add(item)
            if item not in self._processing:
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
            self._processing.add(item)
            self._dirty.discard(item)
            return item, False

    def done(self, item):
        with self._changed:
            self._processing.discard(item)
            if item in self._dirty:
                self._queue.append(item)
                self._changed.notify()

    def __len__(self):
        return len(self._queue)

    def shut_down(self):
        with self._changed:
            self._down = True
            self._changed.notify_all()

    def shutting_down(self):
        return self._down
