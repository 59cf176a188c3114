"""Nothing is shared, everything is sent: actors, mailboxes, and descriptors of the system."""

from __future__ import annotations

import os
import select
import socket
from collections import deque
from collections.abc import Hashable
from itertools import count
from queue import LifoQueue, PriorityQueue, Queue, SimpleQueue
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


class MailboxForEachWorker(Plain):
    """Whoever waits has a mailbox for one item, into which it is put."""

    def __init__(self) -> None:
        super().__init__()
        self._mailboxes: deque[Queue[Answer]] = deque()

    def get(self) -> Answer:
        with self._lock:
            if answer := self._books.take():
                return answer
            mailbox: Queue[Answer] = Queue(maxsize=1)
            self._mailboxes.append(mailbox)
        return mailbox.get()

    def _wake(self) -> None:
        while self._mailboxes and (answer := self._books.take()):
            self._mailboxes.popleft().put_nowait(answer)

    def _wake_all(self) -> None:
        self._wake()


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


class TwoStacks(Plain):
    """The line is two stacks, ``queue.LifoQueue``: what comes is put on one, and turned over when the other is empty."""

    class _Line:
        def __init__(self) -> None:
            self._came: LifoQueue[Hashable] = LifoQueue()
            self._goes: LifoQueue[Hashable] = LifoQueue()

        def append(self, item: Hashable) -> None:
            self._came.put(item)

        def popleft(self) -> Hashable:
            if self._goes.empty():
                while not self._came.empty():
                    self._goes.put(self._came.get_nowait())
            return self._goes.get_nowait()

        def __len__(self) -> int:
            return self._came.qsize() + self._goes.qsize()

    def __init__(self) -> None:
        super().__init__()
        self._books.line = self._Line()


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


class ReadsASocket(Plain):
    """A worker waits in ``recv`` for the one byte of a socket pair; whoever leaves something leaves the byte."""

    def __init__(self) -> None:
        super().__init__()
        self._here, self._there = socket.socketpair()
        self._sent = False
        finalize(self, _close_sockets, self._here, self._there)

    def get(self) -> Answer:
        while True:
            self._here.recv(1)
            with self._lock:
                self._sent = False
                answer = self._books.take()
                if self._books.line or self._books.closed:
                    self._wake()
            if answer is not None:
                return answer

    def _wake(self) -> None:
        if not self._sent:
            self._sent = True
            self._there.send(b"!")

    def _wake_all(self) -> None:
        self._wake()


def _close_sockets(*sockets: socket.socket) -> None:
    for each in sockets:
        each.close()


class DropsNoHint(Plain):
    """Workers wait at a queue of one place for a hint that there is something; whoever leaves something leaves the hint."""

    def __init__(self) -> None:
        super().__init__()
        self._hints: Queue[str] = Queue(maxsize=1)

    def get(self) -> Answer:
        while True:
            self._hints.get()
            with self._lock:
                answer = self._books.take()
                if self._books.line or self._books.closed:
                    self._wake()
            if answer is not None:
                return answer

    def _wake(self) -> None:
        if self._hints.empty():
            self._hints.put_nowait("look")

    def _wake_all(self) -> None:
        self._wake()


SOUND: tuple[type[Any], ...] = (
    Actor,
    MailboxForEachWorker,
    ByNumberOfArrival,
    TwoStacks,
    SelectsAPipe,
    ReadsASocket,
    DropsNoHint,
)
"""Each is sound; the rules must let each pass."""
