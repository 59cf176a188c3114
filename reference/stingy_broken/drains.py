"""Work queues that drain wrongly."""

from __future__ import annotations

from stingy_broken import breaks
from stingy_broken.plain import WorkQueue


@breaks("drain/it-waits-for-what-is-in-processing")
class DrainsWithoutWaiting(WorkQueue):
    """ShutDownWithDrain is ShutDown."""

    def shut_down_with_drain(self):
        self.shut_down()


@breaks("drain/a-drain-waits-for-every-item-in-processing")
class WaitsForTheNextDone(WorkQueue):
    """A drain ends with the first Done, whatever else is being processed."""

    def shut_down_with_drain(self):
        with self._lock:
            self._draining = True
            self._stop()
            if self._processing:
                self._idle.wait()

    def done(self, item):
        super().done(item)
        with self._lock:
            self._idle.notify_all()


@breaks("drain/a-drain-waits-on-when-an-item-comes-back")
class GoesWithTheFirstWakeUp(WorkQueue):
    """All wait for one condition, and a drain that is woken by an item that comes back does not look again."""

    def __init__(self):
        super().__init__()
        self._idle = self._changed

    def shut_down_with_drain(self):
        with self._lock:
            self._draining = True
            self._stop()
            if self._processing:
                self._idle.wait()


@breaks("drain/it-returns-after-the-last-done")
class NobodyTellsTheDrain(WorkQueue):
    """Done does not wake a waiting drain."""

    def done(self, item):
        with self._lock:
            self._processing.discard(item)
            if item in self._dirty:
                self._enqueue(item)


@breaks("drain/it-returns-at-once-when-there-is-nothing-to-do")
class DrainsOnlyAfterADone(WorkQueue):
    """A drain waits for a Done, though there is nothing to be done."""

    def shut_down_with_drain(self):
        with self._lock:
            self._draining = True
            self._stop()
            self._idle.wait()
            while self._processing and self._draining:
                self._idle.wait()


@breaks("drain/it-wakes-the-waiting-workers")
class DrainsInSilence(WorkQueue):
    """A drain wakes no waiting worker."""

    def shut_down_with_drain(self):
        with self._lock:
            self._draining = True
            self._shutting_down = True
            while self._processing and self._draining:
                self._idle.wait()


@breaks("drain/it-refuses-what-is-new")
class AcceptsWhileDraining(WorkQueue):
    """A drain refuses new items only once it is over."""

    def add(self, item):
        with self._lock:
            if self._draining and self._processing and item not in self._dirty | self._processing:
                self._dirty.add(item)
                self._enqueue(item)
                return
        super().add(item)


@breaks("drain/workers-go-on-with-what-is-queued")
class DropsTheQueueToDrain(WorkQueue):
    """A drain throws away what is queued."""

    def shut_down_with_drain(self):
        with self._lock:
            self._dirty.difference_update(self._queue)
            self._queue.clear()
        super().shut_down_with_drain()


@breaks("drain/what-was-owed-comes-back-during-a-drain")
class DropsWhatIsOwedToADrain(WorkQueue):
    """During a drain, Done brings nothing back."""

    def done(self, item):
        with self._lock:
            if self._draining:
                self._dirty.discard(item)
        super().done(item)


@breaks("drain/shutdown-ends-the-wait")
class CannotBeInterrupted(WorkQueue):
    """ShutDown does not end the wait of a drain (kubernetes/kubernetes#119554)."""

    def shut_down(self):
        with self._lock:
            self._stop()


@breaks("drain/whether-it-waits-for-what-is-queued")
class NeverDrainsWhatIsQueued(WorkQueue):
    """A drain also waits for what is queued, and nobody tells it when that is done."""

    def shut_down_with_drain(self):
        with self._lock:
            self._draining = True
            self._stop()
            waited_for_queue = bool(self._queue)
            while self._draining and (self._processing or waited_for_queue):
                self._idle.wait()


@breaks("drain/what-is-shut-down-can-be-shut-down-again")
class TwoDrainsHang(WorkQueue):
    """A second drain makes both wait for ever."""

    def __init__(self):
        super().__init__()
        self._drains = 0

    def shut_down_with_drain(self):
        with self._lock:
            self._drains += 1
            self._draining = True
            self._stop()
            while self._draining and (self._processing or self._drains > 1):
                self._idle.wait()


@breaks("drain/shutting-down-is-said-while-it-waits")
class SaysSoOnceItIsDrained(WorkQueue):
    """ShuttingDown is false until the drain has come to its end."""

    def shutting_down(self):
        with self._lock:
            return self._shutting_down and not (self._draining and self._processing)


@breaks("drain/it-refuses-what-is-in-processing")
class BringsBackWhatIsAddedToADrain(WorkQueue):
    """During a drain, an Add still marks dirty what a worker holds."""

    def add(self, item):
        with self._lock:
            if self._draining and item in self._processing:
                self._dirty.add(item)
                return
        super().add(item)


@breaks("drain/what-is-shut-down-can-be-shut-down-again")
class RaisesAtAShutdownAfterADrain(WorkQueue):
    """A ShutDown raises after a drain has returned, as closing a closed channel does."""

    def __init__(self):
        super().__init__()
        self._drained = False

    def shut_down(self):
        if self._drained:
            raise RuntimeError("close of closed channel")
        super().shut_down()

    def shut_down_with_drain(self):
        super().shut_down_with_drain()
        self._drained = True
