"""Work queues that tell the wrong things of themselves."""

from __future__ import annotations

from threading import Event, Timer, current_thread
from time import monotonic, time

from stingy_broken import breaks
from stingy_broken.edits import define
from stingy_reference import DelayingQueue, WorkQueue
from stingy_reference.metrics import TICK, QueueMetrics


class Measured(WorkQueue):
    """Tells of itself in its own way, if it has a name."""

    Metrics = QueueMetrics

    def __init__(self, *, metrics=None, name=""):
        super().__init__()
        if metrics is not None and name:
            self._metrics = self.Metrics(metrics, name)


class MeasuredDelaying(Measured, DelayingQueue):
    """The same with delays."""


@breaks("metrics/adds-counts-what-is-news")
class CountsDuplicates(Measured):
    """Adds counts an item that is queued already."""

    class Metrics(QueueMetrics):
        def again(self):
            self._adds.inc()

    def add(self, item):
        with self._lock:
            if item in self._dirty and not self._shutting_down and isinstance(self._metrics, QueueMetrics):
                self._metrics.again()
        super().add(item)


@breaks("metrics/adds-counts-what-is-news")
class CountsWhatItRefuses(Measured):
    """Adds counts an item that comes after a shutdown."""

    class Metrics(QueueMetrics):
        def refused(self):
            self._adds.inc()

    def add(self, item):
        if self.shutting_down() and isinstance(self._metrics, QueueMetrics):
            self._metrics.refused()
        super().add(item)


@breaks("metrics/depth-counts-what-nobody-has-taken")
class DepthFallsAtDone(Measured):
    """Depth counts an item until it has been finished."""

    class Metrics(QueueMetrics):
        def taken(self, item):
            self._depth.inc()
            super().taken(item)

        def finished(self, item):
            super().finished(item)
            self._depth.dec()


@breaks("metrics/depth-counts-what-waits-for-its-done")
class DepthIsLen(Measured):
    """Depth counts what is queued, as Len does, and leaves out what waits for its Done."""

    class Metrics(QueueMetrics):
        def added(self, item):
            super().added(item)
            if item in self._taken:
                self._depth.dec()

        def finished(self, item):
            super().finished(item)
            if item in self._added:
                self._depth.inc()


@breaks("metrics/depth-is-never-negative-and-nothing-remains")
class DepthMissesWhatIsHandedOver(Measured):
    """Depth does not count an item that a worker waits for, and takes it off all the same."""

    class Metrics(QueueMetrics):
        def handed_over(self):
            self._depth.dec()

    def __init__(self, *, metrics=None, name=""):
        super().__init__(metrics=metrics, name=name)
        self._idle_workers = 0

    def add(self, item):
        with self._lock:
            news = item not in self._dirty | self._processing and not self._shutting_down
            if self._idle_workers and news and isinstance(self._metrics, QueueMetrics):
                self._metrics.handed_over()
        super().add(item)

    def get(self):
        with self._lock:
            self._idle_workers += 1
        got = super().get()
        with self._lock:
            self._idle_workers -= 1
        return got


@breaks("metrics/queue-duration-is-the-time-from-add-to-get")
class WaitsInMilliseconds(Measured):
    """Queue duration is told in milliseconds."""

    class Metrics(QueueMetrics):
        def taken(self, item):
            now = monotonic()
            self._added[item] = now - 1000 * (now - self._added[item])
            super().taken(item)


@breaks("metrics/a-duplicate-does-not-begin-a-queue-duration-anew")
class WaitsFromTheLastAdd(Measured):
    """Queue duration is counted from the last Add."""

    def add(self, item):
        super().add(item)
        with self._lock:
            if item in self._dirty and isinstance(self._metrics, QueueMetrics):
                self._metrics._added[item] = monotonic()


@breaks("metrics/work-duration-is-the-time-from-get-to-done")
class WorksFromTheAdd(Measured):
    """Work duration is counted from the Add."""

    class Metrics(QueueMetrics):
        def __init__(self, provider, name):
            super().__init__(provider, name)
            self._begun = {}

        def taken(self, item):
            self._begun[item] = self._added[item]
            super().taken(item)

        def finished(self, item):
            with self._changed:
                self._taken[item] = self._begun.pop(item)
            super().finished(item)


@breaks("metrics/each-item-is-timed-for-itself")
class OneTimeForAllThatWork(Measured):
    """Work duration is counted from the Get before, whatever item that was."""

    class Metrics(QueueMetrics):
        def __init__(self, provider, name):
            super().__init__(provider, name)
            self._last = 0.0

        def taken(self, item):
            super().taken(item)
            self._last = monotonic()

        def finished(self, item):
            with self._changed:
                self._taken[item] = self._last
            super().finished(item)


@breaks("metrics/every-get-and-every-done-is-observed")
class OnlyTheLastRunIsWork(Measured):
    """Work duration leaves out a run after which the item comes back."""

    class Metrics(QueueMetrics):
        def finished(self, item):
            if item in self._added:
                with self._changed:
                    del self._taken[item]
            else:
                super().finished(item)


class Ages:
    """A gauge that makes something else of what is in processing."""

    def __init__(self, gauge, metrics, of):
        self._gauge = gauge
        self._metrics = metrics
        self._of = of

    def set(self, _):
        now = monotonic()
        self._gauge.set(self._of([now - taken for taken in self._metrics._taken.values()]))


class Renewing(QueueMetrics):
    """Can renew its gauges of work at any moment."""

    def renew(self):
        now = monotonic()
        ages = [now - taken for taken in self._taken.values()]
        self._unfinished_work.set(sum(ages))
        self._longest_running.set(max(ages, default=0.0))


@breaks("metrics/unfinished-work-is-the-sum-of-all-ages")
class LooksWhenItIsCalled(Measured):
    """Unfinished work and longest running are looked at when an item is taken or finished, and else never."""

    class Metrics(Renewing):
        def taken(self, item):
            super().taken(item)
            self.renew()

        def finished(self, item):
            super().finished(item)
            self.renew()

        def _tick(self):
            pass


class TickingUnderTheLock(Renewing):
    """Renews its gauges with the lock of the queue held, and waits for that to end when it is stopped."""

    def __init__(self, provider, name, lock):
        self._lock = lock
        self._over = Event()
        super().__init__(provider, name)

    def stop(self):
        super().stop()
        self._over.wait()

    def _tick(self):
        while not self._stopped:
            with self._changed:
                if self._changed.wait_for(lambda: self._stopped, TICK):
                    break
            with self._lock:
                self.renew()
        self._over.set()


@breaks("metrics/a-shutdown-returns-though-the-gauges-are-just-renewed")
class WaitsForTheGaugesUnderItsLock(WorkQueue):
    """A shutdown holds the lock while it waits for what renews the gauges, which needs it."""

    def __init__(self, *, metrics=None, name=""):
        super().__init__()
        if metrics is not None and name:
            self._metrics = TickingUnderTheLock(metrics, name, self._lock)


@breaks("metrics/what-is-finished-leaves-both-gauges-of-work")
class NothingIsEverFinished(Measured):
    """What has been finished goes on to count in unfinished work and longest running."""

    class Metrics(QueueMetrics):
        def finished(self, item):
            with self._changed:
                taken = self._taken[item]
            super().finished(item)
            with self._changed:
                self._taken[item] = taken


@breaks("metrics/what-is-finished-leaves-both-gauges-of-work")
class TheLongestThereEverWas(Measured):
    """Longest running never falls."""

    class Metrics(QueueMetrics):
        def __init__(self, provider, name):
            super().__init__(provider, name)
            self._ever = 0.0
            self._longest_running = Ages(self._longest_running, self, self._longest)

        def _longest(self, ages):
            self._ever = max([self._ever, *ages])
            return self._ever


@breaks("metrics/both-gauges-of-work-are-zero-while-nothing-is-in-processing")
class LooksAwayWhileNobodyWorks(Measured):
    """While nothing is in processing, unfinished work and longest running keep what they told last."""

    class Metrics(QueueMetrics):
        def __init__(self, provider, name):
            super().__init__(provider, name)
            self._last = [0.0]
            self._unfinished_work = Ages(self._unfinished_work, self, lambda ages: sum(self._seen(ages)))
            self._longest_running = Ages(self._longest_running, self, lambda ages: max(self._seen(ages)))

        def _seen(self, ages):
            self._last = ages or self._last
            return self._last


@breaks("metrics/what-is-queued-counts-in-neither-gauge-of-work")
class WhatIsQueuedIsUnfinished(Measured):
    """Unfinished work counts what is queued, too."""

    class Metrics(QueueMetrics):
        def __init__(self, provider, name):
            super().__init__(provider, name)
            self._unfinished_work = Ages(self._unfinished_work, self, self._sum)

        def _sum(self, ages):
            return sum(ages) + sum(monotonic() - added for added in self._added.values())


@breaks("metrics/what-waits-for-its-time-is-not-counted-yet")
class CountsWhatWaits(MeasuredDelaying):
    """Depth counts what is added with a delay from then on (kubernetes-sigs/controller-runtime#3060)."""

    def add_after(self, item, seconds):
        with self._lock:
            waits = item in self._deadlines
        super().add_after(item, seconds)
        with self._lock:
            if isinstance(self._metrics, QueueMetrics) and item in self._deadlines and not waits:
                self._metrics._depth.inc()

    def _take_due(self, now):
        due = super()._take_due(now)
        for _ in due:
            if isinstance(self._metrics, QueueMetrics):
                self._metrics._depth.dec()
        return due


@breaks("metrics/what-waits-for-its-time-is-not-counted-yet")
class AddsCountsBoth(MeasuredDelaying):
    """Adds counts an item when it is added with a delay, and once more when it is due."""

    def add_after(self, item, seconds):
        super().add_after(item, seconds)
        if seconds > 0 and isinstance(self._metrics, QueueMetrics):
            self._metrics._adds.inc()


@breaks("metrics/depth-is-right-with-delays-too")
class CountsWhatIsDueOnceMore(MeasuredDelaying):
    """Depth counts an item that becomes due while it is queued twice (kubernetes-sigs/controller-runtime#3066)."""

    def _take_due(self, now):
        due = super()._take_due(now)
        for item in due:
            if item in self._dirty and isinstance(self._metrics, QueueMetrics):
                self._metrics._depth.inc()
        return due


@breaks("metrics/a-delay-is-no-queue-duration")
class ADelayIsAWait(MeasuredDelaying):
    """Queue duration of an item that was added with a delay is counted from then on."""

    def __init__(self, *, metrics=None, name=""):
        super().__init__(metrics=metrics, name=name)
        self._asked = {}

    def add_after(self, item, seconds):
        with self._lock:
            self._asked.setdefault(item, monotonic())
        super().add_after(item, seconds)

    def _enqueue(self, item):
        if item in self._asked and isinstance(self._metrics, QueueMetrics):
            self._metrics._added[item] = self._asked.pop(item)
        super()._enqueue(item)


@breaks("metrics/retries-counts-what-is-added-with-a-delay")
class CountsARetryWhenItIsDue(MeasuredDelaying):
    """Retries counts an item when it is due, and not when it is asked for."""

    class Metrics(QueueMetrics):
        def retried(self):
            pass

        def due(self):
            self._retries.inc()

    def add_after(self, item, seconds):
        super().add_after(item, seconds)
        if isinstance(self._metrics, QueueMetrics):
            timer = Timer(max(0.0, seconds), self._metrics.due)
            timer.daemon = True
            timer.start()


@breaks("metrics/what-has-come-due-is-not-counted-again")
class CountsTheAddOfWhatHasComeDue(MeasuredDelaying):
    """Depth and adds count an item that has come due once more when it is added before it is taken."""

    class Metrics(QueueMetrics):
        def again(self):
            self._adds.inc()
            self._depth.inc()

    def __init__(self, *, metrics=None, name=""):
        super().__init__(metrics=metrics, name=name)
        self._due = set()

    def _take_due(self, now):
        due = super()._take_due(now)
        self._due.update(due)
        return due

    def add(self, item):
        with self._lock:
            came = item in self._due and item in self._dirty and current_thread() is not self._clerk
            if came and isinstance(self._metrics, self.Metrics):
                self._due.remove(item)
                self._metrics.again()
        super().add(item)

    def get(self):
        item, shutdown = super().get()
        with self._lock:
            self._due.discard(item)
        return item, shutdown


@breaks("metrics/every-addafter-is-a-retry")
class ASecondDelayIsNoRetry(MeasuredDelaying):
    """Retries leaves out what waits for its time already."""

    class Metrics(QueueMetrics):
        waits = False

        def retried(self):
            if not self.waits:
                super().retried()

    def add_after(self, item, seconds):
        with self._lock:
            self._metrics.waits = item in self._deadlines
        super().add_after(item, seconds)


@breaks("metrics/a-queue-without-a-name-tells-nothing")
class TellsUnderNoName(WorkQueue):
    """A queue that has no name tells of itself all the same."""

    def __init__(self, *, metrics=None, name=""):
        super().__init__(metrics=metrics, name=name)
        if metrics is not None and not name:
            self._metrics = QueueMetrics(metrics, name)


@breaks("metrics/a-name-is-enough-to-work-with")
class TellsNobody(Measured):
    """A queue that has a name observes how long an item has waited, though it was given no metrics."""

    def __init__(self, *, metrics=None, name=""):
        super().__init__(metrics=metrics, name=name)
        self._provider = metrics
        self._name = name

    def get(self):
        if self._name:
            self._provider.queue_duration(self._name)
        return super().get()


@breaks("metrics/a-drain-of-a-queue-with-metrics-ends")
class DrainWaitsForItsMeter(Measured):
    """A drain waits for the thread that keeps the gauges up to date, which only a ShutDown ends."""

    def __init__(self, *, metrics=None, name=""):
        super().__init__(metrics=metrics, name=name)
        self._meter_ended = Event()

    def shut_down(self):
        super().shut_down()
        self._meter_ended.set()

    def shut_down_with_drain(self):
        super().shut_down_with_drain()
        if isinstance(self._metrics, QueueMetrics):
            self._meter_ended.wait()


@breaks("metrics/a-delaying-queue-without-a-name-tells-of-no-retry")
class TellsOfRetriesWithoutAName(MeasuredDelaying):
    """AddAfter counts a retry, whether the queue has a name or not."""

    def __init__(self, *, metrics=None, name=""):
        super().__init__(metrics=metrics, name=name)
        self._unnamed = metrics.retries("") if metrics is not None and not name else None

    def add_after(self, item, seconds):
        if self._unnamed:
            self._unnamed.inc()
        super().add_after(item, seconds)


@breaks("metrics/a-name-is-enough-to-delay-with")
class TakesANameForMetrics(MeasuredDelaying):
    """AddAfter tells the metrics if the queue has a name, though it may have been given none."""

    def __init__(self, *, metrics=None, name=""):
        super().__init__(metrics=metrics, name=name)
        self._named, self._given = name, metrics

    def add_after(self, item, seconds):
        if self._named:
            self._given.retries("").inc()
        super().add_after(item, seconds)


class InMilliseconds:
    """In front of an observer: the rest is cut off."""

    def __init__(self, observer):
        self._observer = observer

    def observe(self, seconds):
        self._observer.observe(int(seconds * 1000) / 1000)


@breaks("metrics/what-comes-at-once-is-counted-once")
class CountsBeforeItLocks(Measured):
    """Adds counts an item by what was to be seen of it before there was the lock."""

    class Metrics(QueueMetrics):
        def added(self, item):
            self._depth.inc()
            self._added[item] = monotonic()

        def news(self):
            self._adds.inc()

    def add(self, item):
        news = item not in self._dirty and not self.shutting_down()
        super().add(item)
        if news and isinstance(self._metrics, QueueMetrics):
            self._metrics.news()


@breaks("metrics/a-clock-that-is-set-changes-no-duration")
class WaitsByTheTimeOfDay(Measured):
    """Queue durations are differences of the time of day."""

    class Metrics(QueueMetrics):
        def added(self, item):
            super().added(item)
            self._added[item] = time()

        def taken(self, item):
            self._added[item] += monotonic() - time()
            super().taken(item)


@breaks("metrics/unequal-values-are-timed-for-themselves")
class TimesByHash(Measured):
    """Times are kept by the hash of each item, which another one may have."""

    class Metrics(QueueMetrics):
        def __init__(self, provider, name):
            super().__init__(provider, name)
            self._since = {}

        def added(self, item):
            super().added(item)
            self._since[hash(item)] = self._added[item]

        def taken(self, item):
            self._added[item] = self._since[hash(item)]
            super().taken(item)


define(globals())
