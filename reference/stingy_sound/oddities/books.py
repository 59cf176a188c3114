"""Common parts of the oddities: the state of a queue, and the plainest queue around it.

The state, ``Books``, has neither locks nor threads. An oddity adds these: how calls exclude each
other, how a Get waits, and how delays are timed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterator
from contextlib import AbstractContextManager
from heapq import heappop, heappush
from itertools import count
from threading import Condition, Event, Lock, RLock, Thread
from time import monotonic
from typing import Any
from weakref import ref

Answer = tuple[Hashable | None, bool]
"""What a Get returns: an item, and True if the queue is shut down and empty."""

GO_HOME: Answer = (None, True)

NEVER = float("inf")


class Books:
    """State of a queue: its line, the dirty items, those in processing, and the shutdown."""

    def __init__(self) -> None:
        self.line: Any = deque()
        self.dirty: set[Hashable] = set()
        self.processing: set[Hashable] = set()
        self.closed = False

    def add(self, item: Hashable) -> bool:
        """Add an item. Return True if workers can now take one more item."""
        if self.closed or item in self.dirty:
            return False
        self.dirty.add(item)
        if item in self.processing:
            return False
        self.line.append(item)
        return True

    def take(self) -> Answer | None:
        """Return the answer of a Get; None if it has to wait."""
        if not self.line:
            return GO_HOME if self.closed else None
        item = self.line.popleft()
        self.dirty.discard(item)
        self.processing.add(item)
        return item, False

    def finish(self, item: Hashable) -> bool:
        """Mark an item as processed. Return True if workers can now take one more item."""
        self.processing.discard(item)
        if item not in self.dirty:
            return False
        self.line.append(item)
        return True

    def close(self) -> None:
        self.closed = True

    def __len__(self) -> int:
        return len(self.line)


class Deadlines:
    """Deadlines of delayed items; the earliest deadline of an item counts."""

    def __init__(self) -> None:
        self._at: dict[Hashable, float] = {}
        self._heap: list[tuple[float, int, Hashable]] = []
        self._entries = count()

    def ask(self, item: Hashable, at: float) -> bool:
        """Set a deadline, unless the item has one that is not later. Return True if it was set."""
        if self._at.get(item, NEVER) <= at:
            return False
        self._at[item] = at
        heappush(self._heap, (at, next(self._entries), item))
        return True

    def due(self, now: float) -> Iterator[Hashable]:
        """Remove and yield all items that are due at the time ``now``, soonest first."""
        while self._heap and self._heap[0][0] <= now:
            at, _, item = heappop(self._heap)
            if self._at.get(item) == at:
                del self._at[item]
                yield item

    @property
    def next(self) -> float | None:
        return self._heap[0][0] if self._heap else None

    def clear(self) -> None:
        self._at.clear()
        self._heap.clear()


class Plain:
    """A work queue with one lock, of any kind, and a condition on it. Each method is atomic."""

    def __init__(self, lock: Any = None) -> None:
        self._books = Books()
        self._lock: Any = Lock() if lock is None else lock
        self._changed: Any = Condition(self._lock)

    def add(self, item: Hashable) -> None:
        with self._alone():
            if self._books.add(item):
                self._wake()

    def get(self) -> Answer:
        with self._alone():
            while (answer := self._books.take()) is None:
                self._wait()
            return answer

    def done(self, item: Hashable) -> None:
        with self._alone():
            if self._books.finish(item):
                self._wake()

    def __len__(self) -> int:
        with self._alone():
            return len(self._books)

    def shut_down(self) -> None:
        with self._alone():
            self._books.close()
            self._wake_all()

    def shutting_down(self) -> bool:
        with self._alone():
            return self._books.closed

    def _alone(self) -> AbstractContextManager[Any]:
        """Return a context manager that excludes all other threads."""
        return self._lock  # type: ignore[no-any-return]

    def _wait(self) -> None:
        """Release the lock, and take it again when woken."""
        self._changed.wait()

    def _wake(self) -> None:
        self._changed.notify()

    def _wake_all(self) -> None:
        self._changed.notify_all()


class Parking(Plain):
    """Each waiting worker waits at its own event; the one that has waited longest is woken."""

    def __init__(self, lock: Any = None) -> None:
        super().__init__(lock)
        self._parked: deque[Any] = deque()

    def _wait(self) -> None:
        spot = self._new_spot()
        self._parked.append(spot)
        self._lock.release()
        try:
            spot.wait()
        finally:
            self._lock.acquire()

    def _new_spot(self) -> Any:
        return Event()

    def _wake(self) -> None:
        if self._parked:
            self._parked.popleft().set()

    def _wake_all(self) -> None:
        while self._parked:
            self._wake()


class Delaying(Plain):
    """A work queue with delays. A clerk thread adds due items; it starts with the first delay."""

    def __init__(self, lock: Any = None) -> None:
        super().__init__(lock)
        self._deadlines = Deadlines()
        self._sooner: Any = Condition(self._lock)
        self._clerk: Any = None

    def add_after(self, item: Hashable, seconds: float) -> None:
        if seconds <= 0:
            self.add(item)
            return
        with self._alone():
            if not self._books.closed and self._deadlines.ask(item, self._now() + seconds):
                if self._clerk is None:
                    self._clerk = self._hire()
                self._hurry()

    def shut_down(self) -> None:
        super().shut_down()
        with self._alone():
            self._deadlines.clear()
            self._hurry()

    def _now(self) -> float:
        return monotonic()

    def _hire(self) -> Any:
        clerk = Thread(target=self._keep_looking, name="clerk", daemon=True)
        clerk.start()
        return clerk

    def _hurry(self) -> None:
        """Wake the clerk, because the deadlines have changed or the queue is shut down."""
        self._sooner.notify_all()

    def _rest(self, seconds: float | None) -> None:
        """Release the lock until the clerk is woken, or for ``seconds``.

        None stands for no time-out.
        """
        self._sooner.wait(seconds)

    def _keep_looking(self) -> None:
        with self._alone():
            while not self._books.closed:
                self._add_what_is_due()
                soonest = self._deadlines.next
                self._rest(None if soonest is None else soonest - self._now())

    def _add_what_is_due(self) -> None:
        for item in self._deadlines.due(self._now()):
            if self._books.add(item):
                self._wake()


class Asking:
    """A work queue that passes each call on to its books.

    A subclass defines how it does so, and how Get waits.
    """

    def add(self, item: Hashable) -> None:
        self._ask(lambda books: books.add(item))

    def done(self, item: Hashable) -> None:
        self._ask(lambda books: books.finish(item))

    def __len__(self) -> int:
        return int(self._ask(len))

    def shut_down(self) -> None:
        self._ask(Books.close)

    def shutting_down(self) -> bool:
        return bool(self._ask(lambda books: books.closed))

    def _ask(self, call: Callable[[Books], Any]) -> Any:
        """Call ``call`` with the books, and return its result."""
        raise NotImplementedError


class Ringing(Plain):
    """A work queue with delays that a subclass times; the earliest deadline of an item counts."""

    def __init__(self) -> None:
        super().__init__()
        self._earliest: dict[Hashable, float] = {}

    def add_after(self, item: Hashable, seconds: float) -> None:
        if seconds <= 0:
            self.add(item)
            return
        with self._lock:
            at = monotonic() + seconds
            if not self._books.closed and self._earliest.get(item, NEVER) > at:
                self._earliest[item] = at
                self._set(item, at)

    def _set(self, item: Hashable, at: float) -> None:
        """Let another thread call ``_ring`` at the time ``at``, in seconds of ``monotonic``."""
        raise NotImplementedError

    def _ring(self, item: Hashable, at: float) -> None:
        with self._lock:
            if self._earliest.get(item) == at and not self._books.closed:
                del self._earliest[item]
                if self._books.add(item):
                    self._wake()


class Clerk:
    """A thread that adds delayed items to queues, which it references weakly.

    It starts with the first delay.
    """

    def __init__(self) -> None:
        # Reentrant, because a finalizer calls close, and may run in a thread that holds this lock.
        self._news = Condition(RLock())
        self._heap: list[tuple[float, int, ref[Ringing], Hashable]] = []
        self._numbers = count()
        self._thread: Thread | None = None
        self._closed = False

    def call(self, at: float, queue: ref[Ringing], item: Hashable) -> None:
        with self._news:
            heappush(self._heap, (at, next(self._numbers), queue, item))
            if self._thread is None:
                self._thread = Thread(target=self._keep_looking, daemon=True)
                self._thread.start()
            self._news.notify()

    def close(self) -> None:
        with self._news:
            self._closed = True
            self._news.notify()

    def _keep_looking(self) -> None:
        while self._ring_the_next():
            pass  # each call drops its references to the queue and the item

    def _ring_the_next(self) -> bool:
        with self._news:
            while not self._closed and (not self._heap or self._heap[0][0] > monotonic()):
                self._news.wait(self._heap[0][0] - monotonic() if self._heap else None)
            if self._closed:
                return False
            at, _, queue_then, item = heappop(self._heap)
        queue = queue_then()
        if queue is not None:
            queue._ring(item, at)
        return True
