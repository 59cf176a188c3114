"""Queues and controllers of which something expires."""

from __future__ import annotations

from collections import defaultdict
from time import monotonic

from stingy_broken import breaks
from stingy_broken.edits import define
from stingy_broken.metrics import Measured
from stingy_broken.plain import WorkQueue
from stingy_reference import DelayingQueue, ExponentialRateLimiter, Proxy, RateLimitingQueue
from stingy_reference.controller import Controller
from stingy_reference.priority import UrgentFirst

TEN_MINUTES, HOUR, DAY = 600, 3_600, 86_400


class _Leases:
    """An item that was held for more than ten minutes is free at its next Add."""

    def __init__(self, *given, **options):
        super().__init__(*given, **options)
        self._since = {}

    def add(self, item):
        with self._lock:
            if monotonic() - self._since.get(item, monotonic()) > TEN_MINUTES:
                self._processing.discard(item)
        super().add(item)

    def get(self):
        item, shutdown = super().get()
        self._since[item] = monotonic()
        return item, shutdown

    def done(self, item):
        self._since.pop(item, None)
        super().done(item)


@breaks("lasting/a-queue-that-is-left-alone-stays-as-it-is")
class LeasesWhatIsHeld(_Leases, WorkQueue):
    """An item that was held for more than ten minutes is handed out again by the next Add, as after a visibility time-out."""


@breaks("lasting/a-queue-that-is-left-alone-stays-as-it-is")
class ForgetsTheMark(WorkQueue):
    """That an item was added while it was processed is forgotten after an hour."""

    def __init__(self):
        super().__init__()
        self._marked = defaultdict(monotonic)

    def add(self, item):
        with self._lock:
            self._marked[item] = monotonic()
        super().add(item)

    def done(self, item):
        with self._lock:
            if monotonic() - self._marked[item] > HOUR:
                self._dirty.discard(item)
        super().done(item)


@breaks("lasting/what-was-owed-at-shutdown-is-handed-out-however-late-its-done-is")
class ForgetsWhatItOwes(WorkQueue):
    """An item that a Done brings back more than an hour after the shutdown is dropped."""

    def __init__(self):
        super().__init__()
        self._until = float("inf")

    def shut_down(self):
        self._until = monotonic() + HOUR
        super().shut_down()

    def done(self, item):
        with self._lock:
            if monotonic() > self._until:
                self._dirty.discard(item)
        super().done(item)


@breaks("lasting/a-delaying-queue-that-is-left-alone-stays-as-it-is")
class LeasesWhileSomethingWaits(_Leases, DelayingQueue):
    """While something waits for its deadline, an item that was held for more than ten minutes is handed out again."""

    def add(self, item):
        if not self._deadlines:
            self._since.clear()
        super().add(item)


@breaks("lasting/a-priority-queue-that-is-left-alone-stays-as-it-is")
class LeasesByPriority(UrgentFirst):
    """An item that was held for more than ten minutes is handed out again by the next Add."""

    def __init__(self, rate_limiter=None):
        super().__init__(rate_limiter)
        self._since = {}

    def add_with_opts(self, item, **options):
        with self._lock:
            if monotonic() - self._since.get(item, monotonic()) > TEN_MINUTES:
                self._processing.discard(item)
        super().add_with_opts(item, **options)

    def get_with_priority(self):
        item, priority, shutdown = super().get_with_priority()
        self._since[item] = monotonic()
        return item, priority, shutdown


@breaks("lasting/an-item-that-is-due-is-there-however-late-it-is-asked-for")
class DropsWhatNobodyTakes(DelayingQueue):
    """An item that nobody has taken for an hour is dropped."""

    def __init__(self, **options):
        super().__init__(**options)
        self._pushed = {}

    def _enqueue(self, item):
        self._pushed[item] = monotonic()
        super()._enqueue(item)

    def get(self):
        with self._lock:
            for item in [it for it in self._queue if monotonic() - self._pushed[it] > HOUR]:
                self._queue.remove(item)
                self._dirty.discard(item)
        return super().get()


@breaks("lasting/failures-count-however-long-ago-they-were")
class ForgivesAfterAnHour(RateLimitingQueue):
    """Failures of an item are forgotten if the last one is an hour old."""

    def __init__(self, rate_limiter=None, **options):
        super().__init__(rate_limiter, **options)
        self._failed = {}

    def add_rate_limited(self, item):
        self._forgive(item)
        self._failed[item] = monotonic()
        super().add_rate_limited(item)

    def num_requeues(self, item):
        self._forgive(item)
        return super().num_requeues(item)

    def _forgive(self, item):
        if monotonic() - self._failed.get(item, monotonic()) > HOUR:
            self.forget(item)


@breaks("lasting/a-limiter-forgets-no-failure-as-time-passes")
class LimitsAnewAfterAnHour(ExponentialRateLimiter):
    """A failure is forgotten if the next one is more than an hour later."""

    def __init__(self, base_delay, max_delay):
        super().__init__(base_delay, max_delay)
        self._failed = {}

    def fail(self, item):
        if monotonic() - self._failed.get(item, monotonic()) > HOUR:
            self.forget(item)
        self._failed[item] = monotonic()
        return super().fail(item)


class _Leasing(_Leases, RateLimitingQueue):
    """A queue with leases for a controller."""


@breaks("lasting/a-latency-is-observed-however-late-the-sync-is")
class DropsYesterdaysTimes(Proxy):
    """A trigger time that is more than a day old is not measured."""

    def __init__(self, clock, ip_family="IPv4"):
        super().__init__(clock, ip_family)
        self._now = clock.time_ns

    def sync(self, program):
        for times in self._tracker._trigger_times.values():
            times[:] = [time for time in times if self._now() - time < DAY * 1_000_000_000]
        return super().sync(program)


define(globals())
