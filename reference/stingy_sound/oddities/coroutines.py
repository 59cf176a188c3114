"""For asyncio, and coroutines that are driven by hand."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Generator, Hashable
from contextlib import suppress
from typing import Any

from stingy_sound.oddities.books import GO_HOME, Answer, Books, Deadlines, Plain


class _Awaited:
    """The books, for one loop: nobody comes in between two awaits."""

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
    """One ``asyncio.Event`` for all, which is up while there is something to take."""

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
    """``asyncio.Semaphore``: a permit for each item, and one for the shutdown, which is passed on."""

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
    """What is awaited by hand: it gives way once for each time that there is nothing to take."""

    def __init__(self, queue: AwaitsByHand) -> None:
        self._queue = queue

    def __await__(self) -> Generator[Any, None, Answer]:
        while (answer := self._queue._books.take()) is None:
            future = asyncio.get_running_loop().create_future()
            self._queue._waiting.append(future)
            try:
                yield from future
            except asyncio.CancelledError:
                self._queue._pass_on(future)
                raise
        return answer


class AwaitsByHand(_Awaited):
    """Get awaits an object with ``__await__``, a generator that yields futures one by one."""

    def __init__(self) -> None:
        super().__init__()
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def get(self) -> Answer:
        return await _Turn(self)

    def _pass_on(self, future: asyncio.Future[None]) -> None:
        """Whoever was woken and cancelled at once leaves it to the next one."""
        if future in self._waiting:
            self._waiting.remove(future)
        elif len(self._books):
            self._wake()

    def _wake(self) -> None:
        while self._waiting:
            future = self._waiting.popleft()
            if not future.done():
                future.set_result(None)
                return

    def _wake_all(self) -> None:
        while self._waiting:
            self._wake()


class WaitsForAWhile(AwaitsAnEvent):
    """``asyncio.wait_for`` of 10 ms, and again: a poll, though the event would do."""

    async def get(self) -> Answer:
        while (answer := self._books.take()) is None:
            self._news.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._news.wait(), 0.01)
        return answer


class AwaitedClerk(AwaitsAnEvent):
    """One task is the clerk of all delays: it waits for the soonest, with ``asyncio.timeout_at``, or to be hurried."""

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


Command = tuple[str, Hashable]


class DrivenByHand(Plain):
    """The books are a generator's local variables; each call is sent to it, and what it yields is the answer."""

    def __init__(self) -> None:
        super().__init__()
        self._kept = _keep_books()
        next(self._kept)

    def add(self, item: Hashable) -> None:
        self._send("add", item)

    def get(self) -> Answer:
        with self._changed:
            while (answer := self._kept.send(("take", None))) is None:
                self._changed.wait()
            taken: Answer = answer
            return taken

    def done(self, item: Hashable) -> None:
        self._send("finish", item)

    def __len__(self) -> int:
        return int(self._send("__len__"))

    def shut_down(self) -> None:
        self._send("close")

    def shutting_down(self) -> bool:
        return bool(self._send("closed"))

    def _send(self, what: str, item: Hashable = None) -> Any:
        with self._changed:
            answer = self._kept.send((what, item))
            self._changed.notify_all()
            return answer


def _keep_books() -> Generator[Any, Command, None]:
    line: dict[Hashable, None] = {}
    dirty: set[Hashable] = set()
    processing: set[Hashable] = set()
    answer: Any = None
    closed = False
    while True:
        match (yield answer):
            case "add", item if not closed and item not in dirty:
                dirty.add(item)
                if item not in processing:
                    line[item] = None
                answer = None
            case "finish", item:
                processing.discard(item)
                if item in dirty:
                    line[item] = None
                answer = None
            case "take", _ if line:
                item = next(iter(line))
                del line[item]
                dirty.discard(item)
                processing.add(item)
                answer = item, False
            case "take", _:
                answer = GO_HOME if closed else None
            case "__len__", _:
                answer = len(line)
            case "close", _:
                closed, answer = True, None
            case "closed", _:
                answer = closed
            case _:
                answer = None


SOUND: tuple[type[Any], ...] = (
    *(AwaitsAnEvent, AwaitsPermits, AwaitsByHand, WaitsForAWhile, AwaitedClerk, DrivenByHand),
)
"""Each is sound; the rules must let each pass."""
