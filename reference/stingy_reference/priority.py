"""The priority queue: what is urgent is handed out first."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import count
from threading import Condition, Lock, Thread
from time import monotonic

from stingy_reference.limiters import RateLimiter, default_controller_rate_limiter


@dataclass(eq=False)
class Entry:
    """An item that is to be handed out once, however often it is added before that."""

    item: Hashable
    priority: int
    ready_at: float
    """When it may be handed out; minus infinity if it may already."""
    place: int
    """Among those of its priority that are ready."""

    @property
    def ready(self) -> bool:
        return self.ready_at == READY


READY = float("-inf")

Record = tuple[float, int, Entry]
"""How soon an entry has its turn, its place, and the entry; void when the entry has another place by now."""

SLACK = 16
"""So many void records are not worth the work of throwing them out."""


class UrgentFirst:
    """A queue in which an item has a priority, the higher the sooner, and a time before which it waits.

    Added again before it is handed out, an item keeps the higher priority and the earlier time. While it
    is in processing it is not handed out again; an Add then is for the next time.
    """

    def __init__(self, rate_limiter: RateLimiter | None = None) -> None:
        self._lock = Lock()
        self._changed = Condition(self._lock)
        self._sooner = Condition(self._lock)
        self._limiter = default_controller_rate_limiter() if rate_limiter is None else rate_limiter
        self._entries: dict[Hashable, Entry] = {}
        self._takeable: set[Hashable] = set()
        """The items a worker could take now."""
        self._ready: list[Record] = []
        """The same, a heap with the most urgent first."""
        self._waiting: list[Record] = []
        """What is not ready yet, a heap with the soonest first."""
        self._processing: set[Hashable] = set()
        self._places = count()
        self._shutting_down = False
        self._clerk: Thread | None = None
        """Makes ready what is due."""

    def add_with_opts(
        self, item: Hashable, *, priority: int = 0, after: float = 0.0, rate_limited: bool = False
    ) -> None:
        """Say that the item has to be processed: how urgently, and when at the earliest.

        Rate limited, it is ready when its rate limiter says so, or after ``after`` if that is sooner.
        """
        if self.shutting_down():
            return
        delay = self._limited(item, after) if rate_limited else after
        with self._lock:
            if self._shutting_down:
                return
            ready_at = monotonic() + delay if delay > 0 else READY
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
        """Say so of each of several items."""
        for item in items:
            self.add_with_opts(item, priority=priority, after=after, rate_limited=rate_limited)

    def get_with_priority(self) -> tuple[Hashable | None, int, bool]:
        """Wait for an item to process: ``(item, priority, False)``, or ``(None, 0, True)`` when it is time to go home.

        With that priority it may be added again.
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
        """Say that the item has been processed; it comes back if it was added in the meantime."""
        with self._lock:
            if item not in self._processing:
                return
            self._processing.remove(item)
            entry = self._entries.get(item)
            if entry is not None and entry.ready:
                self._line_up(entry)

    def __len__(self) -> int:
        """How many items a worker could take now."""
        with self._lock:
            return len(self._takeable)

    def shut_down(self) -> None:
        """Refuse new items; workers go home once all that is ready has been handed out. What waits is dropped."""
        with self._lock:
            self._shutting_down = True
            self._entries = {item: entry for item, entry in self._entries.items() if entry.ready}
            self._waiting.clear()
            self._changed.notify_all()
            self._sooner.notify()

    def shutting_down(self) -> bool:
        """Whether a shutdown has been asked for."""
        with self._lock:
            return self._shutting_down

    def _limited(self, item: Hashable, after: float) -> float:
        delay = self._limiter.when(item)
        return min(delay, after) if after else delay

    def _merge(self, entry: Entry, priority: int, ready_at: float) -> None:
        """The higher priority and the earlier time. It goes to the end of those it now has its turn with."""
        entry.priority = max(priority, entry.priority)
        entry.ready_at = min(ready_at, entry.ready_at)
        entry.place = next(self._places)

    def _line_up(self, entry: Entry) -> None:
        """Put it where it belongs now; a place that it had before is void."""
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
        """Take out the most urgent of what is ready; there is something."""
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
        """Behind what has been ready for longer."""
        entry.ready_at, entry.place = READY, next(self._places)
        self._line_up(entry)

    def _record(self, heap: list[Record], record: Record) -> None:
        """Void records are skipped in their turn; where they have become the most, all of them go."""
        heappush(heap, record)
        if len(heap) > 2 * len(self._entries) + SLACK:
            heap[:] = filter(self._stands, heap)
            heapify(heap)

    def _stands(self, record: Record) -> bool:
        _, place, entry = record
        return entry.place == place


class PriorityQueue(UrgentFirst):
    """The same, as a work queue that can be told to add an item later."""

    def add(self, item: Hashable) -> None:
        """Say that the item has to be processed; ignored after a shutdown."""
        self.add_with_opts(item)

    def add_after(self, item: Hashable, seconds: float) -> None:
        """Say that the item has to be processed when so much time has passed."""
        self.add_with_opts(item, after=seconds)

    def add_rate_limited(self, item: Hashable) -> None:
        """Say that the item has to be processed when the rate limiter says so."""
        self.add_with_opts(item, rate_limited=True)

    def get(self) -> tuple[Hashable | None, bool]:
        """Wait for an item to process: ``(item, False)``, or ``(None, True)`` when it is time to go home."""
        item, _, shutdown = self.get_with_priority()
        return item, shutdown

    def forget(self, item: Hashable) -> None:
        """Let the rate limiter forget its failures."""
        self._limiter.forget(item)

    def num_requeues(self, item: Hashable) -> int:
        """How often the item was added rate limited since it was forgotten."""
        return self._limiter.num_requeues(item)
