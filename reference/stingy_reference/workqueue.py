"""The work queue: a line to take items from, and the two sets that make it stingy."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable
from threading import Condition, Lock
from typing import Protocol

from stingy_reference.metrics import MetricsProvider, metrics_of


class Queue(Protocol):
    """What keeps the items that a worker can take; its order is that of handing out.

    No two of its methods are ever called at once.
    """

    def touch(self, item: Hashable) -> None:
        """The item is in here, and was added once more."""

    def push(self, item: Hashable) -> None: ...

    def pop(self) -> Hashable: ...

    def __len__(self) -> int: ...


class Line(deque[Hashable]):
    """First come, first served."""

    push = deque.append
    pop = deque.popleft

    def touch(self, item: Hashable) -> None:
        """It keeps its place."""


class WorkQueue:
    """A queue of items to process, each by one worker at a time.

    An item may be added as often as something happens to it. It is processed once for all the Adds
    before its Get, and once more for all those between its Get and its Done.

    ``queue`` keeps the items that can be taken, instead of a plain line. A queue with a ``name`` tells
    ``metrics`` about itself.
    """

    def __init__(
        self, *, queue: Queue | None = None, metrics: MetricsProvider | None = None, name: str = ""
    ) -> None:
        # One lock for everything: each method is one step to all the others. Whoever waits, waits
        # for something else to become true, and looks again when woken.
        self._lock = Lock()
        self._changed = Condition(self._lock)
        self._idle = Condition(self._lock)
        self._queue: Queue = Line() if queue is None else queue
        """What a worker can take: dirty, and not in processing."""
        self._dirty: set[Hashable] = set()
        """What has to be processed (again)."""
        self._processing: set[Hashable] = set()
        """What a worker holds. It may be dirty too: then it goes into the queue at its Done."""
        self._shutting_down = False
        self._draining = False
        self._metrics = metrics_of(metrics, name)

    def add(self, item: Hashable) -> None:
        """Say that the item has to be processed; ignored after a shutdown."""
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
        """Wait for an item to process: ``(item, False)``, or ``(None, True)`` when it is time to go home.

        Whoever gets an item must call ``done`` with it.
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
        """Say that the item has been processed; it comes back if it was added in the meantime."""
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
        """How many items a worker could take now."""
        with self._lock:
            return len(self._queue)

    def shut_down(self) -> None:
        """Refuse new items; workers go home once the queue is empty. Ends the wait of a drain."""
        with self._lock:
            self._draining = False
            self._stop()

    def shut_down_with_drain(self) -> None:
        """Shut down, and wait until no item is in processing, or until somebody calls ``shut_down``."""
        with self._lock:
            self._draining = True
            self._stop()
            while self._processing and self._draining:
                self._idle.wait()

    def shutting_down(self) -> bool:
        """Whether a shutdown has been asked for."""
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
