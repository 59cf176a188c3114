"""Other things to keep items in, and objects that are kept weakly."""

from __future__ import annotations

import gc
from collections import OrderedDict
from collections.abc import Hashable
from threading import Condition, Lock, Thread
from time import monotonic
from typing import Any
from weakref import finalize, ref

from stingy_sound.oddities.books import GO_HOME, Answer, Deadlines, Plain


class OneDictionary:
    """One OrderedDict is all: an item is in it, in its order, while anything is known of it."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._known: OrderedDict[Hashable, tuple[bool, bool]] = OrderedDict()
        """Whether it is dirty, and whether it is processing."""
        self._closed = False

    def add(self, item: Hashable) -> None:
        with self._changed:
            if not self._closed:
                _, processing = self._known.get(item, (False, False))
                self._known[item] = True, processing
                self._changed.notify()

    def get(self) -> Answer:
        with self._changed:
            while True:
                for item, (_, processing) in self._known.items():
                    if not processing:
                        self._known[item] = False, True
                        return item, False
                if self._closed:
                    return GO_HOME
                self._changed.wait()

    def done(self, item: Hashable) -> None:
        with self._changed:
            dirty, processing = self._known.get(item, (False, False))
            if dirty and processing:
                self._known[item] = True, False
                self._known.move_to_end(item)
                self._changed.notify()
            elif processing:
                del self._known[item]

    def __len__(self) -> int:
        with self._changed:
            return sum(not processing for _, processing in self._known.values())

    def shut_down(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def shutting_down(self) -> bool:
        with self._changed:
            return self._closed


class LinkedList(Plain):
    """The line is a list of nodes, each of which knows the next."""

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


class Ring(Plain):
    """The line is a ring of four places, twice as many each time that it is full; what was taken is wiped out."""

    class _Line:
        def __init__(self) -> None:
            self._places: list[Hashable] = [None] * 4
            self._first = self._length = 0

        def append(self, item: Hashable) -> None:
            size = len(self._places)
            if self._length == size:
                self._places = [self._places[(self._first + n) % size] for n in range(size)] + [None] * size
                self._first, size = 0, 2 * size
            self._places[(self._first + self._length) % size] = item
            self._length += 1

        def popleft(self) -> Hashable:
            item, self._places[self._first] = self._places[self._first], None
            self._first = (self._first + 1) % len(self._places)
            self._length -= 1
            return item

        def __len__(self) -> int:
            return self._length

    def __init__(self) -> None:
        super().__init__()
        self._books.line = self._Line()


class LeavesWithItsQueue(Plain):
    """The clerk knows the queue only weakly, and is sent home by its finalizer when nobody has it any more."""

    def __init__(self) -> None:
        super().__init__()
        self._office = _Office()
        self._send_home = finalize(self, self._office.close)
        self._begun = False

    def add_after(self, item: Hashable, seconds: float) -> None:
        if seconds <= 0:
            self.add(item)
            return
        with self._lock:
            if self._books.closed:
                return
            if not self._begun:
                self._begun = True
                Thread(target=_watch, args=(self._office, ref(self)), daemon=True).start()
        self._office.ask(item, monotonic() + seconds)

    def shut_down(self) -> None:
        super().shut_down()
        self._send_home()


class _Office:
    """Where the clerk of a queue works, which outlives it."""

    def __init__(self) -> None:
        self._deadlines = Deadlines()
        # A finalizer may run anywhere, also with this lock in the hand of its thread.
        self._news = Condition()
        self._closed = False

    def ask(self, item: Hashable, at: float) -> None:
        with self._news:
            if self._deadlines.ask(item, at):
                self._news.notify()

    def due(self) -> list[Hashable] | None:
        """What is due, once anything is; None if there will be nothing more."""
        with self._news:
            while not self._closed:
                if due := list(self._deadlines.due(monotonic())):
                    return due
                soonest = self._deadlines.next
                self._news.wait(None if soonest is None else soonest - monotonic())
            return None

    def close(self) -> None:
        with self._news:
            self._closed = True
            self._news.notify()


def _watch(office: _Office, queue_then: ref[LeavesWithItsQueue]) -> None:
    while (due := office.due()) is not None:
        for item in due:
            queue = queue_then()
            if queue is not None:
                queue.add(item)
            del queue


class InACycle(Plain):
    """A queue and its parts know each other, with ``__del__`` for the end: what only a cycle holds goes with the cycle."""

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
    """Each shutdown collects the youngest garbage, with the lock in hand."""

    def shut_down(self) -> None:
        with self._lock:
            gc.collect(0)
            self._books.close()
            self._wake_all()


class CountsALot(Plain):
    """Honest work: each Add counts to 10,000, in what the queue shares with nobody."""

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
    """Honest work without the lock: each Add, Get and Done counts to 3,000, each in variables of its own."""

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
    *(OneDictionary, LinkedList, Ring, LeavesWithItsQueue, InACycle, CollectsAsItGoes, CountsALot),
    CountsForItself,
)
"""Each is sound; the rules must let each pass."""
