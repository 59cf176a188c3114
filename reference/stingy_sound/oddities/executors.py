"""Executors and futures: somebody else does it, and says when it is done."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from functools import cache
from threading import Lock
from typing import Any

from stingy_sound.oddities.books import Answer, Books, Plain


class OnAPoolOfOne:
    """No lock at all: a pool of one thread does everything, and so one thing after the other."""

    def __init__(self) -> None:
        self._books = Books()
        self._waiting: deque[Future[Answer]] = deque()
        self._pool = ThreadPoolExecutor(1)

    def add(self, item: Hashable) -> None:
        self._do(self._books.add, item)

    def get(self) -> Answer:
        answer: Future[Answer] = Future()
        self._do(self._waiting.append, answer)
        return answer.result()

    def done(self, item: Hashable) -> None:
        self._do(self._books.finish, item)

    def __len__(self) -> int:
        return int(self._do(self._books.__len__))

    def shut_down(self) -> None:
        self._do(self._books.close)

    def shutting_down(self) -> bool:
        return bool(self._do(getattr, self._books, "closed"))

    def _do(self, call: Callable[..., Any], *args: Any) -> Any:
        return self._pool.submit(self._one_step, call, *args).result()

    def _one_step(self, call: Callable[..., Any], *args: Any) -> Any:
        returned = call(*args)
        while self._waiting and (answer := self._books.take()):
            self._waiting.popleft().set_result(answer)
        return returned


@cache
def shared_pool() -> ThreadPoolExecutor:
    """One for all queues of this module, made when it is first needed, and never shut down."""
    return ThreadPoolExecutor(2)


class OnASharedPool(Plain):
    """Has each item looked at by a pool that the whole module shares, and waits for the answer."""

    def add(self, item: Hashable) -> None:
        shared_pool().submit(hash, item).result()
        super().add(item)


class WaitsForAFuture:
    """Whoever waits in Get waits for a future, which is given the item itself."""

    def __init__(self) -> None:
        self._books = Books()
        self._lock = Lock()
        self._promised: deque[Future[Answer]] = deque()

    def add(self, item: Hashable) -> None:
        with self._lock:
            self._books.add(item)
            self._keep_promises()

    def get(self) -> Answer:
        promise: Future[Answer] = Future()
        with self._lock:
            self._promised.append(promise)
            self._keep_promises()
        return promise.result()

    def done(self, item: Hashable) -> None:
        with self._lock:
            self._books.finish(item)
            self._keep_promises()

    def __len__(self) -> int:
        with self._lock:
            return len(self._books)

    def shut_down(self) -> None:
        with self._lock:
            self._books.close()
            self._keep_promises()

    def shutting_down(self) -> bool:
        with self._lock:
            return self._books.closed

    def _keep_promises(self) -> None:
        while self._promised and (answer := self._books.take()):
            self._promised.popleft().set_result(answer)


class FutureForEachRun(Plain):
    """Each run is a future, done at its Done; what is added meanwhile is a callback of it, and a drain waits for all."""

    def __init__(self) -> None:
        super().__init__()
        self._runs: dict[Hashable, Future[None]] = {}
        self._cut_short: Future[None] = Future()

    def add(self, item: Hashable) -> None:
        with self._lock:
            run = self._runs.get(item)
            if self._books.closed or item in self._books.dirty:
                return
            self._books.dirty.add(item)
            if run is None:
                self._come(item)
            else:
                run.add_done_callback(lambda _: self._come(item))

    def get(self) -> Answer:
        with self._lock:
            while (answer := self._books.take()) is None:
                self._wait()
            item, over = answer
            if not over:
                self._runs[item] = Future()
            return answer

    def done(self, item: Hashable) -> None:
        with self._lock:
            if (run := self._runs.pop(item, None)) is not None:
                self._books.processing.discard(item)
                run.set_result(None)

    def _come(self, item: Hashable) -> None:
        """With the lock in hand: a future calls back where it is set."""
        self._books.line.append(item)
        self._wake()

    def shut_down(self) -> None:
        with self._lock:
            self._books.close()
            self._wake_all()
            if not self._cut_short.done():
                self._cut_short.set_result(None)

    def shut_down_with_drain(self) -> None:
        with self._lock:
            self._books.close()
            self._wake_all()
            if self._cut_short.done():
                self._cut_short = Future()
            cut_short = self._cut_short
        while True:
            with self._lock:
                runs = list(self._runs.values())
            if not runs or cut_short.done():
                return
            wait([*runs, cut_short], return_when="FIRST_COMPLETED")


class AsksAFutureAgainAndAgain(WaitsForAFuture):
    """Waits for its future for 10 ms at a time."""

    def get(self) -> Answer:
        promise: Future[Answer] = Future()
        with self._lock:
            self._promised.append(promise)
            self._keep_promises()
        while True:
            with suppress(TimeoutError):
                return promise.result(timeout=0.01)


SOUND: tuple[type[Any], ...] = (
    *(OnAPoolOfOne, OnASharedPool, WaitsForAFuture, FutureForEachRun, AsksAFutureAgainAndAgain),
)
"""Each is sound; the rules must let each pass."""
