"""Delays, by every means to watch the time."""

from __future__ import annotations

import asyncio
import sched
import sys
import threading
import time
from bisect import bisect_right, insort
from collections.abc import Hashable
from itertools import count
from threading import Event, Lock, Thread, Timer
from typing import Any

from stingy_sound.oddities.books import Delaying, Plain


class TimerForEachByPerfCounter(Plain):
    """A cancellable Timer for each item that waits; deadlines are readings of ``perf_counter``."""

    def __init__(self) -> None:
        super().__init__()
        self._timers: dict[Hashable, tuple[float, Timer]] = {}

    def add_after(self, item: Hashable, seconds: float) -> None:
        if seconds <= 0:
            self.add(item)
            return
        with self._lock:
            at = time.perf_counter() + seconds
            promised, timer = self._timers.get(item, (at, None))
            if self._books.closed or (timer and promised <= at):
                return
            if timer:
                timer.cancel()
            timer = Timer(seconds, self._ring, (item, at))
            timer.daemon = True
            self._timers[item] = at, timer
            timer.start()

    def _ring(self, item: Hashable, at: float) -> None:
        with self._lock:
            if self._timers.get(item, (None,))[0] == at:
                del self._timers[item]
                if self._books.add(item):
                    self._wake()

    def shut_down(self) -> None:
        super().shut_down()
        with self._lock:
            for _, timer in self._timers.values():
                timer.cancel()
            self._timers.clear()


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


class Wheel(Delaying):
    """A wheel of 64 slots turns by one each 50 ms while anything waits; what has to wait for longer goes round."""

    SLOTS, TICK = 64, 0.05

    def __init__(self) -> None:
        super().__init__()
        self._slots: list[list[tuple[float, Hashable]]] = [[] for _ in range(self.SLOTS)]
        self._waiting: dict[Hashable, float] = {}

    def add_after(self, item: Hashable, seconds: float) -> None:
        if seconds <= 0:
            self.add(item)
            return
        with self._lock:
            at = self._now() + seconds
            if self._books.closed or self._waiting.get(item, sys.maxsize) <= at:
                return
            self._waiting[item] = at
            self._slots[int(at / self.TICK) % self.SLOTS].append((at, item))
            if self._clerk is None:
                self._clerk = self._hire()
            self._hurry()

    def _keep_looking(self) -> None:
        with self._lock:
            tick = int(self._now() / self.TICK)
            while not self._books.closed:
                if not self._waiting:
                    self._rest(None)
                    tick = int(self._now() / self.TICK)
                    continue
                now = self._now()
                last = int(now / self.TICK)
                self._empty(
                    {turn % self.SLOTS for turn in range(max(tick, last - self.SLOTS), last + 1)}, now
                )
                tick = last
                self._lock.release()
                try:
                    time.sleep(self.TICK)
                finally:
                    self._lock.acquire()

    def _empty(self, slots: set[int], now: float) -> None:
        due = [each for slot in slots for each in self._slots[slot] if each[0] <= now]
        for slot in slots:
            self._slots[slot] = [each for each in self._slots[slot] if each[0] > now]
        for at, item in sorted(due, key=lambda each: each[0]):
            if self._waiting.get(item) == at:
                del self._waiting[item]
                if self._books.add(item):
                    self._wake()

    def shut_down(self) -> None:
        super().shut_down()
        with self._lock:
            self._waiting.clear()


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


class SortedByBisect(Delaying):
    """The deadlines are a sorted list, kept so by ``bisect``; a shorter wait takes the longer one out."""

    class _Sorted:
        def __init__(self) -> None:
            self._list: list[tuple[float, int, Hashable]] = []
            self._entries: dict[Hashable, tuple[float, int, Hashable]] = {}
            self._numbers = count()

        def ask(self, item: Hashable, at: float) -> bool:
            known = self._entries.get(item)
            if known is not None:
                if known[0] <= at:
                    return False
                self._list.remove(known)
            entry = self._entries[item] = at, next(self._numbers), item
            insort(self._list, entry, key=lambda entry: entry[:2])
            return True

        def due(self, now: float) -> list[Hashable]:
            number = bisect_right(self._list, now, key=lambda entry: entry[0])
            over, self._list = self._list[:number], self._list[number:]
            for *_, item in over:
                del self._entries[item]
            return [item for *_, item in over]

        @property
        def next(self) -> float | None:
            return self._list[0][0] if self._list else None

        def clear(self) -> None:
            self._list.clear()
            self._entries.clear()

    def __init__(self) -> None:
        super().__init__()
        self._deadlines: Any = self._Sorted()


class CrossedOut(Delaying):
    """A heap whose entries are crossed out where they stand, as the manual of ``heapq`` does it."""

    class _Heap:
        CROSSED_OUT = object()

        def __init__(self) -> None:
            self._heap: list[list[Any]] = []
            self._entries: dict[Hashable, list[Any]] = {}
            self._numbers = count()

        def ask(self, item: Hashable, at: float) -> bool:
            from heapq import heappush

            known = self._entries.get(item)
            if known is not None:
                if known[0] <= at:
                    return False
                known[-1] = self.CROSSED_OUT
            entry = self._entries[item] = [at, next(self._numbers), item]
            heappush(self._heap, entry)
            return True

        def due(self, now: float) -> list[Hashable]:
            from heapq import heappop

            over = []
            while self._heap and self._heap[0][0] <= now:
                item = heappop(self._heap)[-1]
                if item is not self.CROSSED_OUT:
                    del self._entries[item]
                    over.append(item)
            return over

        @property
        def next(self) -> float | None:
            return self._heap[0][0] if self._heap else None

        def clear(self) -> None:
            self._heap.clear()
            self._entries.clear()

    def __init__(self) -> None:
        super().__init__()
        self._deadlines: Any = self._Heap()


class ClerkFromTheBeginning(Delaying):
    """The clerk is a daemon thread that is started where the queue is made; he waits at an event, for so long."""

    def __init__(self) -> None:
        super().__init__()
        self._news = Event()
        self._clerk = self._hire()

    def _hurry(self) -> None:
        self._news.set()

    def _keep_looking(self) -> None:
        while True:
            with self._lock:
                if self._books.closed:
                    return
                self._add_what_is_due()
                soonest = self._deadlines.next
            self._news.wait(None if soonest is None else max(0, soonest - self._now()))
            self._news.clear()


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


class CountsInNanoseconds(Delaying):
    """Its time is a whole number of nanoseconds."""

    def __init__(self) -> None:
        super().__init__()
        self._second = 1_000_000_000

    def add_after(self, item: Hashable, seconds: float) -> None:
        super().add_after(item, seconds * self._second)

    def _now(self) -> float:
        return time.monotonic_ns()

    def _rest(self, seconds: float | None) -> None:
        super()._rest(None if seconds is None else seconds / self._second)


class ReadsTheKernelsClock(Delaying):
    """Its time is ``clock_gettime(CLOCK_MONOTONIC)``."""

    def _now(self) -> float:
        return time.clock_gettime(time.CLOCK_MONOTONIC)


SOUND: tuple[type[Any], ...] = (
    TimerForEachByPerfCounter,
    ThreadForEachDelay,
    OneTimerSetAnew,
    Sched,
    Wheel,
    LoopInAThread,
    SortedByBisect,
    CrossedOut,
    ClerkFromTheBeginning,
    LookedAtTwice,
    ClerkKnowsItself,
    JoinsItsClerk,
    GoesHomeByExit,
    CountsInNanoseconds,
    ReadsTheKernelsClock,
)
"""Each is sound; the rules must let each pass."""
