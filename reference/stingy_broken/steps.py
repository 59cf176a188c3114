"""The work queue, and by name what it does under its lock: for faults that come between two steps."""

from __future__ import annotations

from stingy_broken.plain import WorkQueue


class InSteps(WorkQueue):
    """Sound as long as its steps are taken with the lock held."""

    def get(self):
        with self._lock:
            while self._nothing_to_do():
                self._changed.wait()
            return self._take()

    def done(self, item):
        with self._lock:
            self._finish(item)
            self._end_the_drain()

    def _nothing_to_do(self):
        return not self._queue and not self._shutting_down

    def _take(self):
        if not self._queue:
            return None, True
        item = self._queue.popleft()
        self._dirty.remove(item)
        self._processing.add(item)
        return item, False

    def _finish(self, item):
        self._processing.discard(item)
        if item in self._dirty:
            self._enqueue(item)

    def _end_the_drain(self):
        if not self._processing:
            self._idle.notify_all()
