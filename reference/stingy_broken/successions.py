"""Queues that do later, on a thread of their own, what their caller takes for done."""

from __future__ import annotations

from threading import Thread

from stingy_broken import breaks
from stingy_broken.delays import force
from stingy_reference import DelayingQueue, RateLimitingQueue, WorkQueue


def later(work, *args):
    """Do it on a thread that nobody waits for."""
    thread = Thread(target=work, args=args, daemon=True)
    thread.start()
    return thread


@breaks("succession/what-was-added-can-be-taken-at-once")
class AddsOnAnotherThread(WorkQueue):
    """Each Add is a thread, and the second may come to the lock before the first."""

    def add(self, item):
        later(super().add, item)


@breaks("succession/len-follows-at-once")
class CountsLater(WorkQueue):
    """Len is what was counted last, and each call has it counted anew when it has returned."""

    _counted = 0

    def add(self, item):
        super().add(item)
        later(self._count)

    def get(self):
        got = super().get()
        later(self._count)
        return got

    def done(self, item):
        super().done(item)
        later(self._count)

    def _count(self):
        self._counted = super().__len__()

    def __len__(self):
        return self._counted


@breaks("succession/a-shutdown-counts-at-once")
class ShutsDownLater(WorkQueue):
    """ShutDown is left to a thread."""

    def shut_down(self):
        later(super().shut_down)


@breaks("succession/what-was-added-just-before-a-shutdown-is-handed-out")
class DropsWhatIsNotYetIn(WorkQueue):
    """What is added lies in a buffer until a clerk comes by, or somebody asks; a ShutDown empties that."""

    def __init__(self, **options):
        super().__init__(**options)
        self._buffer = []

    def add(self, item):
        self._buffer.append(item)
        later(self._empty)

    def _empty(self):
        while self._buffer:
            super().add(self._buffer.pop(0))

    def get(self):
        self._empty()
        return super().get()

    def done(self, item):
        self._empty()
        super().done(item)

    def __len__(self):
        self._empty()
        return super().__len__()

    def shut_down(self):
        self._buffer.clear()
        super().shut_down()


@breaks("succession/a-drain-counts-at-once")
class ClosesLaterForADrain(WorkQueue):
    """A drain with nobody at work has nothing to wait for: it returns, and leaves the rest to a thread."""

    def shut_down_with_drain(self):
        if self._processing:
            super().shut_down_with_drain()
        else:
            later(super().shut_down_with_drain)


@breaks("succession/a-delay-counts-at-once")
class TakesOutLaterWhatIsToWait(DelayingQueue):
    """What is to wait is queued, as anything is, and a thread takes it out again."""

    def add_after(self, item, seconds):
        waits = seconds > 0 and not self.shutting_down() and item not in (*self._queue, *self._processing)
        if not waits:
            super().add_after(item, seconds)
            return
        self.add(item)
        later(self._put_off, item, seconds)

    def _put_off(self, item, seconds):
        with self._lock:
            if item not in self._queue:
                return
            self._queue.remove(item)
            self._dirty.discard(item)
        super().add_after(item, seconds)


@breaks("succession/a-shutdown-at-once-drops-what-waits")
class AddsWhatItHadAccepted(DelayingQueue):
    """An AddAfter is noted by a thread, which adds it after all where a shutdown has come before."""

    def add_after(self, item, seconds):
        if not self.shutting_down():
            later(self._note, item, seconds)

    def _note(self, item, seconds):
        if self.shutting_down():
            force(self, item)
        else:
            super().add_after(item, seconds)


@breaks("succession/a-failure-is-counted-at-once")
class AsksItsLimiterLater(RateLimitingQueue):
    """AddRateLimited only makes a note; a thread asks the limiter, as controller-runtime's does."""

    def add_rate_limited(self, item):
        later(super().add_rate_limited, item)


@breaks("succession/what-is-forgotten-at-once-has-never-failed")
class ForgetsBeforeItAsks(RateLimitingQueue):
    """A thread asks the limiter. NumRequeues waits for it, and Forget does not."""

    def __init__(self, rate_limiter=None, **options):
        super().__init__(rate_limiter, **options)
        self._asking = []

    def add_rate_limited(self, item):
        self._asking.append(later(super().add_rate_limited, item))

    def num_requeues(self, item):
        for thread in self._asking:
            thread.join()
        return super().num_requeues(item)
