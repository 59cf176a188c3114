"""Rate-limiting queues that ask their limiter wrongly, or do more than they are asked for."""

from __future__ import annotations

from threading import Thread
from time import sleep

from stingy_broken import breaks
from stingy_broken.delays import force
from stingy_broken.edits import define
from stingy_reference import RateLimitingQueue


@breaks("rate_limiting/each-failure-waits-as-the-limiter-says")
class WaitsAsAtFirst(RateLimitingQueue):
    """An item always waits for as long as at its first failure."""

    def __init__(self, rate_limiter=None, **options):
        super().__init__(rate_limiter, **options)
        self._waits = {}

    def add_rate_limited(self, item):
        if not self.shutting_down():
            self.add_after(item, self._waits.setdefault(item, self._limiter.when(item)))


@breaks("rate_limiting/a-done-does-not-cancel-a-retry")
class DoneCancelsTheRetry(RateLimitingQueue):
    """Done makes a retry void."""

    def __init__(self, rate_limiter=None, **options):
        super().__init__(rate_limiter, **options)
        self._retries = set()

    def add_rate_limited(self, item):
        super().add_rate_limited(item)
        self._retries.add(item)

    def done(self, item):
        with self._lock:
            if item in self._retries:
                self._retries.remove(item)
                self._deadlines.pop(item, None)
        super().done(item)


@breaks("rate_limiting/numrequeues-counts-the-failures")
class GetForgets(RateLimitingQueue):
    """The limiter begins anew when a worker takes the item."""

    def get(self):
        item, shutdown = super().get()
        self._limiter.forget(item)
        return item, shutdown


@breaks("rate_limiting/numrequeues-is-of-one-item")
class CountsAllTogether(RateLimitingQueue):
    """NumRequeues is the number of failures of all items that it has heard of."""

    def __init__(self, rate_limiter=None, **options):
        super().__init__(rate_limiter, **options)
        self._failed = set()

    def add_rate_limited(self, item):
        self._failed.add(item)
        super().add_rate_limited(item)

    def num_requeues(self, item):
        return sum(map(super().num_requeues, self._failed))


@breaks("rate_limiting/forget-resets-the-wait")
class ForgetsTheCountAlone(RateLimitingQueue):
    """Forget resets a count of the queue's own, and not the limiter."""

    def __init__(self, rate_limiter=None, **options):
        super().__init__(rate_limiter, **options)
        self._forgotten = {}

    def forget(self, item):
        self._forgotten[item] = self._limiter.num_requeues(item)

    def num_requeues(self, item):
        return super().num_requeues(item) - self._forgotten.get(item, 0)


@breaks("rate_limiting/forget-is-about-one-item")
class ForgetsEverybody(RateLimitingQueue):
    """Forget forgets the failures of all items."""

    def __init__(self, rate_limiter=None, **options):
        super().__init__(rate_limiter, **options)
        self._failed = set()

    def add_rate_limited(self, item):
        self._failed.add(item)
        super().add_rate_limited(item)

    def forget(self, item):
        for each in self._failed:
            super().forget(each)


@breaks("rate_limiting/done-does-not-forget")
class DoneForgets(RateLimitingQueue):
    """Done also forgets the failures."""

    def done(self, item):
        super().done(item)
        self._limiter.forget(item)


@breaks("rate_limiting/an-add-is-no-failure")
class ChargesForAnAdd(RateLimitingQueue):
    """Add counts a failure."""

    def add(self, item):
        self._limiter.when(item)
        super().add(item)

    def _add_what_is_due(self):
        while due := self._wait_for_due():
            for item in due:
                super().add(item)


@breaks("rate_limiting/an-addafter-is-no-failure")
class ChargesForAnAddAfter(RateLimitingQueue):
    """AddAfter counts a failure."""

    def add_after(self, item, seconds):
        self._limiter.when(item)
        super().add_after(item, seconds)

    def add_rate_limited(self, item):
        if not self.shutting_down():
            super().add_after(item, self._limiter.when(item))


@breaks("rate_limiting/failures-in-a-row-are-one-retry")
class RetriesForEachFailure(RateLimitingQueue):
    """Each failure has a timer of its own, and a retry."""

    def add_rate_limited(self, item):
        if not self.shutting_down():
            Thread(target=self._add_later, args=(item, self._limiter.when(item)), daemon=True).start()

    def _add_later(self, item, seconds):
        sleep(seconds)
        self.add(item)


@breaks("rate_limiting/failures-in-a-row-are-all-counted")
class AsksOncePerRetry(RateLimitingQueue):
    """The limiter is not asked about an item that waits."""

    def add_rate_limited(self, item):
        if item not in self._deadlines:
            super().add_rate_limited(item)


@breaks("rate_limiting/a-retry-and-a-delay-are-one")
class KeepsRetriesApart(RateLimitingQueue):
    """What waits for a retry is not kept with what waits for anything else."""

    def __init__(self, rate_limiter=None, **options):
        super().__init__(rate_limiter, **options)
        self._retries = RateLimitingQueue(rate_limiter)
        Thread(target=self._pass_on, daemon=True).start()

    def add_rate_limited(self, item):
        self._retries.add_rate_limited(item)

    def _pass_on(self):
        while True:
            item, shutdown = self._retries.get()
            if shutdown:
                return
            self.add(item)
            self._retries.done(item)

    def _stop(self):
        super()._stop()
        self._retries.shut_down()


@breaks("rate_limiting/a-shutdown-drops-the-retries")
class RetriesAtAShutdown(RateLimitingQueue):
    """ShutDown adds what waits for a retry, before it is too late."""

    def __init__(self, rate_limiter=None, **options):
        super().__init__(rate_limiter, **options)
        self._retries = set()

    def add_rate_limited(self, item):
        super().add_rate_limited(item)
        self._retries.add(item)

    def shut_down(self):
        for item in self._retries & self._deadlines.keys():
            self.add(item)
        super().shut_down()


define(globals())
