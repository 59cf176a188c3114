"""Candidates that share with others in the same process what should be their own."""

from __future__ import annotations

from threading import Condition, Lock
from time import monotonic
from typing import ClassVar
from weakref import WeakSet

from stingy_broken import breaks
from stingy_broken.plain import WorkQueue
from stingy_reference import (
    BucketRateLimiter,
    Controller,
    EndpointsChangeTracker,
    Proxy,
    TriggerTimeTracker,
)
from stingy_reference.controller import Result, TerminalError
from stingy_reference.delaying import DelayingQueue
from stingy_reference.priority import UrgentFirst


@breaks("handing_out/two-queues-know-nothing-of-each-other")
class HoldsForAll(WorkQueue):
    """The set of items in processing is on the class."""

    _held: ClassVar = set()

    def __init__(self):
        super().__init__()
        self._processing = self._held


@breaks("handing_out/two-queues-know-nothing-of-each-other")
class ShutsAllDown(WorkQueue):
    """The flag that the queue is shut down is on the class."""

    _down: ClassVar = []

    def shut_down(self):
        super().shut_down()
        self._down.append(True)

    def add(self, item):
        if not self._down:
            super().add(item)


@breaks("delays/two-queues-have-deadlines-of-their-own")
class KeepsDeadlinesForAll(DelayingQueue):
    """The deadlines of all queues are in one dictionary on the class."""

    _due: ClassVar = {}

    def __init__(self):
        super().__init__()
        self._deadlines = self._due


@breaks("delays/two-queues-have-deadlines-of-their-own")
class DropsWhatWaitsElsewhereToo(DelayingQueue):
    """A shutdown drops what waits, by its name, in all queues."""

    _all: ClassVar = WeakSet()

    def __init__(self):
        super().__init__()
        self._all.add(self)

    def _stop(self):
        waited = [*self._deadlines]
        super()._stop()
        for queue in self._all:
            for item in waited:
                queue._deadlines.pop(item, None)


@breaks("delays/two-queues-have-deadlines-of-their-own")
class EndsWithTheFirst(DelayingQueue):
    """All queues lose what waits when the one is shut down that was the first to delay anything."""

    _first: ClassVar = []

    def add_after(self, item, seconds):
        if not self._first:
            self._first.append(self)
        super().add_after(item, seconds)

    def shut_down(self):
        super().shut_down()
        if self._first == [self]:
            self._first.append(None)

    def _take_due(self, now):
        due = super()._take_due(now)
        return [] if None in self._first else due


@breaks("bucket/two-buckets-share-nothing")
class SharesItsTokens(BucketRateLimiter):
    """The tokens are on the class; each bucket that is made adds its burst."""

    _all: ClassVar = [0.0, 0.0]

    def __init__(self, rate, burst):
        super().__init__(rate, burst)
        self._all[:] = min(burst, self._all[0] + burst), monotonic()

    def when(self, item):
        self._tokens, self._seen = self._all
        wait = super().when(item)
        self._all[:] = self._tokens, self._seen
        return wait


@breaks("workers/an-add-wakes-a-worker-of-its-own-queue")
class WakesForAll(WorkQueue):
    """The condition is on the class, and Add wakes one of all workers that wait."""

    _lock_of_all: ClassVar = Lock()
    _changed_of_all: ClassVar = Condition(_lock_of_all)

    def __init__(self):
        super().__init__()
        self._lock, self._changed = self._lock_of_all, self._changed_of_all
        self._idle = Condition(self._lock)


@breaks("priority/two-queues-know-nothing-of-each-other")
class RanksForAll(UrgentFirst):
    """What an item is worth is kept on the class."""

    _worth: ClassVar = {}

    def add_with_opts(self, item, *, priority=0, after=0.0, rate_limited=False):
        priority = self._worth[item] = max(priority, self._worth.get(item, priority))
        super().add_with_opts(item, priority=priority, after=after, rate_limited=rate_limited)

    def done(self, item):
        self._worth.pop(item, None)
        super().done(item)


@breaks("controller/two-controllers-know-nothing-of-each-other")
class PutsOffWhatIsUnderWay(Controller):
    """The keys that are under way are on the class: another controller puts them off for ten seconds."""

    _under_way: ClassVar = set()

    def _handle(self, key):
        if key in self._under_way:
            self._queue.add_after(key, 10.0)
            return
        self._under_way.add(key)
        try:
            super()._handle(key)
        finally:
            self._under_way.discard(key)


@breaks("triggers/two-trackers-know-nothing-of-each-other")
class HasSeenForAll(TriggerTimeTracker):
    """What was seen is kept on the class."""

    _all: ClassVar = {}

    def __init__(self):
        super().__init__()
        self._seen = self._all


@breaks("checkout/two-trackers-know-nothing-of-each-other")
class ChecksOutForAll(EndpointsChangeTracker):
    """The services that have changed are on the class."""

    _all: ClassVar = set()

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        self._services = self._all


@breaks("latency/two-proxies-know-nothing-of-each-other")
class HasListsForAll(Proxy):
    """Which lists are complete is kept on the class."""

    _complete: ClassVar = set()

    def services_synced(self):
        self._complete.add("services")

    def slices_synced(self):
        self._complete.add("slices")

    def sync(self, program):
        if self._complete == {"services", "slices"}:
            super().services_synced()
            super().slices_synced()
        return super().sync(program)


__all__ = ["Result", "TerminalError"]
