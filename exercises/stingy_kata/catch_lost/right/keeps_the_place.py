"""It queues an item at each Add, even if a worker has it: Len counts it, and Get skips it."""

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

    def add(self, item: Hashable) -> None:
        with self._changed:
            if item not in self._dirty:
                self._dirty.add(item)
                self._queue.append(item)
                self._changed.notify()

    def get(self) -> tuple[Hashable | None, bool]:
        with self._changed:
            while (item := next((it for it in self._queue if it not in self._processing), None)) is None:
                self._changed.wait()
            self._queue.remove(item)
            self._dirty.discard(item)
            self._processing.add(item)
            return item, False

    def done(self, item: Hashable) -> None:
        with self._changed:
            self._processing.discard(item)
            self._changed.notify()

    def __len__(self) -> int:
        with self._changed:
            return len(self._queue)

    def shut_down(self) -> None: ...

    def shutting_down(self) -> bool:
        return False
