"""Delays, by every means to watch the time."""

from __future__ import annotations

import asyncio
import sched
import sys
import threading
import time
from collections.abc import Hashable
from threading import Event, Lock, Thread, Timer
from typing import Any

from stingy_sound.oddities.books import Delaying, Plain


class ThreadForEachDelay(Plain):
    """Each AddAfter has a thread that sleeps till then; a shutdown wakes all of them."""

    def __init__(self) -> None:
        super().__init__()
        self._over = Event()
        self._soonest: dict[Hashable, float] = {}

    def add_after(self, item: Hashable, seconds: float) -> None:
        if seconds <= 0:
            self.add(item)
            return
        with self._lock:
            at = time.monotonic() + seconds
            if not self._books.closed and self._soonest.get(item, sys.maxsize) > at:
                self._soonest[item] = at
                Thread(target=self._add_later, args=(item, at, seconds), daemon=True).start()

    def _add_later(self, item: Hashable, at: float, seconds: float) -> None:
        if self._over.wait(seconds):
            return
        with self._lock:
            if self._soonest.get(item) == at:
                del self._soonest[item]
                if self._books.add(item):
                    self._wake()

    def shut_down(self) -> None:
        super().shut_down()
        self._over.set()


class OneTimerSetAnew(Delaying):
    """One Timer for the soonest deadline of all, which is cancelled for a sooner one, and followed by the next."""

    def __init__(self) -> None:
        super().__init__()
        self._set_for: float | None = None

    def _hire(self) -> Any: ...

    def _hurry(self) -> None:
        soonest = self._deadlines.next
        if soonest == self._set_for:
            return
        if self._clerk is not None:
            self._clerk.cancel()
        self._set_for = soonest
        if soonest is not None:
            self._clerk = Timer(soonest - self._now(), self._ring)
            self._clerk.daemon = True
            self._clerk.start()

    def _ring(self) -> None:
        with self._lock:
            self._add_what_is_due()
            if threading.current_thread() is self._clerk:
                self._set_for = None
                self._hurry()


class Sched(Plain):
    """The delays are those of a ``sched.scheduler``, which a thread runs."""

    def __init__(self) -> None:
        super().__init__()
        self._news = Event()
        self._scheduler = sched.scheduler(time.monotonic, self._nap)
        self._events: dict[Hashable, sched.Event] = {}
        self._runner: Thread | None = None

    def add_after(self, item: Hashable, seconds: float) -> None:
        if seconds <= 0:
            self.add(item)
            return
        with self._lock:
            at = time.monotonic() + seconds
            known = self._events.get(item)
            if self._books.closed or (known and known.time <= at):
                return
            self._events[item] = self._scheduler.enterabs(at, 0, self._ring, (item, at))
            if self._runner is None:
                self._runner = Thread(target=self._run, daemon=True)
                self._runner.start()
            self._news.set()

    def _nap(self, seconds: float) -> None:
        self._news.wait(seconds)
        self._news.clear()

    def _ring(self, item: Hashable, at: float) -> None:
        with self._lock:
            known = self._events.get(item)
            if known and known.time == at and not self._books.closed:
                del self._events[item]
                if self._books.add(item):
                    self._wake()

    def _run(self) -> None:
        while not self.shutting_down():
            self._scheduler.run(blocking=True)
            if self._scheduler.empty() and not self.shutting_down():
                self._news.wait()
                self._news.clear()

    def shut_down(self) -> None:
        super().shut_down()
        with self._lock:
            self._events.clear()
        for event in self._scheduler.queue:
            try:
                self._scheduler.cancel(event)
            except ValueError:
                continue  # its time has come meanwhile
        self._news.set()


class LoopInAThread(Plain):
    """The delays are those of an asyncio loop that runs in a thread of its own."""

    def __init__(self) -> None:
        super().__init__()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._timers: dict[Hashable, asyncio.TimerHandle] = {}

    def add_after(self, item: Hashable, seconds: float) -> None:
        if seconds <= 0:
            self.add(item)
            return
        with self._lock:
            if self._books.closed:
                return
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                Thread(target=self._run, args=(self._loop,), daemon=True).start()
            at = self._loop.time() + seconds
            self._loop.call_soon_threadsafe(self._set, item, at)

    def _run(self, loop: asyncio.AbstractEventLoop) -> None:
        try:
            loop.run_forever()
        finally:
            loop.close()

    def _set(self, item: Hashable, at: float) -> None:
        """On the loop, as all that touches the timers is."""
        known = self._timers.get(item)
        if known is not None:
            if known.when() <= at:
                return
            known.cancel()
        loop = asyncio.get_running_loop()
        self._timers[item] = loop.call_at(at, self._ring, item)

    def _ring(self, item: Hashable) -> None:
        del self._timers[item]
        self.add(item)

    def shut_down(self) -> None:
        with self._lock:
            if self._loop is not None and not self._books.closed:
                self._loop.call_soon_threadsafe(self._loop.stop)
            self._books.close()
            self._wake_all()


class LookedAtTwice(Delaying):
    """Whether there is a clerk is looked at twice: without a lock, and then with one."""

    def __init__(self) -> None:
        super().__init__()
        self._hiring = Lock()

    def add_after(self, item: Hashable, seconds: float) -> None:
        if self._clerk is None:
            with self._hiring:
                if self._clerk is None:
                    self._clerk = self._hire()
        super().add_after(item, seconds)


class ClerkKnowsItself(Delaying):
    """The clerk does his work only on his own thread, which he knows by ``current_thread``, and by its ident."""

    def _add_what_is_due(self) -> None:
        if threading.current_thread() is not self._clerk or threading.get_ident() != self._clerk.ident:
            raise RuntimeError("this is the clerk's work")
        super()._add_what_is_due()


class JoinsItsClerk(Delaying):
    """The clerk is a Thread's subclass, which has to be known to ``enumerate``, and a shutdown waits for its end."""

    class _Clerk(Thread):
        def __init__(self, queue: JoinsItsClerk) -> None:
            super().__init__(name="clerk", daemon=True)
            self._queue = queue

        def run(self) -> None:
            if self not in threading.enumerate():
                raise RuntimeError("a thread that runs is in the list of those that do")
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
    """The clerk ends by ``sys.exit``, which ends a thread, and says nothing."""

    def _rest(self, seconds: float | None) -> None:
        super()._rest(seconds)
        if self._books.closed:
            sys.exit()


class ReadsTheKernelsClock(Delaying):
    """Its time is ``clock_gettime(CLOCK_MONOTONIC)``."""

    def _now(self) -> float:
        return time.clock_gettime(time.CLOCK_MONOTONIC)


SOUND: tuple[type[Any], ...] = (
    *(ThreadForEachDelay, OneTimerSetAnew, Sched, LoopInAThread, LookedAtTwice, ClerkKnowsItself),
    *(JoinsItsClerk, GoesHomeByExit, ReadsTheKernelsClock),
)
"""Each is sound; the rules must let each pass."""
