"""Rate limiters that say the wrong wait, or forget the wrong thing."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from time import monotonic, time

from stingy_broken import breaks
from stingy_broken.edits import define
from stingy_reference import (
    BucketRateLimiter,
    ExponentialRateLimiter,
    FastSlowRateLimiter,
    MaxOfRateLimiter,
    MaxWaitRateLimiter,
)


@breaks("backoff/each-failure-doubles-the-wait")
class DoublesTheFirstWait(ExponentialRateLimiter):
    """Counts the failure before it computes the wait: the first one waits twice as long."""

    def __init__(self, base_delay, max_delay):
        super().__init__(2 * base_delay, max_delay)


@breaks("backoff/the-longest-wait-is-for-ever")
class LetsTheBaseThrough(ExponentialRateLimiter):
    """The first failure waits for the base delay, though that be longer than the longest."""

    def when(self, item):
        return super().when(item) if self.num_requeues(item) else self._first(item)

    def _first(self, item):
        self.fail(item)
        return self._base_delay


@breaks("backoff/each-limiter-counts-for-itself")
class SharesItsLatestCount(ExponentialRateLimiter):
    """Keeps the latest count in the class, to find it sooner: another limiter with the same delays finds it, too."""

    _latest = None, 0

    def fail(self, item):
        key = item, self._base_delay, self._max_delay
        with self._lock:
            latest, count = SharesItsLatestCount._latest
            before = count if latest == key else self._failures[item]
            self._failures[item] = before + 1
            SharesItsLatestCount._latest = key, before + 1
            return before

    def forget(self, item):
        super().forget(item)
        SharesItsLatestCount._latest = None, 0


@breaks("backoff/failures-at-once-are-all-counted")
class CountsWithoutALock(ExponentialRateLimiter):
    """Reads the count, and writes it back one higher; somebody else can come in between."""

    def fail(self, item):
        before = self._failures[item]
        self._failures[item] = before + 1
        return before


@breaks("backoff/what-is-forgotten-is-fast-again")
class StaysSlow(FastSlowRateLimiter):
    """Forget does nothing once an item is slow."""

    def forget(self, item):
        if self.num_requeues(item) <= self._max_fast_attempts:
            super().forget(item)


@breaks("backoff/attempts-at-once-are-all-counted")
class CountsAttemptsWithoutALock(FastSlowRateLimiter):
    """Takes the lock to read the count, and once more to write it."""

    def fail(self, item):
        with self._lock:
            before = self._failures[item]
        with self._lock:
            self._failures[item] = before + 1
        return before


class ForgetsByCopying:
    """Forget puts a copy without the item in place of all counts, and looks away while it makes that."""

    def forget(self, item):
        with self._lock:
            counts = dict(self._failures)
        counts.pop(item, None)
        with self._lock:
            self._failures = Counter(counts)


@breaks("backoff/other-items-at-once-disturb-no-count")
class ForgetsFailuresByCopying(ForgetsByCopying, ExponentialRateLimiter):
    """Forget puts a copy without the item in place of all failures: what is counted meanwhile is lost."""


@breaks("backoff/other-items-at-once-disturb-no-attempts")
class ForgetsAttemptsByCopying(ForgetsByCopying, FastSlowRateLimiter):
    """Forget puts a copy without the item in place of all attempts: what is counted meanwhile is lost."""


@breaks("bucket/so-many-at-once-then-one-by-one")
class ReservesNoPlace(BucketRateLimiter):
    """Who comes too early is told how long it is to the next place, and takes none."""

    def when(self, item):
        wait = super().when(item)
        with self._lock:
            if wait > 0:
                self._tokens += 1
        return wait


@breaks("bucket/forget-gives-no-place-back")
class GivesPlacesBack(BucketRateLimiter):
    """Forget puts back what the item took."""

    def forget(self, item):
        with self._lock:
            self._tokens = min(self._burst, self._tokens + 1)


@breaks("bucket/no-two-get-the-same-place")
class LooksAtThePlaceAfterwards(BucketRateLimiter):
    """Takes a place under its lock, and looks which it is when it has let go of that: by then it is somebody else's."""

    def when(self, item):
        super().when(item)
        return max(0.0, -self._tokens / self._rate)


class DefaultControllerRateLimiter(MaxOfRateLimiter):
    base_delay, max_delay, rate, burst = 0.005, 1000, 10, 100

    def __init__(self):
        bucket = BucketRateLimiter(self.rate, self.burst)
        super().__init__([ExponentialRateLimiter(self.base_delay, self.max_delay), bucket])


@breaks("defaults/a-controllers-items-wait-5-ms-to-1000-s")
class ControllerBeginsAt1Millisecond(DefaultControllerRateLimiter):
    """A controller's items wait for 1 ms at first."""

    base_delay = 0.001


@breaks("defaults/a-controllers-items-wait-5-ms-to-1000-s")
class ControllerGoesUpTo16Minutes(DefaultControllerRateLimiter):
    """A controller's items wait for no more than 960 s."""

    max_delay = 960


@breaks("defaults/a-controllers-items-are-ten-a-second")
class ControllerHasNoBucket(DefaultControllerRateLimiter):
    """Nothing holds back all items of a controller together."""

    rate, burst = 1000, 1000


class DefaultItemRateLimiter(MaxOfRateLimiter):
    base_delay, max_delay = 0.001, 1000

    def __init__(self):
        super().__init__([ExponentialRateLimiter(self.base_delay, self.max_delay)])


@breaks("defaults/by-itself-an-item-waits-1-ms-to-1000-s")
class ItemBeginsAt5Milliseconds(DefaultItemRateLimiter):
    """Begins as a controller's items do."""

    base_delay = 0.005


@breaks("defaults/by-itself-an-item-waits-1-ms-to-1000-s")
class ItemGoesUpToAMinute(DefaultItemRateLimiter):
    """No item waits for more than a minute."""

    max_delay = 60


@breaks("defaults/by-itself-an-item-waits-for-no-other")
class ItemsShareABucket(DefaultItemRateLimiter):
    """Holds all items together to ten a second, as in a controller."""

    def __init__(self):
        super().__init__()
        self._limiters = [*self._limiters, BucketRateLimiter(10, 100)]


@breaks("backoff/an-item-may-fail-whatever-it-is-called")
class TakesNullForNobody(ExponentialRateLimiter):
    """An item that reads as nothing is nobody's, and never fails."""

    def fail(self, item):
        return 0 if item in ("null", "nil", "None") else super().fail(item)


@breaks("backoff/each-failure-doubles-the-wait")
class CountsInMilliseconds(ExponentialRateLimiter):
    """A base delay of less than a millisecond is none."""

    def __init__(self, base_delay, max_delay):
        super().__init__(int(base_delay * 1000) / 1000, max_delay)


define(globals())
