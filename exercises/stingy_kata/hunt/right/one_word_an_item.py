"""It keeps a state for each item, and wakes all waiting workers at each change."""

from __future__ import annotations

from collections.abc import Hashable
from threading import Condition


class WorkQueue:
    def __init__(self) -> None:
        self._changed = Condition()
        self._is: dict[Hashable, str] = {}
        self._shutting_down = False

    def add(self, item: Hashable) -> None:
        with self._changed:
            if self._shutting_down:
                return
            if self._is.setdefault(item, "queued") == "processing":
                self._is[item] = "processing, and owed"
            self._changed.notify_all()

    def get(self) -> tuple[Hashable | None, bool]:
        with self._changed:
            while True:
                for item, now in self._is.items():
                    if now == "queued":
                        self._is[item] = "processing"
                        return item, False
                if self._shutting_down:
                    return None, True
                self._changed.wait()

    def done(self, item: Hashable) -> None:
        with self._changed:
            if self._is.pop(item, "") == "processing, and owed":
                self._is[item] = "queued"
            self._changed.notify_all()

    def __len__(self) -> int:
        with self._changed:
            return list(self._is.values()).count("queued")

    def shut_down(self) -> None:
        with self._changed:
            self._shutting_down = True
            self._changed.notify_all()

    def shutting_down(self) -> bool:
        with self._changed:
            return self._shutting_down
