"""Nothing is shared, everything is sent: actors, mailboxes, and descriptors of the system."""

from __future__ import annotations

import os
import select
from collections import deque
from collections.abc import Hashable
from itertools import count
from queue import PriorityQueue, Queue, SimpleQueue
from threading import Thread
from typing import Any
from weakref import finalize

from stingy_sound.oddities.books import GO_HOME, NEVER, Answer, Books, Plain


class Actor:
    """One thread has the books to itself; a call is a message to it, and its answer comes by a queue of its own."""

    def __init__(self) -> None:
        self._inbox: Queue[tuple[str, Hashable, SimpleQueue[Any]]] = Queue()
        Thread(target=self._serve, daemon=True).start()

    def add(self, item: Hashable) -> None:
        self._ask("add", item)

    def get(self) -> Answer:
        answer: Answer = self._ask("get")
        return answer

    def done(self, item: Hashable) -> None:
        self._ask("finish", item)

    def __len__(self) -> int:
        return int(self._ask("__len__"))

    def shut_down(self) -> None:
        self._ask("close")

    def shutting_down(self) -> bool:
        return bool(self._ask("closed"))

    def _ask(self, what: str, item: Hashable = None) -> Any:
        reply: SimpleQueue[Any] = SimpleQueue()
        self._inbox.put((what, item, reply))
        return reply.get()

    def _serve(self) -> None:
        books = Books()
        waiting: deque[SimpleQueue[Any]] = deque()
        while True:
            self._take_a_step(books, waiting)  # which forgets the item when it is over

    def _take_a_step(self, books: Books, waiting: deque[SimpleQueue[Any]]) -> None:
        what, item, reply = self._inbox.get()
        match what:
            case "get":
                waiting.append(reply)
            case "add" | "finish":
                reply.put(getattr(books, what)(item))
            case "closed":
                reply.put(books.closed)
            case _:
                reply.put(getattr(books, what)())
        while waiting and (answer := books.take()):
            waiting.popleft().put(answer)


class ByNumberOfArrival(Plain):
    """The line is a ``queue.PriorityQueue`` by number of arrival; the shutdown comes after all numbers."""

    def __init__(self) -> None:
        super().__init__()
        self._numbers = count()
        self._arrived: PriorityQueue[tuple[float, Hashable]] = PriorityQueue()

    def get(self) -> Answer:
        number, item = self._arrived.get()
        with self._lock:
            if number == NEVER:
                self._arrived.put((NEVER, None))
                return GO_HOME
            self._books.dirty.discard(item)
            self._books.processing.add(item)
            return item, False

    def __len__(self) -> int:
        with self._arrived.mutex:
            return sum(number != NEVER for number, _ in self._arrived.queue)

    def shut_down(self) -> None:
        with self._lock:
            if not self._books.closed:
                self._books.close()
                self._arrived.put((NEVER, None))

    def _wake(self) -> None:
        self._arrived.put((next(self._numbers), self._books.line.pop()))


class SelectsAPipe(Plain):
    """A worker waits in ``select`` for a pipe that holds a byte for each item, and one for the shutdown."""

    def __init__(self) -> None:
        super().__init__()
        self._read, self._write = os.pipe()
        finalize(self, _close, self._read, self._write)

    def get(self) -> Answer:
        while True:
            select.select([self._read], [], [])
            with self._lock:
                answer = self._books.take()
                if answer is not None:
                    if answer != GO_HOME:
                        os.read(self._read, 1)
                    return answer

    def shut_down(self) -> None:
        with self._lock:
            if not self._books.closed:
                self._books.close()
                self._wake()

    def _wake(self) -> None:
        os.write(self._write, b"!")


def _close(*descriptors: int) -> None:
    for descriptor in descriptors:
        os.close(descriptor)


SOUND: tuple[type[Any], ...] = (Actor, ByNumberOfArrival, SelectsAPipe)
"""Each is sound; the rules must let each pass."""
