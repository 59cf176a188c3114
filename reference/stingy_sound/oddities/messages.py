"""Queues that share no state between threads: actors, mailboxes and pipes."""

from __future__ import annotations

import os
import select
from collections import deque
from collections.abc import Callable
from queue import Queue, SimpleQueue
from threading import Thread
from typing import Any
from weakref import finalize

from stingy_sound.oddities.books import GO_HOME, Answer, Asking, Books, Plain


class Actor(Asking):
    """One thread owns the state; each call is a message to it, with a queue for the reply."""

    def __init__(self) -> None:
        self._inbox: Queue[tuple[Callable[[Books], Any] | None, SimpleQueue[Any]]] = Queue()
        Thread(target=self._serve, daemon=True).start()

    def get(self) -> Answer:
        answer: Answer = self._ask(None)
        return answer

    def _ask(self, call: Callable[[Books], Any] | None) -> Any:
        reply: SimpleQueue[Any] = SimpleQueue()
        self._inbox.put((call, reply))
        return reply.get()

    def _serve(self) -> None:
        books = Books()
        waiting: deque[SimpleQueue[Any]] = deque()
        while True:
            self._take_a_step(books, waiting)  # a method, so that no local variable keeps the item

    def _take_a_step(self, books: Books, waiting: deque[SimpleQueue[Any]]) -> None:
        call, reply = self._inbox.get()
        if call is None:
            waiting.append(reply)
        else:
            reply.put(call(books))
        while waiting and (answer := books.take()):
            waiting.popleft().put(answer)


class SelectsAPipe(Plain):
    """Workers wait with ``select`` for a pipe.

    It contains a byte for each item, and one for the shutdown.
    """

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


SOUND: tuple[type[Any], ...] = (Actor, SelectsAPipe)
