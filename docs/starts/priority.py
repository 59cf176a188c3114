"""A first try: Get looks through all waiting items, and of two Adds the later one counts."""

import threading
from time import monotonic


class PriorityQueue:
    def __init__(self, rate_limiter=None):
        self._changed = threading.Condition()
        self._limiter = rate_limiter
        self._waiting, self._processing = {}, set()
        self._down = False

    def add_with_opts(self, item, *, priority=0, after=0.0, rate_limited=False):
        if rate_limited and self._limiter is not None:
            after = self._limiter.when(item)
        with self._changed:
            if not self._down:
                self._waiting[item] = priority, monotonic() + after
                self._changed.notify()

    def get_with_priority(self):
        """Wait for an item: (item, priority, False), or (None, 0, True) after a shutdown."""
        with self._changed:
            while not self._down:
                due = self._due()
                if due:
                    item = max(due, key=lambda item: self._waiting[item][0])
                    priority, _ = self._waiting.pop(item)
                    self._processing.add(item)
                    return item, priority, False
                self._changed.wait(self._until_next())
            return None, 0, True

    def done(self, item):
        with self._changed:
            self._processing.discard(item)
            self._changed.notify()

    def __len__(self):
        return len(self._due())

    def shut_down(self):
        with self._changed:
            self._down = True
            self._changed.notify_all()

    def _due(self):
        now = monotonic()
        free = [item for item in self._waiting if item not in self._processing]
        return [item for item in free if self._waiting[item][1] <= now]

    def _until_next(self):
        later = [at for item, (_, at) in self._waiting.items() if item not in self._processing]
        return min(later) - monotonic() if later else None
