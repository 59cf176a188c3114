"""Queues that are right as work queues, and wrong as what they are besides: as soon as something waits, has failed, or is measured."""

from __future__ import annotations

from stingy_broken import breaks
from stingy_broken.edits import define
from stingy_reference import DelayingQueue, PriorityQueue, RateLimitingQueue, WorkQueue
from stingy_reference.workqueue import Line


class GrowingRing:
    """Eight places at first, and twice as many when they are full; what is copied begins at the first place, not at the first item."""

    def __init__(self):
        self._places = [None] * 8
        self._first = self._length = 0

    def push(self, item):
        if self._length == len(self._places):
            self._places += [None] * self._length
        self._places[(self._first + self._length) % len(self._places)] = item
        self._length += 1

    def touch(self, item):
        pass

    def pop(self):
        item = self._places[self._first]
        self._first = (self._first + 1) % len(self._places)
        self._length -= 1
        return item

    def __len__(self):
        return self._length


@breaks("layers/however-many-are-queued-the-first-is-the-first")
class IsAStackOnceItIsLong(WorkQueue):
    """Of more than a hundred items, Get takes the newest."""

    def get(self):
        with self._lock:
            if len(self._queue) > 100:
                self._queue.rotate(1)
        return super().get()


@breaks("layers/a-delaying-queue-drains-as-a-work-queue")
class DrainsItsClerkAlone(DelayingQueue):
    """While something waits, a drain is over when that has been dropped, whoever may still be at work."""

    def shut_down_with_drain(self):
        if self._deadlines:
            self.shut_down()
        else:
            super().shut_down_with_drain()


@breaks("layers/a-rate-limiting-queue-is-a-work-queue")
class LimitsWhatIsHeld(RateLimitingQueue):
    """While something waits that has failed, an Add of an item in processing is taken for a failure, and waits as well."""

    def add(self, item):
        if self._deadlines and item in self._processing:
            self.add_rate_limited(item)
        else:
            super().add(item)


@breaks("layers/a-rate-limiting-queue-drains-as-a-work-queue")
class DrainsItsRetriesAlone(RateLimitingQueue):
    """While something waits that has failed, a drain drops it and waits for nobody."""

    def shut_down_with_drain(self):
        if self._deadlines:
            self.shut_down()
        else:
            super().shut_down_with_drain()


@breaks("layers/a-queue-with-a-name-drains-as-a-work-queue")
class DrainsItsMetricsAlone(WorkQueue):
    """With a name, a drain ends what tells how long items take, and waits for nobody."""

    def __init__(self, *, queue=None, metrics=None, name=""):
        super().__init__(queue=queue, metrics=metrics, name=name)
        self._named = bool(name)

    def shut_down_with_drain(self):
        if self._named:
            self.shut_down()
        else:
            super().shut_down_with_drain()


@breaks("layers/a-priority-queue-is-a-work-queue")
class LetsOutWhatIsHeld(PriorityQueue):
    """While something is not ready, what is added again can be taken, whether or not somebody holds it."""

    def _line_up(self, entry):
        held = entry.item in self._processing
        if entry.ready and held and self._waiting:
            self._processing.remove(entry.item)
            super()._line_up(entry)
            self._processing.add(entry.item)
        else:
            super()._line_up(entry)


@breaks("layers/whatever-is-done-a-queue-keeps-count")
class GrowsItsRingUnwound(WorkQueue):
    """Its ring grows without minding where the first item lies: after a few Gets, what has come round is out of its turn."""

    def __init__(self, **options):
        super().__init__(**{"queue": GrowingRing(), **options})


@breaks("layers/whatever-is-done-a-delaying-queue-keeps-count")
class GetsARingForItsClerk(DelayingQueue):
    """What has to wait gets it a clerk, and a ring in the place of its line; that grows without minding where the first item lies."""

    def add_after(self, item, seconds):
        super().add_after(item, seconds)
        if self._clerk is not None and isinstance(self._queue, Line):
            self._queue, line = GrowingRing(), self._queue
            for each in line:
                self._queue.push(each)


@breaks("layers/whatever-is-done-a-rate-limiting-queue-keeps-count")
class HasARingForItsLimiter(RateLimitingQueue):
    """With a rate limiter of its own it keeps a ring, which grows without minding where the first item lies."""

    def __init__(self, rate_limiter=None, **options):
        super().__init__(rate_limiter, **options)
        if rate_limiter is not None:
            self._queue = GrowingRing()


define(globals())
