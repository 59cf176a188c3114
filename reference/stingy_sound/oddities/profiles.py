"""What a queue may offer besides: drains, priorities, rate limits."""

from __future__ import annotations

from bisect import insort
from collections import deque
from collections.abc import Hashable
from itertools import count
from queue import Queue
from threading import Condition, Event, Thread
from time import monotonic
from typing import Any

from stingy_reference.limiters import RateLimiter, default_controller_rate_limiter
from stingy_sound.oddities.books import GO_HOME, NEVER, Answer, Delaying, Plain

Taken = tuple[Hashable | None, int, bool]


class DrainsLikeAQueue(Plain):
    """A ``queue.Queue`` is told of each Get and of each task that is done; a drain waits as its ``join`` would."""

    def __init__(self) -> None:
        super().__init__()
        self._runs: Queue[None] = Queue()
        self._draining = 0

    def get(self) -> Answer:
        with self._lock:
            while (answer := self._books.take()) is None:
                self._wait()
            if not answer[1]:
                self._runs.put(None)
                self._runs.get()
            return answer

    def done(self, item: Hashable) -> None:
        super().done(item)
        self._runs.task_done()

    def shut_down(self) -> None:
        super().shut_down()
        with self._runs.all_tasks_done:
            self._draining = 0
            self._runs.all_tasks_done.notify_all()

    def shut_down_with_drain(self) -> None:
        with self._runs.all_tasks_done:
            self._draining += 1
        super().shut_down()
        with self._runs.all_tasks_done:
            while self._runs.unfinished_tasks and self._draining:
                self._runs.all_tasks_done.wait()


class DrainsByAnEvent(Plain):
    """Each drain has an event, which is set when nothing is in processing, or by a ShutDown."""

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
        over.wait()

    def _end_drains(self) -> None:
        for over in self._drains:
            over.set()
        self._drains.clear()


class DrainsByJoiningAThread(DrainsByAnEvent):
    """A drain starts a thread that waits for the end, and joins it."""

    def shut_down_with_drain(self) -> None:
        drain = Thread(target=super().shut_down_with_drain, daemon=True)
        drain.start()
        drain.join()


class Buckets:
    """A line for each priority, in a dictionary; what has a delay waits in a sorted list, and workers watch the time."""

    def __init__(self, rate_limiter: RateLimiter | None = None) -> None:
        self._limiter = rate_limiter or default_controller_rate_limiter()
        self._changed = Condition()
        self._lines: dict[int, deque[Hashable]] = {}
        self._known: dict[Hashable, tuple[int, float]] = {}
        """The priority of each item that is to be handed out, and when it may be."""
        self._later: list[tuple[float, int, Hashable]] = []
        self._numbers = count()
        self._processing: set[Hashable] = set()
        self._closed = False

    def add_with_opts(
        self, item: Hashable, *, priority: int = 0, after: float = 0.0, rate_limited: bool = False
    ) -> None:
        with self._changed:
            if self._closed:
                return
            if rate_limited:
                limited = self._limiter.when(item)
                after = min(limited, after) if after else limited
            ready = monotonic() + after if after > 0 else -NEVER
            self._make_ready()
            before = self._known.get(item)
            if before is not None:
                priority, ready = max(priority, before[0]), min(ready, before[1])
                if (priority, ready) == before:
                    return
                self._take_out(item)
            self._known[item] = priority, ready
            self._put(item)
            self._changed.notify_all()

    def get_with_priority(self) -> Taken:
        with self._changed:
            while True:
                self._make_ready()
                filled = [priority for priority, line in self._lines.items() if line]
                if filled:
                    priority = max(filled)
                    item = self._lines[priority].popleft()
                    del self._known[item]
                    self._processing.add(item)
                    return item, priority, False
                if self._closed:
                    return None, 0, True
                self._changed.wait(self._later[0][0] - monotonic() if self._later else None)

    def done(self, item: Hashable) -> None:
        with self._changed:
            self._processing.discard(item)
            if item in self._known and self._known[item][1] == -NEVER:
                self._put(item)
            self._changed.notify_all()

    def __len__(self) -> int:
        with self._changed:
            self._make_ready()
            return sum(map(len, self._lines.values()))

    def shut_down(self) -> None:
        with self._changed:
            self._closed = True
            self._later.clear()
            self._changed.notify_all()

    def _make_ready(self) -> None:
        now = monotonic()
        while self._later and self._later[0][0] <= now:
            _, _, item = self._later.pop(0)
            self._known[item] = self._known[item][0], -NEVER
            self._put(item)

    def _put(self, item: Hashable) -> None:
        priority, ready = self._known[item]
        if ready > -NEVER:
            insort(self._later, (ready, next(self._numbers), item), key=lambda each: each[:2])
        elif item not in self._processing:
            self._lines.setdefault(priority, deque()).append(item)

    def _take_out(self, item: Hashable) -> None:
        priority, ready = self._known[item]
        if ready > -NEVER:
            self._later = [each for each in self._later if each[2] != item]
        elif item not in self._processing:
            self._lines[priority].remove(item)


class LimitedFromOutside:
    """It is no queue: it has one, and a limiter, and finds with ``__getattribute__`` which of the two is asked."""

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

    # These are here to be seen: who asks an object for one of them gets that of its queue, or of its limiter.

    def add(self, item: Hashable) -> None: ...

    def add_after(self, item: Hashable, seconds: float) -> None: ...

    def get(self) -> Answer:
        return GO_HOME

    def done(self, item: Hashable) -> None: ...

    def shut_down(self) -> None: ...

    def shutting_down(self) -> bool:
        return True

    def forget(self, item: Hashable) -> None: ...

    def num_requeues(self, item: Hashable) -> int:  # noqa: ARG002
        return 0


SOUND: tuple[type[Any], ...] = (
    DrainsLikeAQueue,
    DrainsByAnEvent,
    DrainsByJoiningAThread,
    Buckets,
    LimitedFromOutside,
)
"""Each is sound; the rules must let each pass."""
