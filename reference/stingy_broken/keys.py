"""Work queues that know an item by something else than itself."""

from __future__ import annotations

from stingy_broken import breaks
from stingy_broken.edits import define
from stingy_broken.plain import WorkQueue
from stingy_reference import Controller, ExponentialRateLimiter
from stingy_reference.controller import Result, TerminalError
from stingy_reference.priority import UrgentFirst


class _KnowsByKey(WorkQueue):
    """The books are kept by keys; whoever takes one is given the item that it was made of last."""

    def __init__(self):
        super().__init__()
        self._made_of = {}

    def add(self, item):
        key = self._key(item)
        with self._lock:
            self._made_of[key] = item
        super().add(key)

    def get(self):
        key, shutdown = super().get()
        return (None, True) if shutdown else (self._made_of[key], False)

    def done(self, item):
        super().done(self._key(item))

    def _key(self, item):
        raise NotImplementedError


class _CountsByKey(ExponentialRateLimiter):
    """Failures are counted by keys."""

    def when(self, item):
        return super().when(self._key(item))

    def forget(self, item):
        super().forget(self._key(item))

    def num_requeues(self, item):
        return super().num_requeues(self._key(item))

    def _key(self, item):
        raise NotImplementedError


class _RanksByKey(UrgentFirst):
    """A priority queue of keys; whoever takes one is given the item that it was made of last."""

    def __init__(self, rate_limiter=None):
        super().__init__(rate_limiter)
        self._made_of = {}

    def add_with_opts(self, item, **options):
        key = self._key(item)
        with self._lock:
            self._made_of[key] = item
        super().add_with_opts(key, **options)

    def get_with_priority(self):
        key, priority, shutdown = super().get_with_priority()
        return (None, 0, True) if shutdown else (self._made_of[key], priority, False)

    def done(self, item):
        super().done(self._key(item))

    def _key(self, item):
        raise NotImplementedError


class _ReconcilesByKey(Controller):
    """The queue holds keys of keys; the reconcile is given what they were made of last."""

    def __init__(self, reconcile, max_concurrent_reconciles=1, rate_limiter=None):
        self._made_of = {}
        super().__init__(lambda key: reconcile(self._made_of[key]), max_concurrent_reconciles, rate_limiter)

    def add(self, key):
        made = self._key(key)
        self._made_of[made] = key
        super().add(made)

    def _key(self, key):
        raise NotImplementedError


@breaks("requeueing/unequal-values-come-again-for-themselves")
class ComesAgainByText(Controller):
    """A key with a RequeueAfter is noted once, by its text, which another key may have."""

    def __init__(self, *how, **more):
        super().__init__(*how, **more)
        self._noted = set()

    def _handle(self, key):
        self._noted.discard(str(key))
        super()._handle(key)

    def _succeeded(self, key, result):
        if result.requeue_after > 0:
            self._queue.forget(key)
            if str(key) in self._noted:
                return
            self._noted.add(str(key))
        super()._succeeded(key, result)


@breaks("handing_out/an-item-may-be-called-anything")
class TakesNullForNothing(WorkQueue):
    """An item that reads as nothing is not added."""

    def add(self, item):
        if item not in ("null", "undefined"):
            super().add(item)


@breaks("handing_out/an-item-may-be-called-anything")
class KeepsItsSetsInAnObject(WorkQueue):
    """Its sets are objects as JavaScript has them: `__proto__` is in each from the beginning."""

    def add(self, item):
        if item != "__proto__":
            super().add(item)


define(globals())

__all__ = ["Result", "TerminalError"]
