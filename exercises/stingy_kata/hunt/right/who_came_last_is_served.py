"""It wakes the waiting worker that came last, because its caches are still warm."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable
from threading import Condition, Lock


class WorkQueue:
    def __init__(self) -> None:
        self._lock = Lock()
        self._waiting: list[Condition] = []
        self._queue: deque[Hashable] = deque()
        self._dirty: set[Hashable] = set()
        self._processing: set[Hashable] = set()
        self._shutting_down = False

    def add(self, item: Hashable) -> None:
        with self._lock:
            if self._shutting_down or item in self._dirty:
                return
            self._dirty.add(item)
            if item not in self._processing:
                self._queue.append(item)
                self._wake()

    def get(self) -> tuple[Hashable | None, bool]:
        with self._lock:
            while not self._queue and not self._shutting_down:
                me = Condition(self._lock)
                self._waiting.append(me)
                me.wait()
            if not self._queue:
                return None, True
            item = self._queue.popleft()
            self._dirty.discard(item)
            self._processing.add(item)
            return item, False

    def done(self, item: Hashable) -> None:
        with self._lock:
            self._processing.discard(item)
            if item in self._dirty:
                self._queue.append(item)
                self._wake()

    def __len__(self) -> int:
        with self._lock:
            return len(self._queue)

    def shut_down(self) -> None:
        with self._lock:
            self._shutting_down = True
            while self._waiting:
                self._wake()

    def _wake(self) -> None:
        if self._waiting:
            self._waiting.pop().notify()

    def shutting_down(self) -> bool:
        with self._lock:
            return self._shutting_down
