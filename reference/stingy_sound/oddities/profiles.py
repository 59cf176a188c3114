"""Unusual implementations of optional profiles: drains and rate limits."""

from __future__ import annotations

from collections.abc import Hashable
from threading import Event, Thread
from typing import Any

from stingy_reference.limiters import RateLimiter, default_controller_rate_limiter
from stingy_sound.oddities.books import Delaying, Plain


class DrainsByJoiningAThread(Plain):
    """A drain joins a thread that waits for an event, which the last Done or a ShutDown sets."""

    def __init__(self) -> None:
        super().__init__()
        self._drains: list[Event] = []

    def done(self, item: Hashable) -> None:
        with self._lock:
            if self._books.finish(item):
                self._wake()
            if not self._books.processing:
                self._end_drains()

    def shut_down(self) -> None:
        with self._lock:
            self._books.close()
            self._wake_all()
            self._end_drains()

    def shut_down_with_drain(self) -> None:
        with self._lock:
            self._books.close()
            self._wake_all()
            if not self._books.processing:
                return
            over = Event()
            self._drains.append(over)
        drain = Thread(target=over.wait, daemon=True)
        drain.start()
        drain.join()

    def _end_drains(self) -> None:
        for over in self._drains:
            over.set()
        self._drains.clear()


class LimitedFromOutside(Delaying):
    """``__getattribute__`` forwards each method to a queue or to a rate limiter."""

    _LIMITERS = ("forget", "num_requeues")

    def __init__(self, rate_limiter: RateLimiter | None = None) -> None:
        self._limiter = rate_limiter or default_controller_rate_limiter()
        self._queue = Delaying()

    def __getattribute__(self, name: str) -> Any:
        if name[0] == "_" or name == "add_rate_limited":
            return super().__getattribute__(name)
        return getattr(self._limiter if name in self._LIMITERS else self._queue, name)

    def add_rate_limited(self, item: Hashable) -> None:
        if not self._queue.shutting_down():
            self._queue.add_after(item, self._limiter.when(item))

    def __len__(self) -> int:
        return len(self._queue)

    # These two, and all inherited methods, only declare the profile: they are never called.

    def forget(self, item: Hashable) -> None: ...

    def num_requeues(self, item: Hashable) -> int:  # noqa: ARG002
        return 0


SOUND: tuple[type[Any], ...] = (DrainsByJoiningAThread, LimitedFromOutside)
