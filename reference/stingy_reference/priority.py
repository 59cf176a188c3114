"""The priority queue: what is urgent is handed out first."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from heapq import heappop, heappush
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


class PriorityQueue:
    """A work queue in which an item has a priority, the higher the sooner, and a time before which it waits.

    Added again before it is handed out, an item keeps the higher priority and the earlier time. While it
    is in processing it is not handed out again; an Add then is for the next time.
    """

    def __init__(self, rate_limiter: RateLimiter | None = None) -> None:
        self._lock = Lock()
        self._changed = Condition(self._lock)
        self._sooner = Condition(self._lock)
        self._limiter = default_controller_rate_limiter() if rate_limiter is None else rate_limiter
        self._entries: dict[Hashable, Entry] = {}
        self._ready: list[tuple[int, int, Entry]] = []
        """What a worker can take, the most urgent first; an entry that has moved on since is skipped."""
        self._waiting: list[tuple[float, int, Entry]] = []
        """What is not ready yet, the soonest first; likewise."""
        self._processing: set[Hashable] = set()
        self._places = count()
        self._shutting_down = False
        self._clerk: Thread | None = None
        """Makes ready what is due."""

    def add(self, item: Hashable) -> None:
        """Say that the item has to be processed; ignored after a shutdown."""
        self.add_with_opts(item)

    def add_after(self, item: Hashable, seconds: float) -> None:
        """Say that the item has to be processed when so much time has passed."""
        self.add_with_opts(item, after=seconds)

    def add_rate_limited(self, item: Hashable) -> None:
        """Say that the item has to be processed when the rate limiter says so."""
        self.add_with_opts(item, rate_limited=True)

    def add_with_opts(
        self, item: Hashable, *, priority: int = 0, after: float = 0.0, rate_limited: bool = False
    ) -> None:
        """Say that the item has to be processed: how urgently, and when at the earliest.

        Rate limited, it is ready when its rate limiter says so, or after ``after`` if that is sooner.
        """
        if rate_limited:
            delay = self._limiter.when(item)
            after = min(delay, after) if after else delay
        with self._lock:
            if self._shutting_down:
                return
            ready_at = monotonic() + after if after > 0 else READY
            entry = self._entries.get(item)
            if entry is None:
                entry = self._entries[item] = Entry(item, priority, ready_at, next(self._places))
            elif priority <= entry.priority and ready_at >= entry.ready_at:
                return
            else:
                if priority > entry.priority or not entry.ready:
                    entry.place = next(self._places)
                entry.priority = max(priority, entry.priority)
                entry.ready_at = min(ready_at, entry.ready_at)
            self._line_up(entry)

    def get(self) -> tuple[Hashable | None, bool]:
        """Wait for an item to process: ``(item, False)``, or ``(None, True)`` when it is time to go home."""
        item, _, shutdown = self.get_with_priority()
        return item, shutdown

    def get_with_priority(self) -> tuple[Hashable | None, int, bool]:
        """The same, and the priority of the item, with which it may be added again."""
        with self._lock:
            while (entry := self._next()) is None and not self._shutting_down:
                self._changed.wait()
            if entry is None:
                return None, 0, True
            heappop(self._ready)
            del self._entries[entry.item]
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
            return sum(entry.ready and item not in self._processing for item, entry in self._entries.items())

    def forget(self, item: Hashable) -> None:
        """Let the rate limiter forget its failures."""
        self._limiter.forget(item)

    def num_requeues(self, item: Hashable) -> int:
        """How often the item was added rate limited since it was forgotten."""
        return self._limiter.num_requeues(item)

    def shut_down(self) -> None:
        """Refuse new items; workers go home once all that is ready has been handed out."""
        with self._lock:
            self._shutting_down = True
            self._changed.notify_all()
            self._sooner.notify()

    def shutting_down(self) -> bool:
        """Whether a shutdown has been asked for."""
        with self._lock:
            return self._shutting_down

    def _line_up(self, entry: Entry) -> None:
        """Put it where it belongs now; a place that it had before is void."""
        if not entry.ready:
            heappush(self._waiting, (entry.ready_at, entry.place, entry))
            if self._clerk is None:
                self._clerk = Thread(target=self._make_ready, name="delayed adds", daemon=True)
                self._clerk.start()
            elif self._waiting[0][2] is entry:
                self._sooner.notify()
        elif entry.item not in self._processing:
            heappush(self._ready, (-entry.priority, entry.place, entry))
            self._changed.notify()

    def _next(self) -> Entry | None:
        """What is to be handed out next, which is then the first of those that are ready."""
        while self._ready:
            priority, place, entry = self._ready[0]
            if self._entries.get(entry.item) is entry and (-priority, place) == (entry.priority, entry.place):
                return entry
            heappop(self._ready)
        return None

    def _make_ready(self) -> None:
        with self._lock:
            while not self._shutting_down:
                now = monotonic()
                while self._waiting and self._waiting[0][0] <= now:
                    due, _, entry = heappop(self._waiting)
                    if self._entries.get(entry.item) is entry and entry.ready_at == due:
                        entry.ready_at, entry.place = READY, next(self._places)
                        self._line_up(entry)
                self._sooner.wait(self._waiting[0][0] - now if self._waiting else None)
