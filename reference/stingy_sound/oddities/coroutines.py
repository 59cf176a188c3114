"""Queues for asyncio, and one whose state is kept by a generator."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator, Hashable
from contextlib import suppress
from threading import Condition
from typing import Any

from stingy_sound.oddities.books import GO_HOME, Answer, Asking, Books, Deadlines


class _Awaited:
    """A queue for one event loop, without a lock: code between two awaits is atomic."""

    def __init__(self) -> None:
        self._books = Books()

    def add(self, item: Hashable) -> None:
        if self._books.add(item):
            self._wake()

    def done(self, item: Hashable) -> None:
        if self._books.finish(item):
            self._wake()

    def __len__(self) -> int:
        return len(self._books)

    def shut_down(self) -> None:
        self._books.close()
        self._wake_all()

    def shutting_down(self) -> bool:
        return self._books.closed

    def _wake(self) -> None: ...

    def _wake_all(self) -> None: ...


class AwaitsAnEvent(_Awaited):
    """All workers wait for one ``asyncio.Event``."""

    def __init__(self) -> None:
        super().__init__()
        self._news = asyncio.Event()

    async def get(self) -> Answer:
        while (answer := self._books.take()) is None:
            self._news.clear()
            await self._news.wait()
        return answer

    def _wake(self) -> None:
        self._news.set()

    def _wake_all(self) -> None:
        self._news.set()


class AwaitsPermits(_Awaited):
    """Workers wait at an ``asyncio.Semaphore``.

    There is a permit for each item, and one for the shutdown, which is passed on.
    """

    def __init__(self) -> None:
        super().__init__()
        self._permits = asyncio.Semaphore(0)

    async def get(self) -> Answer:
        await self._permits.acquire()
        answer = self._books.take() or GO_HOME
        if answer is GO_HOME:
            self._permits.release()
        return answer

    def _wake(self) -> None:
        self._permits.release()

    def _wake_all(self) -> None:
        self._permits.release()


class _Turn:
    """An awaitable that waits until a Get can be answered, and returns the answer."""

    def __init__(self, queue: AwaitsByHand) -> None:
        self._queue = queue

    def __await__(self) -> Generator[Any, None, Answer]:
        while (answer := self._queue._books.take()) is None:
            self._queue._news.clear()
            yield from self._queue._news.wait().__await__()
        return answer


class AwaitsByHand(AwaitsAnEvent):
    """Get awaits an object whose ``__await__`` is a generator."""

    async def get(self) -> Answer:
        return await _Turn(self)


class WaitsForAWhile(AwaitsAnEvent):
    """Get waits for the event with ``asyncio.wait_for`` and a time-out of 10 ms, repeatedly."""

    async def get(self) -> Answer:
        while (answer := self._books.take()) is None:
            self._news.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._news.wait(), 0.01)
        return answer


class AwaitedClerk(AwaitsAnEvent):
    """One task adds delayed items: it waits for the next deadline with ``asyncio.timeout_at``."""

    def __init__(self) -> None:
        super().__init__()
        self._deadlines = Deadlines()
        self._sooner = asyncio.Event()
        self._clerk: asyncio.Task[None] | None = None

    def add_after(self, item: Hashable, seconds: float) -> None:
        if seconds <= 0:
            self.add(item)
        elif not self._books.closed:
            self._deadlines.ask(item, asyncio.get_running_loop().time() + seconds)
            self._sooner.set()
            if self._clerk is None:
                self._clerk = asyncio.create_task(self._keep_looking())

    async def _keep_looking(self) -> None:
        while not self._books.closed:
            for item in self._deadlines.due(asyncio.get_running_loop().time()):
                self.add(item)
            self._sooner.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout_at(self._deadlines.next):
                    await self._sooner.wait()

    def shut_down(self) -> None:
        super().shut_down()
        self._sooner.set()


class DrivenByHand(Asking):
    """A generator keeps the state in a local variable.

    Each call is sent to the generator, which yields the result.
    """

    def __init__(self) -> None:
        self._changed = Condition()
        self._kept = _keep_books()
        next(self._kept)

    def get(self) -> Answer:
        with self._changed:
            while (answer := self._kept.send(Books.take)) is None:
                self._changed.wait()
            taken: Answer = answer
            return taken

    def _ask(self, call: Callable[[Books], Any]) -> Any:
        with self._changed:
            self._changed.notify_all()
            return self._kept.send(call)


def _keep_books() -> Generator[Any, Callable[[Books], Any], None]:
    books, result = Books(), None
    while True:
        call = yield result
        result = call(books)


SOUND: tuple[type[Any], ...] = (
    *(AwaitsAnEvent, AwaitsPermits, AwaitsByHand, WaitsForAWhile, AwaitedClerk, DrivenByHand),
)
