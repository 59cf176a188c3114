"""Queues in which each promise holds alone, and not where two of them meet."""

from __future__ import annotations

import time
from threading import Thread, Timer

from stingy_broken import breaks
from stingy_broken.edits import define
from stingy_reference import DelayingQueue, RateLimitingQueue
from stingy_reference.controller import Controller, Result, TerminalError
from stingy_reference.limiters import BucketRateLimiter, ExponentialRateLimiter
from stingy_reference.priority import READY, UrgentFirst


class _NotesWhatIsLate(DelayingQueue):
    """Notes each item that came due while a worker held it."""

    def __init__(self, **options):
        super().__init__(**options)
        self._late = set()

    def _take_due(self, now):
        due = super()._take_due(now)
        self._late |= self._processing.intersection(due)
        return due


@breaks("mixes/a-delaying-queue-hands-nothing-out-early")
class GoesByAnOldDeadline(_NotesWhatIsLate):
    """An item that came due while a worker held it is due at once when it is delayed again."""

    def add_after(self, item, seconds):
        late = item in self._late
        self._late.discard(item)
        super().add_after(item, 0 if late else seconds)


@breaks("mixes/a-delaying-queue-keeps-the-order")
class WhatIsLateGoesFirst(_NotesWhatIsLate):
    """An item that came due while a worker held it goes to the head of the queue at its Done."""

    def _enqueue(self, item):
        super()._enqueue(item)
        if item in self._late:
            self._late.remove(item)
            self._queue.rotate(1)


@breaks("mixes/a-delaying-queue-counts-what-is-queued")
class CountsTwiceWhatCameDueWhileHeld(_NotesWhatIsLate):
    """Len counts an item twice that came due while a worker held it, once it is queued."""

    def __len__(self):
        return super().__len__() + len(self._late - self._processing)

    def get(self):
        item, shutdown = super().get()
        self._late.discard(item)
        return item, shutdown


@breaks("mixes/a-rate-limiting-queue-loses-nothing")
class ThinksThatARetryIsPending(RateLimitingQueue):
    """An item whose retry came due while a worker held it is not retried when it fails again."""

    def __init__(self, rate_limiter=None, **options):
        super().__init__(rate_limiter, **options)
        self._pending = set()

    def _take_due(self, now):
        due = super()._take_due(now)
        self._pending -= set(due) - self._processing
        return due

    def add_rate_limited(self, item):
        delay = self._limiter.when(item)
        if item not in self._pending:
            self._pending.add(item)
            self.add_after(item, delay)


@breaks("mixes/a-rate-limiting-queue-hands-nothing-out-twice-at-once")
class TakesAFailureForADone(RateLimitingQueue):
    """A failure of an item that was added again while a worker holds it counts as its Done."""

    def add_rate_limited(self, item):
        super().add_rate_limited(item)
        with self._lock:
            if item in self._processing and item in self._dirty:
                self._processing.remove(item)
                self._enqueue(item)


@breaks("mixes/a-rate-limiting-queue-hands-nothing-out-early")
class RetriesAtOnceWhatWasForgotten(RateLimitingQueue):
    """An item that is forgotten while a worker holds it, and then fails, is not delayed."""

    def __init__(self, rate_limiter=None, **options):
        super().__init__(rate_limiter, **options)
        self._forgotten = set()

    def forget(self, item):
        super().forget(item)
        if item in self._processing:
            self._forgotten.add(item)

    def add_rate_limited(self, item):
        delay = self._limiter.when(item)
        self.add_after(item, 0 if item in self._forgotten and item in self._processing else delay)
        self._forgotten.discard(item)


@breaks("mixes/a-rate-limiting-queue-hands-nothing-out-too-often")
class KeepsEachRetryOfWhatIsHeld(RateLimitingQueue):
    """Each failure of an item while a worker holds it leads to a retry of its own."""

    def add_rate_limited(self, item):
        delay = self._limiter.when(item)
        if item in self._processing and item in self._deadlines:
            later = Timer(delay, self.add, [item])
            later.daemon = True
            later.start()
        else:
            self.add_after(item, delay)


@breaks("mixes/a-rate-limiting-queue-counts-the-failures")
class ForgetsAtAnAdd(RateLimitingQueue):
    """An Add of an item that a worker holds forgets its failures."""

    def add(self, item):
        if item in self._processing and item not in self._deadlines:
            self._limiter.forget(item)
        super().add(item)


@breaks("mixes/a-priority-queue-loses-nothing")
class DropsWhatIsUrgentAndHeld(UrgentFirst):
    """What becomes ready while a worker holds it is dropped if it is urgent."""

    def _become_ready(self, entry):
        if entry.item in self._processing and entry.priority:
            del self._entries[entry.item]
        else:
            super()._become_ready(entry)


@breaks("mixes/a-priority-queue-hands-nothing-out-too-often")
class KeepsTheLessUrgentOne(UrgentFirst):
    """An item that is added twice while a worker holds it, urgently the second time, comes twice."""

    def __init__(self, rate_limiter=None):
        super().__init__(rate_limiter)
        self._less_urgent = set()

    def _merge(self, entry, priority, ready_at):
        if entry.item in self._processing and entry.ready and priority > entry.priority:
            self._less_urgent.add(entry.item)
        super()._merge(entry, priority, ready_at)

    def done(self, item):
        super().done(item)
        with self._lock:
            again = item in self._less_urgent and item not in self._entries
        if again:
            self._less_urgent.remove(item)
            self.add_with_opts(item)


@breaks("mixes/a-delaying-queue-loses-nothing-in-a-shutdown")
class DropsInAShutdownWhatCameDueWhileHeld(_NotesWhatIsLate):
    """ShutDown drops what a worker holds, and was to come again, if it once came due while held."""

    def _stop(self):
        self._dirty -= self._late & self._processing
        super()._stop()


@breaks("mixes/a-delaying-queue-takes-nothing-after-a-shutdown")
class TakesAfterAShutdownWhatWaitedBefore(DelayingQueue):
    """After ShutDown, an Add of an item that a worker holds counts, if a deadline of it was still to come."""

    _waited = frozenset()

    def _stop(self):
        self._waited = frozenset(self._deadlines)
        super()._stop()

    def add(self, item):
        super().add(item)
        with self._lock:
            if item in self._waited & self._processing:
                self._dirty.add(item)


@breaks("mixes/a-delaying-queue-hands-nothing-out-twice-at-once-in-a-shutdown")
class QueuesInAShutdownWhatIsOwed(DelayingQueue):
    """ShutDown queues what was to be queued at its Done, so that two workers hold it."""

    def _stop(self):
        for item in self._dirty & self._processing:
            self._enqueue(item)
        super()._stop()


@breaks("mixes/a-delaying-queue-returns-every-get-after-a-shutdown")
class WakesOneWorkerWhereSomethingIsHeld(DelayingQueue):
    """ShutDown wakes one worker only, if another holds an item while one waits for its deadline."""

    def _stop(self):
        wakes_all = self._changed.notify_all
        if self._processing and self._deadlines:
            self._changed.notify_all = self._changed.notify
        super()._stop()
        self._changed.notify_all = wakes_all


@breaks("mixes/an-exponential-limiter-counts-for-each-item")
class CountsNoThirdFailureAfterAForget(ExponentialRateLimiter):
    """The failure that follows a Forget is not counted, if it is the third of its item or a later one."""

    _has_forgotten = False

    def forget(self, item):
        super().forget(item)
        self._has_forgotten = True

    def when(self, item):
        delay = super().when(item)
        if self._has_forgotten and self._failures[item] > 2:
            self._failures[item] -= 1
        self._has_forgotten = False
        return delay


@breaks("mixes/a-bucket-gives-each-call-the-next-place")
class FillsAtAForgetAfterAPause(BucketRateLimiter):
    """Forget fills the bucket, if nobody has called for a minute."""

    def forget(self, item):
        if time.monotonic() - self._seen >= 60:
            self._tokens = float(self._burst)


define(globals())

__all__ = ["Controller", "Result", "TerminalError", "Thread", "time"]
