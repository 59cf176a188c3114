"""Two broken work queues, of kinds that ``stingy_broken`` does not have."""

from __future__ import annotations

from threading import Lock
from typing import Any

from stingy_reference import WorkQueue


class CountsInTwoLooks(WorkQueue):
    """Broken: Len reads two sets without the lock, and another thread may run between the two reads."""

    def __len__(self) -> int:
        dirty = len(self._dirty)
        return dirty - len(self._dirty & self._processing)


class MarksUnderAnotherLock(WorkQueue):
    """Broken: the dirty set and the queue have a lock each, so an item can be dirty but not yet queued."""

    def __init__(self) -> None:
        super().__init__()
        self._marks = Lock()

    def add(self, item: Any) -> None:
        with self._marks:
            if self._shutting_down or item in self._dirty:
                return
            self._dirty.add(item)
            held = item in self._processing
        if not held:
            with self._lock:
                self._enqueue(item)

    def get(self) -> tuple[Any, bool]:
        with self._lock:
            while not self._queue and not self._shutting_down:
                self._changed.wait()
            if not self._queue:
                return None, True
            item = self._queue.pop()
            with self._marks:
                self._dirty.discard(item)
                self._processing.add(item)
            return item, False

    def done(self, item: Any) -> None:
        with self._lock:
            with self._marks:
                self._processing.discard(item)
                again = item in self._dirty
            if again:
                self._enqueue(item)
            if not self._processing:
                self._idle.notify_all()
