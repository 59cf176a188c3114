"""What a queue may offer besides: drains, priorities, rate limits."""

from __future__ import annotations

from collections.abc import Hashable
from queue import Queue
from threading import Event, Thread
from typing import Any

from stingy_reference.limiters import RateLimiter, default_controller_rate_limiter
from stingy_sound.oddities.books import GO_HOME, Answer, Delaying, Plain


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
    *(DrainsLikeAQueue, DrainsByAnEvent, DrainsByJoiningAThread, LimitedFromOutside),
)
"""Each is sound; the rules must let each pass."""
