"""The priority queue: hands out items with a higher priority first."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import count
from threading import TIMEOUT_MAX, Condition, Lock, Thread
from time import monotonic

from stingy_reference.limiters import RateLimiter, default_controller_rate_limiter


@dataclass(eq=False)
class Entry:
    """An item that is to be handed out once, even if it is added several times before that."""

    item: Hashable
    priority: int
    ready_at: float
    """Earliest time to hand it out, in seconds of the monotonic clock; ``READY`` if it is ready."""
    place: int
    """Serial number that orders entries of equal priority or time, lowest first."""

    @property
    def ready(self) -> bool:
        return self.ready_at == READY


READY = float("-inf")

Record = tuple[float, int, Entry]
"""Element of a heap: key, place, entry. It is void if the entry's place has changed since."""

SLACK = 16
"""Number of void records that may stay in a heap, because removing fewer is not worth the work."""


class UrgentFirst:
    """A queue whose items have a priority, and a time before which they are not handed out.

    Items with a higher priority are handed out first. An item that is added again before it is
    handed out gets the higher of its priorities and the earlier of its times. One that is added
    while it is in processing is handed out again after its Done.
    """

    def __init__(self, rate_limiter: RateLimiter | None = None) -> None:
        self._lock = Lock()
        self._changed = Condition(self._lock)
        self._sooner = Condition(self._lock)
        self._limiter = default_controller_rate_limiter() if rate_limiter is None else rate_limiter
        self._entries: dict[Hashable, Entry] = {}
        self._takeable: set[Hashable] = set()
        """Items that workers can take now."""
        self._ready: list[Record] = []
        """Heap of the records of takeable items, highest priority first."""
        self._waiting: list[Record] = []
        """Heap of records of items that are not ready yet, soonest first."""
        self._processing: set[Hashable] = set()
        self._places = count()
        self._shutting_down = False
        self._clerk: Thread | None = None
        """Thread that makes items ready at their times; None until the first delay."""

    def add_with_opts(
        self, item: Hashable, *, priority: int = 0, after: float = 0.0, rate_limited: bool = False
    ) -> None:
        """Mark the item as to be processed, with a priority, after at least ``after`` seconds.

        With ``rate_limited``, the delay is that of the rate limiter, or ``after`` if that is not 0
        and shorter. Ignored after a shutdown.
        """
        if self.shutting_down():
            return
        delay = self._limited(item, after) if rate_limited else after
        with self._lock:
            if self._shutting_down:
                return
            ready_at = monotonic() + min(delay, TIMEOUT_MAX) if delay > 0 else READY
            entry = self._entries.get(item)
            if entry is None:
                entry = self._entries[item] = Entry(item, priority, ready_at, next(self._places))
                self._line_up(entry)
            elif priority > entry.priority or ready_at < entry.ready_at:
                self._merge(entry, priority, ready_at)
                self._line_up(entry)

    def add_all_with_opts(
        self,
        items: Iterable[Hashable],
        *,
        priority: int = 0,
        after: float = 0.0,
        rate_limited: bool = False,
    ) -> None:
        """Call ``add_with_opts`` for each item."""
        for item in items:
            self.add_with_opts(item, priority=priority, after=after, rate_limited=rate_limited)

    def get_with_priority(self) -> tuple[Hashable | None, int, bool]:
        """Wait for an item to process.

        Return ``(item, priority, False)``, or ``(None, 0, True)`` if the queue is shut down and no
        item is ready. The caller may add the item again with that priority.
        """
        with self._lock:
            while not self._takeable and not self._shutting_down:
                self._changed.wait()
            if not self._takeable:
                return None, 0, True
            entry = self._take()
            self._processing.add(entry.item)
            return entry.item, entry.priority, False

    def done(self, item: Hashable) -> None:
        """Mark the item as processed; it is queued again if it was added in the meantime."""
        with self._lock:
            if item not in self._processing:
                return
            self._processing.remove(item)
            entry = self._entries.get(item)
            if entry is not None and entry.ready:
                self._line_up(entry)

    def __len__(self) -> int:
        """Return the number of items that workers can take now."""
        with self._lock:
            return len(self._takeable)

    def shut_down(self) -> None:
        """Refuse new items, and drop those that are not ready yet.

        Each ``get`` ends once all ready items have been handed out.
        """
        with self._lock:
            self._shutting_down = True
            self._entries = {item: entry for item, entry in self._entries.items() if entry.ready}
            self._waiting.clear()
            self._changed.notify_all()
            self._sooner.notify()

    def shutting_down(self) -> bool:
        """Return True if the queue has been shut down, even if it still has items."""
        with self._lock:
            return self._shutting_down

    def _limited(self, item: Hashable, after: float) -> float:
        delay = self._limiter.when(item)
        return min(delay, after) if after else delay

    def _merge(self, entry: Entry, priority: int, ready_at: float) -> None:
        """Give the entry the higher priority and the earlier time.

        It goes behind the entries of the same priority.
        """
        entry.priority = max(priority, entry.priority)
        entry.ready_at = min(ready_at, entry.ready_at)
        entry.place = next(self._places)

    def _line_up(self, entry: Entry) -> None:
        """Put the entry into the heap where it belongs now. An earlier record of it is void.

        A ready entry whose item is in processing is in no heap until its Done.
        """
        if not entry.ready:
            self._record(self._waiting, (entry.ready_at, entry.place, entry))
            if self._clerk is None:
                self._clerk = Thread(target=self._make_ready, name="delayed adds", daemon=True)
                self._clerk.start()
            elif self._waiting[0][2] is entry:
                self._sooner.notify()
        elif entry.item not in self._processing:
            self._takeable.add(entry.item)
            self._record(self._ready, (-entry.priority, entry.place, entry))
            self._changed.notify()

    def _take(self) -> Entry:
        """Remove and return the ready entry with the highest priority. There must be one."""
        while not self._stands(record := heappop(self._ready)):
            pass
        entry = record[2]
        del self._entries[entry.item]
        self._takeable.remove(entry.item)
        return entry

    def _make_ready(self) -> None:
        with self._lock:
            while not self._shutting_down:
                now = monotonic()
                while self._waiting and self._waiting[0][0] <= now:
                    record = heappop(self._waiting)
                    if self._stands(record):
                        self._become_ready(record[2])
                self._sooner.wait(self._waiting[0][0] - now if self._waiting else None)

    def _become_ready(self, entry: Entry) -> None:
        """Make the entry ready, behind those of its priority that were ready before."""
        entry.ready_at, entry.place = READY, next(self._places)
        self._line_up(entry)

    def _record(self, heap: list[Record], record: Record) -> None:
        """Push a record. If most records of the heap may be void, remove all void ones.

        Otherwise, void records are skipped when they are popped.
        """
        heappush(heap, record)
        if len(heap) > 2 * len(self._entries) + SLACK:
            heap[:] = filter(self._stands, heap)
            heapify(heap)

    def _stands(self, record: Record) -> bool:
        _, place, entry = record
        return entry.place == place


class PriorityQueue(UrgentFirst):
    """A priority queue with the methods of a rate-limiting work queue. Its Adds have priority 0."""

    def add(self, item: Hashable) -> None:
        """Mark the item as to be processed; ignored after a shutdown."""
        self.add_with_opts(item)

    def add_after(self, item: Hashable, seconds: float) -> None:
        """Mark the item as to be processed after so many seconds."""
        self.add_with_opts(item, after=seconds)

    def add_rate_limited(self, item: Hashable) -> None:
        """Mark the item as to be processed after the delay of the rate limiter."""
        self.add_with_opts(item, rate_limited=True)

    def get(self) -> tuple[Hashable | None, bool]:
        """Wait for an item to process.

        Return ``(item, False)``, or ``(None, True)`` if the queue is shut down and no item is
        ready.
        """
        item, _, shutdown = self.get_with_priority()
        return item, shutdown

    def forget(self, item: Hashable) -> None:
        """Reset the item's failures in the rate limiter."""
        self._limiter.forget(item)

    def num_requeues(self, item: Hashable) -> int:
        """Return how often the item was added with ``rate_limited`` since it was forgotten."""
        return self._limiter.num_requeues(item)
