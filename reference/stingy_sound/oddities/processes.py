"""Locks and pipes that processes can share, and a line in another process."""

from __future__ import annotations

import multiprocessing
from collections import deque
from collections.abc import Hashable
from functools import cache
from typing import Any

from stingy_sound.oddities.books import Answer, Plain


class ConditionOfProcesses(Plain):
    """Waits at a ``multiprocessing.Condition``, which is made of the system's semaphores."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = self._changed = multiprocessing.Condition()


class TellsThroughAPipe(Plain):
    """Each waiting worker has a ``multiprocessing.Pipe``.

    It is sent the index of its answer in a list of the same process.
    """

    def __init__(self) -> None:
        super().__init__()
        self._waiting: deque[tuple[Any, list[Answer]]] = deque()

    def get(self) -> Answer:
        with self._lock:
            if answer := self._books.take():
                return answer
            here, there = multiprocessing.Pipe(duplex=False)
            given: list[Answer] = []
            self._waiting.append((there, given))
        with here, there:
            number: int = here.recv()
            return given[number]

    def _wake(self) -> None:
        while self._waiting and (answer := self._books.take()):
            there, given = self._waiting.popleft()
            given.append(answer)
            there.send(0)

    def _wake_all(self) -> None:
        self._wake()


@cache
def _manager() -> Any:
    """Return the manager process of all queues of this module, which starts at the first call."""
    return multiprocessing.Manager()


class KeptByAManager(Plain):
    """The line is a list in a manager process. It contains numbers, which stand for the items."""

    class _Line:
        def __init__(self) -> None:
            self._items: dict[int, Hashable] = {}
            self._last = 0
            self._numbers = _manager().list()

        def append(self, item: Hashable) -> None:
            self._last += 1
            self._items[self._last] = item
            self._numbers.append(self._last)

        def popleft(self) -> Hashable:
            return self._items.pop(self._numbers.pop(0))

        def __len__(self) -> int:
            return len(self._numbers)

    def __init__(self) -> None:
        super().__init__()
        self._books.line = self._Line()


SOUND: tuple[type[Any], ...] = (ConditionOfProcesses, TellsThroughAPipe, KeptByAManager)
