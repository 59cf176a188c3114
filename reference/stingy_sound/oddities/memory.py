"""Unusual containers, weak references, finalizers and garbage collection."""

from __future__ import annotations

import gc
from collections.abc import Hashable
from threading import Lock
from typing import Any
from weakref import finalize, ref

from stingy_sound.oddities.books import Answer, Clerk, Plain, Ringing


class LinkedList(Plain):
    """The line is a linked list of nodes."""

    class _Node:
        __slots__ = ("item", "next")

        def __init__(self, item: Hashable) -> None:
            self.item = item
            self.next: LinkedList._Node | None = None

    class _Line:
        def __init__(self) -> None:
            self._last = self._before = LinkedList._Node(None)
            self._length = 0

        def append(self, item: Hashable) -> None:
            self._last.next = self._last = LinkedList._Node(item)
            self._length += 1

        def popleft(self) -> Hashable:
            first = self._before.next
            if first is None:
                raise IndexError("there is nothing to take")
            item, first.item = first.item, None
            self._before = first
            self._length -= 1
            return item

        def __len__(self) -> int:
            return self._length

    def __init__(self) -> None:
        super().__init__()
        self._books.line = self._Line()


class LeavesWithItsQueue(Ringing):
    """A thread times the delays, and references its queue weakly; the queue's finalizer ends it."""

    def __init__(self) -> None:
        super().__init__()
        self._clerk = Clerk()
        self._send_home = finalize(self, self._clerk.close)

    def _set(self, item: Hashable, at: float) -> None:
        self._clerk.call(at, ref(self), item)

    def shut_down(self) -> None:
        super().shut_down()
        self._send_home()


class InACycle(Plain):
    """The queue and its parts form a reference cycle, and the parts have a ``__del__``.

    Done raises an error if a part is finalized while the queue is still in use.
    """

    class _Part:
        def __init__(self, queue: InACycle) -> None:
            self.queue = queue
            self.lock = Lock()

        def __del__(self) -> None:
            with self.lock:
                self.queue.parts.clear()

    def __init__(self) -> None:
        super().__init__()
        self.parts = [self._Part(self) for _ in range(3)]

    def done(self, item: Hashable) -> None:
        for part in self.parts:
            with part.lock:
                if len(part.queue.parts) != 3:
                    raise RuntimeError("a part is missing, and somebody is still here")
        super().done(item)


class CollectsAsItGoes(Plain):
    """Each shutdown collects garbage of generation 0 with the lock held."""

    def shut_down(self) -> None:
        with self._lock:
            gc.collect(0)
            self._books.close()
            self._wake_all()


class CountsALot(Plain):
    """Each Add counts to 10,000 in an attribute, with the lock held."""

    def __init__(self) -> None:
        super().__init__()
        self._counted = [0]

    def add(self, item: Hashable) -> None:
        with self._lock:
            for _ in range(10_000):
                self._counted[0] += 1
            if self._books.add(item):
                self._wake()


class CountsForItself(Plain):
    """Each Add, Get and Done runs a loop of 3,000 rounds on local variables, without the lock."""

    def add(self, item: Hashable) -> None:
        _count()
        super().add(item)

    def get(self) -> Answer:
        answer = super().get()
        _count()
        return answer

    def done(self, item: Hashable) -> None:
        _count()
        super().done(item)


def _count() -> int:
    counted = {"all": 0}
    for n in range(3_000):
        counted["all"] += n
    return counted["all"]


SOUND: tuple[type[Any], ...] = (
    *(LinkedList, LeavesWithItsQueue, InACycle, CollectsAsItGoes, CountsALot, CountsForItself),
)
