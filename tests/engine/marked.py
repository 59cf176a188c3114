"""A queue written with much of Python's syntax; each line with a scheduling point is marked."""

from collections import deque
from contextlib import contextmanager, suppress
from threading import Condition, Lock

LIMIT = 3
counted = 0


class Base:
    def __init__(self, *items):
        self._lock = Lock()  # point
        self._changed = Condition(self._lock)  # point
        self.items = deque(items)  # point
        self.held = {}  # point
        self.last = None  # point
        self.names = "a", "b"  # point

    def _stop(self):
        self.last = None  # point


class Marked(Base):
    __slots__ = ("extra",)

    def __init__(self, *items, extra=0):
        super().__init__(*items)  # point
        self.extra = extra  # point

    def add(self, item, *more, times=1):
        global counted  # noqa: PLW0603 - it is to have a point
        with self._lock:  # point
            counted += times  # point
            self.items.append(item)  # point
            self.items += more  # point
            if item not in self.held:  # point
                self._changed.notify()

    def get(self):
        with self._lock:  # point
            while not self.items:  # point
                self._changed.wait()
            first, *_ = self.items  # point
            self.held[first] = self.held.get(first, 0) + 1  # point
            self.last = first  # point
            return self.items.popleft(), self.extra  # point

    def done(self, item):
        try:
            del self.held[item]  # point
        except KeyError as error:  # point
            raise ValueError(f"nobody holds {item!r} of {self.held}") from error  # point
        finally:
            self.last = item  # point

    def look(self):
        several = [item for item in self.items if item]  # point
        pairs = {name: self.held.get(name) for name in self.names}  # point
        total = sum(count for count in self.held.values())  # point
        head, middle = self.names[0], self.names[1:]  # point
        if (found := self.last) is not None and found == head:  # point
            return several, pairs, total, middle
        match found:
            case str():  # point
                return [*several, found]  # point
            case (first, _):  # point
                return {**pairs, first: total}  # point
        return None if total < LIMIT else counted  # point

    def shut_down(self):
        with suppress(KeyError), self._lock:  # point
            self.extra += 1  # point
            self._stop()
            super()._stop()
            for item in list(self.items):  # point
                self.held.pop(item)  # point

    @contextmanager
    def borrowed(self):
        item, _ = self.get()  # point
        yield item
        self.done(item)  # point

    def counter(self):
        seen = 0  # point

        def count(by=1):
            nonlocal seen
            seen += by  # point
            return seen  # point

        return count

    async def fetch(self, source):
        async for item in source:
            self.add(item)  # point
        async with source as inner:  # point
            return await inner.next(self.last)  # point

    def __len__(self):
        return len(self.items)  # point
