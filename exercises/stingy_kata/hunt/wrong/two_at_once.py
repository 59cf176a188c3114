"""Its users say that all is well at night, and that by day, now and then, two workers have the same object."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable
from threading import Condition


class WorkQueue:
    def __init__(self) -> None:
        self._changed = Condition()
        self._queue: deque[Hashable] = deque()
        self._dirty: set[Hashable] = set()
        self._processing: set[Hashable] = set()
        self._shutting_down = False

    def add(self, item: Hashable) -> None:
        with self._changed:
            if self._shutting_down or item in self._dirty:
                return
            self._dirty.add(item)
            if item not in self._processing:
                self._queue.append(item)
                self._changed.notify()

    def get(self) -> tuple[Hashable | None, bool]:
        with self._changed:
            while not self._queue and not self._shutting_down:
                self._changed.wait()
            if not self._queue:
                return None, True
            item = self._queue.popleft()
            self._dirty.discard(item)
            self._processing.add(item)
            return item, False

    def done(self, item: Hashable) -> None:
        with self._changed:
            self._processing.discard(item)
            for owed in sorted(self._dirty - set(self._queue), key=repr):
                self._queue.append(owed)
                self._changed.notify()

    def __len__(self) -> int:
        with self._changed:
            return len(self._queue)

    def shut_down(self) -> None:
        with self._changed:
            self._shutting_down = True
            self._changed.notify_all()

    def shutting_down(self) -> bool:
        with self._changed:
            return self._shutting_down
