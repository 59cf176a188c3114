"""The work queue: a line of items to take, and two sets that prevent redundant processing."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable
from threading import Condition, Lock
from typing import Protocol

from stingy_reference.metrics import MetricsProvider, metrics_of


class Queue(Protocol):
    """Storage of the items that workers can take. It decides on their order.

    Its methods are called with the work queue's lock held, so never concurrently.
    """

    def touch(self, item: Hashable) -> None:
        """Note that an item that is already in here was added again."""

    def push(self, item: Hashable) -> None: ...

    def pop(self) -> Hashable: ...

    def __len__(self) -> int: ...


class Line(deque[Hashable]):
    """Storage that hands items out in the order in which they came."""

    push = deque.append
    pop = deque.popleft

    def touch(self, item: Hashable) -> None:
        """Do nothing: the item keeps its place."""


class WorkQueue:
    """A queue of items to process, each by one worker at a time.

    An item may be added any number of times. It is processed once for all the Adds before its Get,
    and once more if there are Adds between its Get and its Done.

    ``queue`` stores the items that can be taken; the default is a ``Line``. A queue with a ``name``
    reports to ``metrics``.
    """

    def __init__(
        self, *, queue: Queue | None = None, metrics: MetricsProvider | None = None, name: str = ""
    ) -> None:
        # One lock for everything makes each method atomic. A thread that waits releases it, and
        # checks its condition again when it is woken.
        self._lock = Lock()
        self._changed = Condition(self._lock)
        self._idle = Condition(self._lock)
        self._queue: Queue = Line() if queue is None else queue
        """Items that a worker can take: dirty, and not in processing."""
        self._dirty: set[Hashable] = set()
        """Items that have to be processed, or processed again."""
        self._processing: set[Hashable] = set()
        """Items that workers hold. Done puts an item that is dirty, too, into the queue again."""
        self._shutting_down = False
        self._draining = False
        self._metrics = metrics_of(metrics, name)

    def add(self, item: Hashable) -> None:
        """Mark the item as to be processed; ignored after a shutdown."""
        with self._lock:
            if self._shutting_down:
                return
            if item in self._dirty:
                if item not in self._processing:
                    self._queue.touch(item)
                return
            self._dirty.add(item)
            self._metrics.added(item)
            if item not in self._processing:
                self._enqueue(item)

    def get(self) -> tuple[Hashable | None, bool]:
        """Wait for an item to process.

        Return ``(item, False)``, or ``(None, True)`` if the queue is shut down and empty. The
        caller must call ``done`` with the item.
        """
        with self._lock:
            while not self._queue and not self._shutting_down:
                self._changed.wait()
            if not self._queue:
                return None, True
            item = self._queue.pop()
            # From here on, an Add is news: the worker may have read the state before it.
            self._dirty.remove(item)
            self._processing.add(item)
            self._metrics.taken(item)
            return item, False

    def done(self, item: Hashable) -> None:
        """Mark the item as processed; it is queued again if it was added in the meantime."""
        with self._lock:
            if item not in self._processing:
                return  # nobody holds it: to queue it here would let two workers have it
            self._processing.remove(item)
            self._metrics.finished(item)
            if item in self._dirty:
                self._enqueue(item)
            if not self._processing:
                self._idle.notify_all()

    def __len__(self) -> int:
        """Return the number of items that workers can take now."""
        with self._lock:
            return len(self._queue)

    def shut_down(self) -> None:
        """Refuse new items, and end a waiting ``shut_down_with_drain``.

        Each ``get`` ends once the queue is empty.
        """
        with self._lock:
            self._draining = False
            self._stop()

    def shut_down_with_drain(self) -> None:
        """Shut down, and wait until no item is in processing, or until ``shut_down`` is called."""
        with self._lock:
            self._draining = True
            self._stop()
            while self._processing and self._draining:
                self._idle.wait()

    def shutting_down(self) -> bool:
        """Return True if the queue has been shut down, even if it still has items."""
        with self._lock:
            return self._shutting_down

    def _enqueue(self, item: Hashable) -> None:
        self._queue.push(item)
        self._changed.notify()

    def _stop(self) -> None:
        self._shutting_down = True
        self._metrics.stop()
        self._changed.notify_all()
        self._idle.notify_all()
