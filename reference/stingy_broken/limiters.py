"""Rate limiters that say the wrong wait, or forget the wrong thing."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from time import monotonic

from stingy_broken import breaks
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


@breaks("backoff/each-failure-doubles-the-wait")
class TakesTenForTwo(ExponentialRateLimiter):
    """Each failure waits ten times as long, as upstream's comment once said (kubernetes/kubernetes#70782)."""

    def when(self, item):
        return min(self._base_delay * 10 ** min(self.fail(item), self._doublings), self._max_delay)


@breaks("backoff/each-failure-doubles-the-wait")
class IsAtTheLongestTooSoon(ExponentialRateLimiter):
    """Says the longest wait where twice the wait would exceed it, as a port to Java does."""

    def when(self, item):
        wait = super().when(item)
        return self._max_delay if 2 * wait > self._max_delay else wait


@breaks("backoff/each-failure-doubles-the-wait")
class RoundsUpToSeconds(ExponentialRateLimiter):
    """Waits for whole seconds."""

    def when(self, item):
        return float(-(-super().when(item) // 1))


@breaks("backoff/the-longest-wait-is-for-ever")
class NoticesOneTooLate(ExponentialRateLimiter):
    """Looks whether the wait before was too long already: one wait exceeds the longest."""

    def when(self, item):
        failures = self.fail(item)
        before = self._base_delay * (1 << min(failures, self._doublings + 1)) / 2
        return self._max_delay if failures and before > self._max_delay else 2 * before


@breaks("backoff/the-longest-wait-is-for-ever")
class LetsTheBaseThrough(ExponentialRateLimiter):
    """The first failure waits for the base delay, though that be longer than the longest."""

    def when(self, item):
        return super().when(item) if self.num_requeues(item) else self._first(item)

    def _first(self, item):
        self.fail(item)
        return self._base_delay


@breaks("backoff/the-longest-wait-is-for-ever")
class BeginsAnewAfter64(ExponentialRateLimiter):
    """Shifts by the count modulo 64, as Java does: the 65th failure waits for the base delay."""

    def when(self, item):
        doublings = min(self.fail(item) % 64, self._doublings)
        return min(self._base_delay * (1 << doublings), self._max_delay)


@breaks("backoff/the-longest-wait-is-for-ever")
class OverflowsToNothing(ExponentialRateLimiter):
    """Reckons in 64 bits: what is beyond is cut off, and in the end there is no wait (kubernetes/kubernetes#31396)."""

    def when(self, item):
        bits = (round(self._base_delay * 1e9) << self.fail(item)) & (2**64 - 1)
        signed = bits - 2**64 if bits >= 2**63 else bits
        return min(signed / 1e9, self._max_delay)


@breaks("backoff/the-longest-wait-is-for-ever")
class RaisesBeyondAFloat(ExponentialRateLimiter):
    """2.0 to the power of 1024 is no float: it raises."""

    def when(self, item):
        return min(self._base_delay * 2.0 ** self.fail(item), self._max_delay)


@breaks("backoff/the-longest-wait-is-for-ever")
class RaisesBeyondATimedelta(ExponentialRateLimiter):
    """Multiplies a timedelta, which holds no more than a billion days: it raises after some fifty failures."""

    def when(self, item):
        wait = timedelta(seconds=self._base_delay) * 2 ** self.fail(item)
        return min(wait.total_seconds(), self._max_delay)


@breaks("backoff/each-item-fails-for-itself")
class OneForAll(ExponentialRateLimiter):
    """Goes by how often anything has failed."""

    def when(self, item):
        self.fail(item)
        doublings = min(sum(self._failures.values()) - 1, self._doublings)
        return min(self._base_delay * (1 << doublings), self._max_delay)


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


@breaks("backoff/num-requeues-counts-the-failures")
class StopsCountingAtTheLongest(ExponentialRateLimiter):
    """Counts no further once an item waits for the longest time."""

    def fail(self, item):
        with self._lock:
            before = self._failures[item]
            self._failures[item] = min(before + 1, self._doublings)
            return before


@breaks("backoff/num-requeues-counts-the-failures")
class CountsTheRetriesAlone(ExponentialRateLimiter):
    """NumRequeues leaves out the first failure."""

    def num_requeues(self, item):
        return max(0, super().num_requeues(item) - 1)


@breaks("backoff/to-ask-is-not-to-fail")
class AskingIsFailing(ExponentialRateLimiter):
    """NumRequeues counts as well."""

    def num_requeues(self, item):
        return self.fail(item)


@breaks("backoff/forget-begins-anew")
class ForgetsOneFailure(ExponentialRateLimiter):
    """Forget takes back the last failure alone."""

    def forget(self, item):
        with self._lock:
            self._failures[item] = max(0, self._failures[item] - 1)


@breaks("backoff/forget-is-about-one-item")
class ForgetsEverybody(ExponentialRateLimiter):
    """Forget of one item forgets all of them."""

    def forget(self, item):
        with self._lock:
            self._failures.clear()


@breaks("backoff/what-never-failed-can-be-forgotten")
class RaisesForAStranger(ExponentialRateLimiter):
    """Forget raises for an item that has never failed."""

    def forget(self, item):
        with self._lock:
            self._failures.pop(item)


@breaks("backoff/failures-at-once-are-all-counted")
class CountsWithoutALock(ExponentialRateLimiter):
    """Reads the count, and writes it back one higher; somebody else can come in between."""

    def fail(self, item):
        before = self._failures[item]
        self._failures[item] = before + 1
        return before


@breaks("backoff/a-failure-at-once-undoes-no-forget")
class ForgetsWithoutALock(ExponentialRateLimiter):
    """Forget does not wait for a failure that is just being counted, and is undone by it."""

    def forget(self, item):
        self._failures.pop(item, None)


@breaks("backoff/a-few-attempts-are-fast")
class OneAttemptTooMany(FastSlowRateLimiter):
    """Counts the attempts from 0 and compares as if from 1."""

    def when(self, item):
        return self._fast_delay if self.fail(item) <= self._max_fast_attempts else self._slow_delay


@breaks("backoff/a-few-attempts-are-fast")
class OneAttemptTooFew(FastSlowRateLimiter):
    """The last of the fast attempts is slow."""

    def when(self, item):
        return self._fast_delay if self.fail(item) + 1 < self._max_fast_attempts else self._slow_delay


@breaks("backoff/a-few-attempts-are-fast")
class TakesNoneForNoLimit(FastSlowRateLimiter):
    """With 0 fast attempts all are fast."""

    def when(self, item):
        failures = self.fail(item)
        slow = self._max_fast_attempts and failures >= self._max_fast_attempts
        return self._slow_delay if slow else self._fast_delay


@breaks("backoff/a-few-attempts-are-fast")
class FastAgainAfterASlowOne(FastSlowRateLimiter):
    """After a slow attempt the fast ones begin anew."""

    def when(self, item):
        fast = self.fail(item) % (self._max_fast_attempts + 1) < self._max_fast_attempts
        return self._fast_delay if fast else self._slow_delay


@breaks("backoff/each-item-has-fast-attempts-of-its-own")
class SharesItsFastAttempts(FastSlowRateLimiter):
    """The fast attempts are for all items together."""

    def when(self, item):
        self.fail(item)
        fast = sum(self._failures.values()) <= self._max_fast_attempts
        return self._fast_delay if fast else self._slow_delay


@breaks("backoff/slow-attempts-are-counted-too")
class CountsFastAttemptsAlone(FastSlowRateLimiter):
    """NumRequeues goes no further than the fast attempts."""

    def num_requeues(self, item):
        return min(super().num_requeues(item), self._max_fast_attempts)


@breaks("backoff/what-is-forgotten-is-fast-again")
class StaysSlow(FastSlowRateLimiter):
    """Forget does nothing once an item is slow."""

    def forget(self, item):
        if self.num_requeues(item) <= self._max_fast_attempts:
            super().forget(item)


@breaks("backoff/what-is-forgotten-is-fast-again")
class MakesEverybodyFast(FastSlowRateLimiter):
    """Forget of one item forgets all of them."""

    def forget(self, item):
        with self._lock:
            self._failures.clear()


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


@breaks("bucket/so-many-at-once-then-one-by-one")
class HasNoBurst(BucketRateLimiter):
    """Lets one through at a time, whatever the burst."""

    def __init__(self, rate, burst):
        super().__init__(rate, min(burst, 1))


@breaks("bucket/so-many-at-once-then-one-by-one")
class TakesTheRateForAnInterval(BucketRateLimiter):
    """Takes so many a second for so many seconds each."""

    def __init__(self, rate, burst):
        super().__init__(1 / rate, burst)


@breaks("bucket/all-items-share-the-bucket")
class ABucketForEach(BucketRateLimiter):
    """Each item has a bucket of its own."""

    def __init__(self, rate, burst):
        super().__init__(rate, burst)
        self._buckets = {}

    def when(self, item):
        with self._lock:
            bucket = self._buckets.setdefault(item, BucketRateLimiter(self._rate, self._burst))
        return bucket.when(item)


@breaks("bucket/a-bucket-fills-as-time-passes")
class FillsByWholePlaces(BucketRateLimiter):
    """Every interval puts one back at its end; what has passed of an interval counts for nothing."""

    def when(self, item):
        with self._lock:
            now = monotonic()
            whole = (now - self._seen) * self._rate // 1
            self._tokens = min(self._burst, self._tokens + whole) - 1
            self._seen = now
            return max(0.0, -self._tokens / self._rate)


@breaks("bucket/a-place-that-was-promised-is-kept")
class ForgetsWhoIsWaiting(BucketRateLimiter):
    """As time passes, the bucket is taken to be empty at worst: those that wait for their places are forgotten."""

    def when(self, item):
        with self._lock:
            if monotonic() > self._seen:
                self._tokens = max(self._tokens, 0)
        return super().when(item)


@breaks("bucket/a-bucket-holds-no-more-than-its-burst")
class FillsBeyondItsBurst(BucketRateLimiter):
    """The longer nobody calls, the more get through at once."""

    def when(self, item):
        with self._lock:
            now = monotonic()
            self._tokens += (now - self._seen) * self._rate - 1
            self._seen = now
            return max(0.0, -self._tokens / self._rate)


@breaks("bucket/forget-gives-no-place-back")
class GivesPlacesBack(BucketRateLimiter):
    """Forget puts back what the item took."""

    def forget(self, item):
        with self._lock:
            self._tokens = min(self._burst, self._tokens + 1)


@breaks("bucket/a-bucket-remembers-no-item")
class CountsInABucket(BucketRateLimiter):
    """Counts how often each item has failed, and never forgets."""

    def __init__(self, rate, burst):
        super().__init__(rate, burst)
        self._failures = Counter()

    def when(self, item):
        self._failures[item] += 1
        return super().when(item)

    def num_requeues(self, item):
        return self._failures[item]


@breaks("bucket/no-two-get-the-same-place")
class PromisesAPlaceTwice(BucketRateLimiter):
    """Looks how full the bucket is in one step, and takes out of it in another."""

    def when(self, item):
        with self._lock:
            now = monotonic()
            left = min(self._burst, self._tokens + (now - self._seen) * self._rate) - 1
        with self._lock:
            self._tokens, self._seen = left, now
        return max(0.0, -left / self._rate)


@breaks("bucket/no-two-get-the-same-place")
class LooksAtThePlaceAfterwards(BucketRateLimiter):
    """Takes a place under its lock, and looks which it is when it has let go of that: by then it is somebody else's."""

    def when(self, item):
        super().when(item)
        return max(0.0, -self._tokens / self._rate)


@breaks("combination/of-several-limiters-the-longest-wait-counts")
class TakesTheShortest(MaxOfRateLimiter):
    """Says the shortest of the waits."""

    def when(self, item):
        return max(0.0, min((limiter.when(item) for limiter in self._limiters), default=0.0))


@breaks("combination/of-several-limiters-the-longest-wait-counts")
class AddsThemUp(MaxOfRateLimiter):
    """Says the sum of the waits."""

    def when(self, item):
        return sum(max(0.0, limiter.when(item)) for limiter in self._limiters)


@breaks("combination/of-several-limiters-the-longest-wait-counts")
class HearsTheLastAlone(MaxOfRateLimiter):
    """Says what the last one says."""

    def when(self, item):
        wait = 0.0
        for limiter in self._limiters:
            wait = limiter.when(item)
        return max(0.0, wait)


@breaks("combination/every-limiter-is-asked-every-time")
class AsksUntilSomebodyWaitsLong(MaxOfRateLimiter):
    """Asks no further once somebody says a wait that is long enough."""

    def when(self, item):
        longest = 0.0
        for limiter in self._limiters:
            longest = max(longest, limiter.when(item))
            if longest >= 9 * 60:
                break
        return longest


@breaks("combination/of-several-limiters-the-highest-count-counts")
class CountsByTheFirst(MaxOfRateLimiter):
    """NumRequeues is what the first one says."""

    def num_requeues(self, item):
        return self._limiters[0].num_requeues(item) if self._limiters else 0


@breaks("combination/of-several-limiters-the-highest-count-counts")
class CountsTogether(MaxOfRateLimiter):
    """NumRequeues is the sum of what they say."""

    def num_requeues(self, item):
        return sum(limiter.num_requeues(item) for limiter in self._limiters)


@breaks("combination/of-several-limiters-the-highest-count-counts")
class CountsByTheLowest(MaxOfRateLimiter):
    """NumRequeues is the lowest that any of them says."""

    def num_requeues(self, item):
        return min((limiter.num_requeues(item) for limiter in self._limiters), default=0)


@breaks("combination/no-limiters-at-all-count-nothing")
class CountsByTheHighestOfNone(MaxOfRateLimiter):
    """`max()` of no counts raises."""

    def num_requeues(self, item):
        return max(limiter.num_requeues(item) for limiter in self._limiters)


@breaks("combination/forget-reaches-every-limiter")
class ForgetsByTheFirst(MaxOfRateLimiter):
    """Forget reaches the first of them."""

    def forget(self, item):
        for limiter in self._limiters[:1]:
            limiter.forget(item)


@breaks("combination/a-combined-wait-is-never-less-than-nothing")
class BeginsBelowNothing(MaxOfRateLimiter):
    """Looks for the longest from -1 s on: with none to ask, that is what it says."""

    def when(self, item):
        return max([-1.0, *(limiter.when(item) for limiter in self._limiters)])


@breaks("combination/a-combined-wait-is-never-less-than-nothing")
class RaisesWithNoneToAsk(MaxOfRateLimiter):
    """`max()` of nothing raises."""

    def when(self, item):
        longest = max(limiter.when(item) for limiter in self._limiters)
        return max(0.0, longest)


@breaks("combination/nobody-waits-longer-than-the-limit")
class KnowsNoLimit(MaxWaitRateLimiter):
    """Says what its limiter says."""

    def when(self, item):
        return self._limiter.when(item)


@breaks("combination/nobody-waits-longer-than-the-limit")
class TakesTheLimitForTheLeast(MaxWaitRateLimiter):
    """Says the limit where its limiter says less."""

    def when(self, item):
        return max(self._limiter.when(item), self._max_delay)


@breaks("combination/what-is-cut-short-has-failed-all-the-same")
class AsksTwiceAtTheLimit(MaxWaitRateLimiter):
    """Asks whether the wait is too long, and if so asks again."""

    def when(self, item):
        wait = self._limiter.when(item)
        return wait if wait <= self._max_delay else super().when(item)


@breaks("combination/a-limit-on-the-wait-counts-what-the-limiter-behind-it-counts")
class CountsNothingItself(MaxWaitRateLimiter):
    """NumRequeues is 0."""

    def num_requeues(self, item):
        return 0


@breaks("combination/forget-reaches-the-limiter-behind-a-limit-on-the-wait")
class ForgetsNothingItself(MaxWaitRateLimiter):
    """Forget does nothing."""

    def forget(self, item):
        pass


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
class KeepsItsCountsInAnObject(ExponentialRateLimiter):
    """Its counts lie in an object as JavaScript has them: `constructor` is there from the beginning, and is no number."""

    def num_requeues(self, item):
        return -1 if item == "constructor" and item not in self._failures else super().num_requeues(item)


@breaks("backoff/an-item-may-fail-whatever-it-is-called")
class TakesNullForNobody(ExponentialRateLimiter):
    """An item that reads as nothing is nobody's, and never fails."""

    def fail(self, item):
        return 0 if item in ("null", "nil", "None") else super().fail(item)


@breaks("backoff/each-failure-doubles-the-wait")
class DoublesThirtyTimes(ExponentialRateLimiter):
    """Thirty doublings are enough: where the longest wait is further away, it is never reached."""

    def when(self, item):
        return min(self._base_delay * (1 << min(self.fail(item), 30)), self._max_delay)


@breaks("backoff/each-failure-doubles-the-wait")
class CountsInMilliseconds(ExponentialRateLimiter):
    """A base delay of less than a millisecond is none."""

    def __init__(self, base_delay, max_delay):
        super().__init__(int(base_delay * 1000) / 1000, max_delay)


@breaks("backoff/num-requeues-counts-the-failures")
class CountsSixtyFour(ExponentialRateLimiter):
    """NumRequeues goes no further than 64."""

    def num_requeues(self, item):
        return min(super().num_requeues(item), 64)


@breaks("combination/of-several-limiters-the-longest-wait-counts")
class SaturatesAtAYear(MaxOfRateLimiter):
    """No wait is longer than a year."""

    def when(self, item):
        return min(super().when(item), 365 * 86_400)
