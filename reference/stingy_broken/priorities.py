"""Priority queues with the wrong order."""

from __future__ import annotations

from heapq import heappop, heappush
from threading import Timer
from time import monotonic, time

from stingy_broken import breaks
from stingy_broken.edits import define
from stingy_reference.priority import READY, Entry, UrgentFirst


@breaks("priority/get-waits-while-nothing-is-ready")
class AddsInSilence(UrgentFirst):
    """What is added wakes nobody."""

    def add_with_opts(self, item, *, priority=0, after=0.0, rate_limited=False):
        wake, self._changed.notify = self._changed.notify, lambda: None
        super().add_with_opts(item, priority=priority, after=after, rate_limited=rate_limited)
        self._changed.notify = wake


@breaks("priority/get-waits-while-nothing-is-ready")
class WaitsForNobody(UrgentFirst):
    """A Get of an empty queue reports a shutdown."""

    def get_with_priority(self):
        return super().get_with_priority() if len(self) else (None, 0, True)


@breaks("priority/added-many-times-it-is-handed-out-once")
class LeavesTheOldEntryBehind(UrgentFirst):
    """An item whose priority is raised is handed out with the old one, too."""

    def __init__(self, rate_limiter=None):
        super().__init__(rate_limiter)
        self._left = {}

    def _merge(self, entry, priority, ready_at):
        if priority > entry.priority and entry.ready and entry.item not in self._processing:
            self._left[entry.item] = entry.priority
        super()._merge(entry, priority, ready_at)

    def _take(self):
        entry = super()._take()
        if entry.item in self._left:
            old = Entry(entry.item, self._left.pop(entry.item), READY, next(self._places))
            self._entries[entry.item] = old
        return entry


@breaks("priority/the-higher-priority-counts")
class TheLastPriorityCounts(UrgentFirst):
    """An item that is added again with a lower priority is lowered."""

    def add_with_opts(self, item, *, priority=0, after=0.0, rate_limited=False):
        super().add_with_opts(item, priority=priority, after=after, rate_limited=rate_limited)
        with self._lock:
            entry = self._entries.get(item)
            if entry is not None and after <= 0 and priority < entry.priority:
                entry.priority, entry.place = priority, next(self._places)
                self._line_up(entry)


@breaks("priority/a-raised-item-overtakes")
class RaisesInNameOnly(UrgentFirst):
    """An item that is raised comes with its new priority, in its old turn."""

    def _merge(self, entry, priority, ready_at):
        if entry.item in self._takeable:
            entry.priority = max(priority, entry.priority)
        else:
            super()._merge(entry, priority, ready_at)

    def _line_up(self, entry):
        if entry.item not in self._takeable:
            super()._line_up(entry)


@breaks("priority/a-raised-item-goes-to-the-end-of-its-level")
class RaisedItGoesBeforeTheOthers(UrgentFirst):
    """An item that is raised keeps the place of its first Add (kubernetes-sigs/controller-runtime#3408)."""

    def _merge(self, entry, priority, ready_at):
        place = entry.place if entry.ready else None
        super()._merge(entry, priority, ready_at)
        entry.place = entry.place if place is None else place

    def _stands(self, record):
        entry = record[2]
        return super()._stands(record) and self._entries.get(entry.item) is entry


@breaks("priority/an-item-that-is-not-raised-keeps-its-place")
class ADuplicateLosesItsPlace(UrgentFirst):
    """An item that is added again goes to the end of its level."""

    def add_with_opts(self, item, *, priority=0, after=0.0, rate_limited=False):
        with self._lock:
            entry = self._entries.get(item)
            if entry is not None and entry.ready and after <= 0:
                entry.place = next(self._places)
                self._line_up(entry)
        super().add_with_opts(item, priority=priority, after=after, rate_limited=rate_limited)


@breaks("readiness/nothing-comes-before-its-time")
class KnowsNoDelay(UrgentFirst):
    """A delay is ignored."""

    def add_with_opts(self, item, *, priority=0, after=0.0, rate_limited=False):
        super().add_with_opts(item, priority=priority, rate_limited=rate_limited)


@breaks("readiness/when-its-time-has-come-a-worker-gets-it")
class LooksAtTheClockWhenItIsCalled(UrgentFirst):
    """What is due becomes ready at the next call, and while nobody calls it does not."""

    def _line_up(self, entry):
        if entry.ready:
            super()._line_up(entry)
        else:
            self._record(self._waiting, (entry.ready_at, entry.place, entry))

    def _look(self):
        with self._lock:
            while self._waiting and self._waiting[0][0] <= monotonic():
                record = heappop(self._waiting)
                if self._stands(record):
                    self._become_ready(record[2])

    def add_with_opts(self, item, *, priority=0, after=0.0, rate_limited=False):
        self._look()
        super().add_with_opts(item, priority=priority, after=after, rate_limited=rate_limited)

    def get_with_priority(self):
        self._look()
        return super().get_with_priority()

    def __len__(self):
        self._look()
        return super().__len__()


@breaks("readiness/an-item-without-a-delay-is-ready")
class DropsADelayThatIsOver(UrgentFirst):
    """What is added with a delay below 0 is dropped."""

    def add_with_opts(self, item, *, priority=0, after=0.0, rate_limited=False):
        if rate_limited or after >= 0:
            super().add_with_opts(item, priority=priority, after=after, rate_limited=rate_limited)


@breaks("readiness/a-sooner-one-does-not-wait-for-a-later-one")
class SleepsUntilTheFirst(UrgentFirst):
    """Nobody tells the one who waits for the first time that there is an earlier one."""

    def _line_up(self, entry):
        told, self._sooner.notify = self._sooner.notify, lambda: None
        if self._entries.keys() <= {entry.item} | self._processing:
            self._sooner.notify = told
        super()._line_up(entry)
        self._sooner.notify = told


@breaks("readiness/the-earlier-time-counts")
class TheLastTimeCounts(UrgentFirst):
    """What waits for its time, and is added with a longer delay, is postponed."""

    def add_with_opts(self, item, *, priority=0, after=0.0, rate_limited=False):
        with self._lock:
            entry = self._entries.get(item)
            if entry is not None and not entry.ready and monotonic() + after > entry.ready_at:
                entry.ready_at = monotonic() + after
                entry.place = next(self._places)
                self._line_up(entry)
        super().add_with_opts(item, priority=priority, after=after, rate_limited=rate_limited)


@breaks("readiness/ready-is-earlier-than-any-time")
class ADelayTakesItBack(UrgentFirst):
    """What is ready, and is added with a delay, has to wait."""

    def add_with_opts(self, item, *, priority=0, after=0.0, rate_limited=False):
        with self._lock:
            entry = self._entries.get(item)
            if entry is not None and entry.item in self._takeable and after > 0:
                self._takeable.remove(item)
                entry.ready_at, entry.place = monotonic() + after, next(self._places)
                self._line_up(entry)
        super().add_with_opts(item, priority=priority, after=after, rate_limited=rate_limited)


@breaks("readiness/the-later-time-brings-nothing")
class AnAddAndADelayedAddAreTwo(UrgentFirst):
    """The later one of two times brings the item once more, as in client-go's delaying queue."""

    def add_with_opts(self, item, *, priority=0, after=0.0, rate_limited=False):
        entry = self._entries.get(item)
        was = None if entry is None else entry.ready_at
        super().add_with_opts(item, priority=priority, after=after, rate_limited=rate_limited)
        if was is not None:
            later = max(was, monotonic() + after if after > 0 else READY)
            timer = Timer(max(0.0, later - monotonic()), self._once_more, (item,))
            timer.daemon = True
            if later != READY:
                timer.start()

    def _once_more(self, item):
        super().add_with_opts(item)


@breaks("readiness/an-old-time-is-not-that-of-the-next-add")
class AnOldTimeIsTheNextOnes(UrgentFirst):
    """A time that an item did not wait for makes it ready, whatever it waits for by then."""

    def _stands(self, record):
        return super()._stands(record) or (record[0] > 0 and not record[2].ready)

    def _merge(self, entry, priority, ready_at):
        if not entry.ready:
            old = Entry(entry.item, entry.priority, entry.ready_at, entry.place)
            self._waiting = [
                (at, place, old if waits is entry else waits) for at, place, waits in self._waiting
            ]
        super()._merge(entry, priority, ready_at)

    def _become_ready(self, entry):
        now = self._entries.get(entry.item)
        if now is not None and not now.ready:
            super()._become_ready(now)


@breaks("priority/one-worker-at-a-time")
class HandsOutWhatIsHeld(UrgentFirst):
    """An item that is added while a worker holds it is handed out at once."""

    def _line_up(self, entry):
        held, self._processing = self._processing, set()
        super()._line_up(entry)
        self._processing = held


@breaks("priority/one-worker-at-a-time")
class FinishesInSilence(UrgentFirst):
    """A Done that brings an item back wakes nobody."""

    def done(self, item):
        wake, self._changed.notify = self._changed.notify, lambda: None
        super().done(item)
        self._changed.notify = wake


@breaks("priority/an-item-that-waits-for-its-done-holds-up-no-other")
class WaitsForTheMostUrgent(UrgentFirst):
    """While somebody holds what is most urgent, nobody gets anything."""

    def get_with_priority(self):
        with self._lock:
            while not self._shutting_down and (not self._takeable or self._blocked()):
                self._changed.wait()
        return super().get_with_priority()

    def _blocked(self):
        ready = [entry for entry in self._entries.values() if entry.ready]
        return min(ready, key=lambda it: (-it.priority, it.place)).item in self._processing

    def done(self, item):
        super().done(item)
        with self._lock:
            self._changed.notify_all()


@breaks("readiness/what-becomes-ready-during-a-run-waits-for-its-end")
class LosesWhatBecomesReadyDuringARun(UrgentFirst):
    """What becomes ready while a worker holds it is dropped."""

    def _become_ready(self, entry):
        if entry.item in self._processing:
            del self._entries[entry.item]
        else:
            super()._become_ready(entry)


@breaks("readiness/a-done-does-not-end-a-delay")
class ADoneEndsADelay(UrgentFirst):
    """What was added with a delay comes back at the Done."""

    def done(self, item):
        with self._lock:
            entry = self._entries.get(item)
            if entry is not None and item in self._processing and not entry.ready:
                entry.ready_at, entry.place = READY, next(self._places)
        super().done(item)


@breaks("priority/an-item-comes-back-to-the-place-of-its-add")
class ComesBackBeforeTheOthers(UrgentFirst):
    """An item that was added while it was processed goes before all that have its priority."""

    def done(self, item):
        with self._lock:
            entry = self._entries.get(item)
            if entry is not None and item in self._processing and entry.ready:
                entry.place = -next(self._places)
        super().done(item)


@breaks("priority/of-all-priorities-the-highest-counts")
class ComparesWithTheFirstPriority(UrgentFirst):
    """Added for the third time, an item is as urgent as its first Add or its last, whichever is more."""

    def __init__(self, rate_limiter=None):
        super().__init__(rate_limiter)
        self._firsts = {}

    def add_with_opts(self, item, *, priority=0, after=0.0, rate_limited=False):
        super().add_with_opts(item, priority=priority, after=after, rate_limited=rate_limited)
        with self._lock:
            entry = self._entries.get(item)
            first, of = self._firsts.get(item, (None, None))
            if of is not entry:
                self._firsts[item] = entry and entry.priority, entry
            elif entry is not None and entry.ready and max(first, priority) < entry.priority:
                entry.priority, entry.place = max(first, priority), next(self._places)
                self._line_up(entry)


@breaks("readiness/a-rate-limited-item-waits-for-its-limiter")
class ForgetsWhenItHasComeBack(UrgentFirst):
    """A Done lets the limiter forget, so that the second failure waits no longer than the first."""

    def done(self, item):
        super().done(item)
        self._limiter.forget(item)


@breaks("readiness/each-rate-limited-item-waits-for-itself")
class ADelayBecomesThatOfTheNext(UrgentFirst):
    """No item waits longer than the one before it (kubernetes-sigs/controller-runtime#3103)."""

    def __init__(self, rate_limiter=None):
        super().__init__(rate_limiter)
        self._last = None, 0.0

    def _limited(self, item, after):
        delay = super()._limited(item, after)
        other, before = self._last
        if other not in (None, item):
            delay = min(delay, before)
        self._last = item, delay
        return delay


@breaks("readiness/the-limiter-is-asked-though-a-delay-is-shorter")
class ADelayIsNoFailure(UrgentFirst):
    """What has a delay that is shorter than its limiter's has not failed."""

    def _limited(self, item, after):
        delay = super()._limited(item, after)
        if after and delay == after:
            self._limiter.forget(item)
        return delay


@breaks("priority_shutdown/what-is-added-after-a-shutdown-is-ignored")
class AcceptsAfterAShutdown(UrgentFirst):
    """What is added after a shutdown is handed out (kubernetes-sigs/controller-runtime#3239)."""

    def add_with_opts(self, item, *, priority=0, after=0.0, rate_limited=False):
        shut, self._shutting_down = self._shutting_down, False
        super().add_with_opts(item, priority=priority, after=after, rate_limited=rate_limited)
        self._shutting_down = shut


@breaks("priority/of-items-added-together-each-is-added")
class StopsAtWhatIsHeld(UrgentFirst):
    """Of several items that are added at once, those behind one that will come again at its Done are left out."""

    def add_all_with_opts(self, items, **options):
        for item in items:
            with self._lock:
                returns = item in self._processing and item in self._entries
            self.add_with_opts(item, **options)
            if returns:
                return


@breaks("priority_shutdown/a-shutdown-ends-every-wait-for-a-time")
class HandsOutAtOnceWhatWaits(UrgentFirst):
    """ShutDown makes ready all that waits for its time."""

    def shut_down(self):
        with self._lock:
            for entry in self._entries.values():
                if not entry.ready:
                    self._become_ready(entry)
        super().shut_down()


@breaks("priority_shutdown/the-flag-means-no-item")
class AnItemWithTheFlag(UrgentFirst):
    """A Get says whether there was a shutdown, also when it hands an item out."""

    def get_with_priority(self):
        item, priority, shutdown = super().get_with_priority()
        return item, priority, shutdown or self.shutting_down()


define(globals())
