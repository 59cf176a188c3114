"""Executors and futures."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from functools import cache
from typing import Any

from stingy_sound.oddities.books import Answer, Asking, Books, Plain


class OnAPoolOfOne(Asking):
    """A pool of one thread runs all calls one after the other, so there is no lock."""

    def __init__(self) -> None:
        self._books = Books()
        self._waiting: deque[Future[Answer]] = deque()
        self._pool = ThreadPoolExecutor(1)

    def get(self) -> Answer:
        answer: Future[Answer] = Future()
        self._ask(lambda _: self._waiting.append(answer))
        return answer.result()

    def _ask(self, call: Callable[[Books], Any]) -> Any:
        return self._pool.submit(self._one_step, call).result()

    def _one_step(self, call: Callable[[Books], Any]) -> Any:
        returned = call(self._books)
        while self._waiting and (answer := self._books.take()):
            self._waiting.popleft().set_result(answer)
        return returned


@cache
def shared_pool() -> ThreadPoolExecutor:
    """Return the pool of all queues of this module. It is never shut down."""
    return ThreadPoolExecutor(2)


class OnASharedPool(Plain):
    """Each Add waits for a job of a thread pool that all queues share."""

    def add(self, item: Hashable) -> None:
        shared_pool().submit(hash, item).result()
        super().add(item)


class WaitsForAFuture(Plain):
    """Each Get waits for a future whose result is its answer."""

    def __init__(self) -> None:
        super().__init__()
        self._promised: deque[Future[Answer]] = deque()

    def get(self) -> Answer:
        promise: Future[Answer] = Future()
        with self._lock:
            self._promised.append(promise)
            self._wake()
        return self._result(promise)

    def _result(self, promise: Future[Answer]) -> Answer:
        return promise.result()

    def _wake(self) -> None:
        while self._promised and (answer := self._books.take()):
            self._promised.popleft().set_result(answer)

    def _wake_all(self) -> None:
        self._wake()


class FutureForEachRun(Plain):
    """Each item in processing has a future, which its Done completes; a drain waits for all."""

    def __init__(self) -> None:
        super().__init__()
        self._runs: dict[Hashable, Future[None]] = {}
        self._cut_short: Future[None] = Future()

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
                if self._books.finish(item):
                    self._wake()
                run.set_result(None)

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
    """Each Get waits for its future with a time-out of 10 ms, again and again."""

    def _result(self, promise: Future[Answer]) -> Answer:
        while True:
            with suppress(TimeoutError):
                return promise.result(timeout=0.01)


SOUND: tuple[type[Any], ...] = (
    *(OnAPoolOfOne, OnASharedPool, WaitsForAFuture, FutureForEachRun, AsksAFutureAgainAndAgain),
)
