"""Delays, timed in different ways."""

from __future__ import annotations

import asyncio
import sched
import sys
import threading
import time
from collections.abc import Hashable
from contextlib import suppress
from threading import Event, Lock, Thread
from typing import Any

from stingy_sound.oddities.books import Delaying, Ringing


class ThreadForEachDelay(Ringing):
    """Each delay has a thread, which waits for an event with a time-out; a shutdown sets it."""

    def __init__(self) -> None:
        super().__init__()
        self._over = Event()

    def _set(self, item: Hashable, at: float) -> None:
        Thread(target=self._ring_later, args=(item, at), daemon=True).start()

    def _ring_later(self, item: Hashable, at: float) -> None:
        if not self._over.wait(at - time.monotonic()):
            self._ring(item, at)

    def shut_down(self) -> None:
        super().shut_down()
        self._over.set()


class Sched(Ringing):
    """A thread runs a ``sched.scheduler`` with all delays."""

    def __init__(self) -> None:
        super().__init__()
        self._news = Event()
        self._scheduler = sched.scheduler(time.monotonic, self._nap)
        self._runner: Thread | None = None

    def _set(self, item: Hashable, at: float) -> None:
        self._scheduler.enterabs(at, 0, self._ring, (item, at))
        if self._runner is None:
            self._runner = Thread(target=self._run, daemon=True)
            self._runner.start()
        self._news.set()

    def _nap(self, seconds: float | None = None) -> None:
        self._news.wait(seconds)
        self._news.clear()

    def _run(self) -> None:
        while not self.shutting_down():
            self._scheduler.run(blocking=True)
            if self._scheduler.empty() and not self.shutting_down():
                self._nap()

    def shut_down(self) -> None:
        super().shut_down()
        for event in self._scheduler.queue:
            with suppress(ValueError):  # its time has come meanwhile
                self._scheduler.cancel(event)
        self._news.set()


class LoopInAThread(Ringing):
    """The delays are timers of an asyncio event loop in a thread of its own."""

    def __init__(self) -> None:
        super().__init__()
        self._loop: asyncio.AbstractEventLoop | None = None

    def _set(self, item: Hashable, at: float) -> None:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            Thread(target=self._run, args=(self._loop,), daemon=True).start()
        self._loop.call_soon_threadsafe(self._loop.call_at, at, self._ring, item, at)

    def _run(self, loop: asyncio.AbstractEventLoop) -> None:
        try:
            loop.run_forever()
        finally:
            loop.close()

    def shut_down(self) -> None:
        with self._lock:
            if self._loop is not None and not self._books.closed:
                self._loop.call_soon_threadsafe(self._loop.stop)
            self._books.close()
            self._wake_all()


class LookedAtTwice(Delaying):
    """Double-checked locking: tests without a lock and then with one whether a clerk exists."""

    def __init__(self) -> None:
        super().__init__()
        self._hiring = Lock()

    def add_after(self, item: Hashable, seconds: float) -> None:
        if self._clerk is None:
            with self._hiring:
                if self._clerk is None:
                    self._clerk = self._hire()
        super().add_after(item, seconds)


class JoinsItsClerk(Delaying):
    """The clerk is a subclass of Thread that checks its own identity; a shutdown joins it."""

    class _Clerk(Thread):
        def __init__(self, queue: JoinsItsClerk) -> None:
            super().__init__(name="clerk", daemon=True)
            self._queue = queue

        def run(self) -> None:
            known = self in threading.enumerate() and self is threading.current_thread()
            if not known or self.ident != threading.get_ident():
                raise RuntimeError("this thread is not the current one, or is not in enumerate()")
            self._queue._keep_looking()

    def _hire(self) -> Any:
        clerk = self._Clerk(self)
        clerk.start()
        return clerk

    def shut_down(self) -> None:
        super().shut_down()
        if self._clerk is not None:
            self._clerk.join()


class GoesHomeByExit(Delaying):
    """The clerk ends by ``sys.exit``, which ends only its thread, without a message."""

    def _rest(self, seconds: float | None) -> None:
        super()._rest(seconds)
        if self._books.closed:
            sys.exit()


class ReadsTheKernelsClock(Delaying):
    """Reads the time with ``clock_gettime(CLOCK_MONOTONIC)``."""

    def _now(self) -> float:
        return time.clock_gettime(time.CLOCK_MONOTONIC)


class ReadsThePerformanceCounter(Delaying):
    """Reads the time with ``perf_counter``."""

    def _now(self) -> float:
        return time.perf_counter()


SOUND: tuple[type[Any], ...] = (
    *(ThreadForEachDelay, Sched, LoopInAThread, LookedAtTwice, JoinsItsClerk, GoesHomeByExit),
    *(ReadsTheKernelsClock, ReadsThePerformanceCounter),
)
