"""Correct priority queues that work differently from the reference.

No rule may accuse them of a broken MUST. Some of them break a SHOULD.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Hashable
from dataclasses import dataclass
from itertools import count
from threading import Condition, Lock, Timer
from typing import Any

from stingy_reference.limiters import RateLimiter, default_controller_rate_limiter
from stingy_reference.priority import READY, Entry, UrgentFirst

Taken = tuple[Hashable | None, int, bool]


class DropsWhatIsReady(UrgentFirst):
    """A shutdown drops all items that were not handed out, even ready ones."""

    def shut_down(self) -> None:
        with self._lock:
            self._entries.clear()
            self._takeable.clear()
        super().shut_down()


class CountsWhatIsHeld(UrgentFirst):
    """Len counts a ready item even if a worker still holds it."""

    def __len__(self) -> int:
        with self._lock:
            return sum(entry.ready for entry in self._entries.values())


class ComesBackToTheTail(UrgentFirst):
    """An item that was added while in processing goes to the end at its Done, as in client-go."""

    def done(self, item: Hashable) -> None:
        with self._lock:
            entry = self._entries.get(item)
            if entry is not None and item in self._processing and entry.ready:
                entry.place = next(self._places)
        super().done(item)


class KeepsThePlaceOfADelayedAdd(UrgentFirst):
    """A delayed item keeps the place of its Add among items of its priority."""

    def _become_ready(self, entry: Entry) -> None:
        entry.ready_at = READY
        self._line_up(entry)


class AsksTheLimiterAlone(UrgentFirst):
    """A rate-limited Add ignores ``after``: the rate limiter alone sets the delay."""

    def _limited(self, item: Hashable, after: float) -> float:  # noqa: ARG002
        return self._limiter.when(item)


class WithTimers(UrgentFirst):
    """Has a timer for each delay, and no clerk thread."""

    def _line_up(self, entry: Entry) -> None:
        if entry.ready:
            super()._line_up(entry)
            return
        timer = Timer(entry.ready_at - time.monotonic(), self._due, (entry, entry.place))
        timer.daemon = True
        timer.start()

    def _due(self, entry: Entry, place: int) -> None:
        with self._lock:
            if not self._shutting_down and self._stands((entry.ready_at, place, entry)):
                self._become_ready(entry)


@dataclass(eq=False)
class Item:
    key: Hashable
    priority: int
    ready_at: float | None
    added: int


class WithoutAThread:
    """As in controller-runtime, but without a thread: the workers check which items are due.

    Len counts items that are held, these keep their place, and a shutdown drops all items.
    """

    def __init__(self, rate_limiter: RateLimiter | None = None) -> None:
        self._changed = Condition(Lock())
        self._limiter = rate_limiter or default_controller_rate_limiter()
        self._items: dict[Hashable, Item] = {}
        self._locked: set[Hashable] = set()
        self._added = count()
        self._shut = False

    def add_with_opts(
        self, item: Hashable, *, priority: int = 0, after: float = 0.0, rate_limited: bool = False
    ) -> None:
        with self._changed:
            if self._shut:
                return
            self._make_ready()
            if rate_limited:
                limited = self._limiter.when(item)
                after = limited if not after else min(limited, after)
            ready_at = time.monotonic() + after if after > 0 else None
            known = self._items.get(item)
            if known is None:
                self._items[item] = Item(item, priority, ready_at, next(self._added))
            else:
                if ready_at is None or (known.ready_at is not None and ready_at < known.ready_at):
                    known.ready_at = ready_at
                if priority > known.priority:
                    known.priority, known.added = priority, next(self._added)
            self._changed.notify_all()

    def get_with_priority(self) -> Taken:
        with self._changed:
            while not self._shut:
                self._make_ready()
                takeable = [it for it in self._ready() if it.key not in self._locked]
                if takeable:
                    first = min(takeable, key=lambda it: (-it.priority, it.added))
                    self._locked.add(first.key)
                    del self._items[first.key]
                    return first.key, first.priority, False
                self._changed.wait(self._next_is_due())
            return None, 0, True

    def done(self, item: Hashable) -> None:
        with self._changed:
            self._locked.discard(item)
            self._changed.notify_all()

    def __len__(self) -> int:
        with self._changed:
            self._make_ready()
            return len(self._ready())

    def shut_down(self) -> None:
        with self._changed:
            self._shut = True
            self._changed.notify_all()

    def _ready(self) -> list[Item]:
        return [it for it in self._items.values() if it.ready_at is None]

    def _make_ready(self) -> None:
        now = time.monotonic()
        due = [(it.ready_at, it.added, it) for it in self._items.values() if it.ready_at is not None]
        for ready_at, _, it in sorted(due):
            if ready_at <= now:
                it.ready_at, it.added = None, next(self._added)

    def _next_is_due(self) -> float | None:
        due = [it.ready_at for it in self._items.values() if it.ready_at is not None]
        return max(0.0, min(due) - time.monotonic()) if due else None


class Polling(WithoutAThread):
    """Waiting workers check again every 0.5 s."""

    def get_with_priority(self) -> Taken:
        while True:
            with self._changed:
                self._make_ready()
                takeable = any(it.key not in self._locked for it in self._ready())
                over = self._shut
            if takeable or over:
                return super().get_with_priority()
            time.sleep(0.5)


class ForAsyncio:
    """For asyncio: has a timer for each delay, and wakes waiting workers at each change."""

    def __init__(self, rate_limiter: RateLimiter | None = None) -> None:
        self._limiter = rate_limiter or default_controller_rate_limiter()
        self._items: dict[Hashable, Item] = {}
        self._held: set[Hashable] = set()
        self._added = count()
        self._shut = False
        self._news = asyncio.Event()

    def add_with_opts(
        self, item: Hashable, *, priority: int = 0, after: float = 0.0, rate_limited: bool = False
    ) -> None:
        if self._shut:
            return
        if rate_limited:
            limited = self._limiter.when(item)
            after = min(limited, after) if after else limited
        known = self._items.get(item)
        if known is None:
            known = self._items[item] = Item(item, priority, float("inf"), next(self._added))
        elif priority > known.priority:
            known.priority, known.added = priority, next(self._added)
        if after > 0:
            asyncio.get_running_loop().call_later(after, self._become_ready, known)
        else:
            self._become_ready(known)
        self._news.set()

    async def get_with_priority(self) -> Taken:
        while True:
            takeable = [
                it for key, it in self._items.items() if it.ready_at is None and key not in self._held
            ]
            if takeable:
                first = min(takeable, key=lambda it: (-it.priority, it.added))
                del self._items[first.key]
                self._held.add(first.key)
                return first.key, first.priority, False
            if self._shut:
                return None, 0, True
            self._news.clear()
            await self._news.wait()

    async def done(self, item: Hashable) -> None:
        self._held.discard(item)
        self._news.set()

    def __len__(self) -> int:
        return sum(it.ready_at is None and key not in self._held for key, it in self._items.items())

    async def shut_down(self) -> None:
        self._shut = True
        self._news.set()

    def _become_ready(self, item: Item) -> None:
        if item.ready_at is not None and not self._shut:
            item.ready_at, item.added = None, next(self._added)
            self._news.set()


SOUND: tuple[type[Any], ...] = (
    *(DropsWhatIsReady, CountsWhatIsHeld, ComesBackToTheTail, KeepsThePlaceOfADelayedAdd),
    *(AsksTheLimiterAlone, WithTimers, WithoutAThread, Polling, ForAsyncio),
)
