"""Controllers that do the wrong thing with a key."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from threading import Condition, Thread, Timer, local

from stingy_broken import breaks
from stingy_broken.edits import define
from stingy_reference.async_controller import AsyncController
from stingy_reference.controller import Controller, Result, TerminalError, is_terminal


@breaks("controller/with-few-workers-and-many-keys-each-has-its-turn")
class SkipsWhatFindsNoWorker(Controller):
    """A key that is added while all workers are busy is not reconciled (kube-rs/kube#1322)."""

    def add(self, key):
        if len(self._queue._processing - {key}) < len(self._workers):
            super().add(key)


@breaks("controller/a-slow-key-holds-up-one-worker")
class WorksInRounds(Controller):
    """A worker that has finished waits until all the others have, too."""

    def __init__(self, reconcile, max_concurrent_reconciles=1, rate_limiter=None):
        super().__init__(reconcile, max_concurrent_reconciles, rate_limiter)
        self._over = Condition()
        self._busy = 0

    def _handle(self, key):
        with self._over:
            self._busy += 1
        try:
            super()._handle(key)
        finally:
            with self._over:
                self._busy -= 1
                self._over.notify_all()
                while self._busy and not self._queue.shutting_down():
                    self._over.wait()

    def stop(self):
        self._queue.shut_down()
        with self._over:
            self._over.notify_all()
        super().stop()


@breaks("outcomes/an-event-during-a-run-is-followed-by-another")
class MissesEventsDuringARun(Controller):
    """An event for a key that is being reconciled is taken for old news."""

    def add(self, key):
        if key not in self._queue._processing:
            super().add(key)


@breaks("outcomes/however-it-ends-an-event-starts-it-again")
class IgnoresEventsInTheBackoff(Controller):
    """While a key waits to be tried again, there are no news."""

    def add(self, key):
        if key not in self._queue._deadlines:
            super().add(key)


@breaks("outcomes/however-it-ends-an-event-starts-it-again")
class GivesUpForEver(Controller):
    """After a terminal error a key is not reconciled any more, whatever happens to it."""

    def __init__(self, reconcile, max_concurrent_reconciles=1, rate_limiter=None):
        super().__init__(reconcile, max_concurrent_reconciles, rate_limiter)
        self._hopeless = set()

    def add(self, key):
        if key not in self._hopeless:
            super().add(key)

    def _failed(self, key, error):
        super()._failed(key, error)
        if is_terminal(error):
            self._hopeless.add(key)


@breaks("outcomes/a-failure-is-retried")
class NeverRetriesAPanic(Controller):
    """What nobody was prepared for is caught, and that is all."""

    def _failed(self, key, error):
        if not isinstance(error, LookupError):
            super()._failed(key, error)


@breaks("outcomes/a-success-forgets-the-failures")
class NeverForgets(Controller):
    """After a success the failures still count."""

    def _succeeded(self, key, result):
        if result != Result():
            super()._succeeded(key, result)


@breaks("requeueing/what-comes-again-waits-for-a-worker")
class RetriesByItself(Controller):
    """A retry is no worker's: the timer reconciles."""

    def _failed(self, key, error):
        if not is_terminal(error):
            Timer(self._queue._limiter.when(key), self._retry, [key]).start()

    def _retry(self, key):
        if not self._queue.shutting_down():
            self._handle(key)


@breaks("requeueing/requeue-after-brings-it-back-no-sooner")
class AsksTheLimiterForRequeueAfter(Controller):
    """RequeueAfter is left to the rate limiter."""

    def _succeeded(self, key, result):
        if result.requeue_after > 0:
            self._queue.forget(key)
            self._queue.add_rate_limited(key)
        else:
            super()._succeeded(key, result)


@breaks("requeueing/requeue-after-forgets-the-failures")
class RequeuesAfterAndForgetsNothing(Controller):
    """After a success with RequeueAfter the failures still count, as in the Java client."""

    def _succeeded(self, key, result):
        if result.requeue_after > 0:
            self._queue.add_after(key, result.requeue_after)
        else:
            super()._succeeded(key, result)


@breaks("requeueing/requeue-after-nothing-is-a-success")
class TakesLessThanNothingForAFailure(Controller):
    """A RequeueAfter below 0 forgets nothing."""

    def _succeeded(self, key, result):
        if result.requeue_after >= 0 or result.requeue:
            super()._succeeded(key, result)


@breaks("stopping/nothing-comes-again-once-it-has-stopped")
class RetriesAfterStop(Controller):
    """Stop leaves the timers of the retries wound up; they do what is to be done by themselves."""

    def _failed(self, key, error):
        if not is_terminal(error):
            Thread(target=self._retry, args=(key, self._queue._limiter.when(key))).start()

    def _retry(self, key, seconds):
        was_stopped = self._queue.shutting_down()
        time.sleep(seconds)
        if not self._queue.shutting_down():
            self._queue.add(key)
        elif not was_stopped:
            self._reconcile(key)


__all__ = ["Result", "TerminalError"]


@breaks("controller/an-event-that-a-reconcile-sends-is-not-missed")
class IgnoresItsOwnEvents(Controller):
    """An Add of a key by its own reconcile is ignored, as an echo of what the reconcile has written."""

    def __init__(self, *how, **more):
        super().__init__(*how, **more)
        self._own = local()

    def _handle(self, key):
        self._own.key = key
        super()._handle(key)
        self._own.key = None

    def add(self, key):
        if getattr(self._own, "key", None) != key:
            super().add(key)


@breaks("controller/an-event-as-a-reconcile-ends-is-not-missed")
class LooksForEventsTooEarly(Controller):
    """A worker looks whether its key has come again, and only then lets go of it: what comes in between is lost."""

    def __init__(self, *how, **more):
        super().__init__(*how, **more)
        self._busy, self._again = set(), set()

    def add(self, key):
        if key in self._busy:
            self._again.add(key)
        else:
            super().add(key)

    def _handle(self, key):
        self._busy.add(key)
        super()._handle(key)
        if key in self._again:
            self._again.discard(key)
            super().add(key)
        self._busy.discard(key)


@breaks("controller/what-is-added-before-start-is-reconciled")
class DropsWhatComesBeforeStart(Controller):
    """A key that is added before Start is dropped."""

    def __init__(self, reconcile, max_concurrent_reconciles=1, rate_limiter=None):
        super().__init__(reconcile, max_concurrent_reconciles, rate_limiter)
        self._started = False

    def add(self, key):
        if self._started:
            super().add(key)

    def start(self):
        self._started = True
        super().start()


@breaks("controller/an-event-as-the-controller-starts-is-not-missed")
class LosesWhatMeetsStart(Controller):
    """Start adds the keys that came before it; a key that comes just after that is kept for ever."""

    def __init__(self, reconcile, max_concurrent_reconciles=1, rate_limiter=None):
        super().__init__(reconcile, max_concurrent_reconciles, rate_limiter)
        self._early = []
        self._started = False

    def add(self, key):
        if self._started:
            super().add(key)
        else:
            self._early.append(key)

    def start(self):
        for key in self._early:
            super().add(key)
        self._started = True
        super().start()


@breaks("controller/an-event-as-an-idle-worker-gives-up-is-not-missed")
class GoesHomeWhenIdle(Controller):
    """A worker goes home after five idle seconds, and says so only when it has let go of the lock."""

    def __init__(self, reconcile, max_concurrent_reconciles=1, rate_limiter=None):
        super().__init__(reconcile, max_concurrent_reconciles, rate_limiter)
        self._at_work = self._may_work = len(self._workers)
        self._more = Condition()
        self._added = 0

    def add(self, key):
        super().add(key)
        with self._more:
            self._added += 1
            self._more.notify()
            if self._at_work:
                return
            self._at_work = 1
        Thread(target=self._work, daemon=True).start()

    def _work(self):
        while self._waits():
            key, shutdown = self._queue.get()
            if shutdown:
                return
            try:
                self._handle(key)
            finally:
                self._queue.done(key)
        with self._more:
            self._at_work -= 1

    def _waits(self):
        with self._more:
            while not (len(self._queue) or self._queue.shutting_down()):
                seen = self._added
                self._more.wait(5)
                if self._added == seen and self._at_work == self._may_work == 1:
                    return False
        return True

    def stop(self):
        self._queue.shut_down()
        with self._more:
            self._more.notify_all()
        super().stop()


@breaks("outcomes/however-often-it-fails-it-is-retried")
class GivesUpAfterFifteenFailures(Controller):
    """A key that has failed fifteen times is not tried again."""

    def _failed(self, key, error):
        if self._queue.num_requeues(key) < 15:
            super()._failed(key, error)


define(globals())
