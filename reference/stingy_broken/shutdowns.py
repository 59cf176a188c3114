"""Work queues that shut down wrongly."""

from __future__ import annotations

from stingy_broken import caught_by
from stingy_broken.plain import WorkQueue


@caught_by(
    "shutdown/get-reports-the-shutdown",
    "shutdown/shutting-down-says-so",
    "drain/it-wakes-the-waiting-workers",
    "drain/it-refuses-what-is-new",
)
class NeverSendsThemHome(WorkQueue):
    """Get waits for an item, shutdown or not."""

    def get(self):
        with self._lock:
            while not self._queue:
                self._changed.wait()
        return super().get()


@caught_by(
    "shutdown/get-reports-the-shutdown",
    "drain/it-refuses-what-is-new",
)
class TellsItOnce(WorkQueue):
    """The second Get after a shutdown waits for ever."""

    def __init__(self):
        super().__init__()
        self._told = False

    def get(self):
        with self._lock:
            while self._told and not self._queue:
                self._changed.wait()
        item, shutdown = super().get()
        self._told = self._told or shutdown
        return item, shutdown


@caught_by(
    "shutdown/shutdown-wakes-every-waiting-worker",
    "shutdown/nothing-is-left-when-all-have-gone-home",
    "drain/it-wakes-the-waiting-workers",
    "interleavings/work-ends-in-every-order",
)
class WakesOneAtShutdown(WorkQueue):
    """A shutdown wakes one worker; the others wait on."""

    def _stop(self):
        self._shutting_down = True
        self._changed.notify()
        self._idle.notify_all()


@caught_by(
    "stingy/add-depends-on-where-the-item-is",
    "shutdown/what-is-added-after-it-is-ignored",
    "shutdown/also-for-an-item-in-processing",
    "drain/it-refuses-what-is-new",
    "interleavings/some-order-explains-a-drain",
    "interleavings/some-order-of-the-calls-explains-it",
)
class AcceptsAfterShutdown(WorkQueue):
    """Add does not look whether the queue is shutting down."""

    def add(self, item):
        with self._lock:
            if item in self._dirty:
                return
            self._dirty.add(item)
            if item not in self._processing:
                self._enqueue(item)


@caught_by("shutdown/also-for-an-item-in-processing")
class AcceptsWhatIsHeldAfterShutdown(WorkQueue):
    """After a shutdown Add refuses to queue, and still marks dirty what a worker holds."""

    def add(self, item):
        with self._lock:
            if item in self._processing:
                self._dirty.add(item)
                return
        super().add(item)


@caught_by(
    "length/len-goes-on-after-shutdown",
    "shutdown/what-was-queued-is-still-handed-out",
    "shutdown/the-flag-means-no-item",
    "interleavings/work-ends-in-every-order",
)
class DropsTheQueue(WorkQueue):
    """ShutDown throws away what is queued."""

    def shut_down(self):
        super().shut_down()
        with self._lock:
            self._dirty.difference_update(self._queue)
            self._queue.clear()


@caught_by(
    "shutdown/what-was-owed-is-still-handed-out",
    "shutdown/nothing-is-left-when-all-have-gone-home",
    "interleavings/work-ends-in-every-order",
)
class DropsWhatIsOwed(WorkQueue):
    """After a shutdown, Done brings nothing back."""

    def done(self, item):
        with self._lock:
            if self._shutting_down and not self._draining:
                self._dirty.discard(item)
        super().done(item)


@caught_by(
    "shutdown/what-was-queued-is-still-handed-out",
    "shutdown/what-was-owed-is-still-handed-out",
    "shutdown/the-flag-means-no-item",
    "drain/workers-go-on-with-what-is-queued",
    "drain/what-was-owed-comes-back-during-a-drain",
    "interleavings/work-ends-in-every-order",
    "interleavings/a-drain-ends-in-every-order",
)
class RaisesTheFlagWithTheLastItem(WorkQueue):
    """Reports the shutdown together with the last item."""

    def get(self):
        item, shutdown = super().get()
        with self._lock:
            return item, shutdown or (self._shutting_down and not self._queue)


@caught_by(
    "shutdown/the-flag-is-not-the-last-word",
    "shutdown/nothing-is-left-when-all-have-gone-home",
    "interleavings/work-ends-in-every-order",
)
class ShutsForGood(WorkQueue):
    """Once the shutdown has been reported, no Get returns an item any more."""

    def __init__(self):
        super().__init__()
        self._reported = False

    def get(self):
        if self._reported:
            return None, True
        item, shutdown = super().get()
        self._reported = self._reported or shutdown
        return item, shutdown


@caught_by("shutdown/a-second-shutdown-changes-nothing")
class RaisesAtTheSecondShutdown(WorkQueue):
    """A second ShutDown raises, as closing a closed channel does (kubernetes/kubernetes#77170)."""

    def __init__(self):
        super().__init__()
        self._closed = False

    def shut_down(self):
        if self._closed:
            raise RuntimeError("close of closed channel")
        self._closed = True
        super().shut_down()


@caught_by(
    "shutdown/also-for-an-item-in-processing",
    "shutdown/what-was-owed-is-still-handed-out",
    "shutdown/shutdown-waits-for-nobody",
    "drain/shutdown-ends-the-wait",
    "drain/whether-it-waits-after-a-shutdown",
    "interleavings/some-order-of-the-calls-explains-it",
)
class WaitsAtShutdown(WorkQueue):
    """ShutDown waits until nothing is being processed."""

    def shut_down(self):
        super().shut_down()
        with self._lock:
            while self._processing and not self._draining:
                self._idle.wait()


@caught_by(
    "shutdown/shutdown-waits-for-nobody",
    "shutdown/shutting-down-says-so",
    "interleavings/some-order-of-the-calls-explains-it",
)
class NeverSaysThatItShutsDown(WorkQueue):
    """ShuttingDown always answers false."""

    def shutting_down(self):
        return False


@caught_by("shutdown/what-was-queued-is-still-handed-out")
class HandsOutInReverseAfterShutdown(WorkQueue):
    """After a shutdown the newest item comes first."""

    def shut_down(self):
        super().shut_down()
        with self._lock:
            self._queue.reverse()


@caught_by("shutdown/a-second-shutdown-drops-nothing")
class DropsTheQueueTheSecondTime(WorkQueue):
    """A second ShutDown throws away what is queued."""

    def shut_down(self):
        with self._lock:
            if self._shutting_down and not self._draining:
                self._dirty.difference_update(self._queue)
                self._queue.clear()
        super().shut_down()
