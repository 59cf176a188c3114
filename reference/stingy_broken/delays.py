"""Delaying queues that add too early, too late, too often or never."""

from __future__ import annotations

from heapq import heappush
from itertools import repeat
from threading import Thread
from time import monotonic, sleep, time

from stingy_broken import breaks
from stingy_broken.edits import define
from stingy_reference import DelayingQueue, WorkQueue
from stingy_sound.delays import WhoeverCallsLooks


def force(queue, item):
    """Queue an item, shutdown or not."""
    with queue._lock:
        if item not in queue._dirty:
            queue._dirty.add(item)
            queue._metrics.added(item)
            if item not in queue._processing:
                queue._enqueue(item)


def note(queue, item, deadline):
    """Have the clerk add the item then, whatever else has been noted of it."""
    queue._metrics.retried()
    with queue._lock:
        queue._deadlines[item] = deadline
        heappush(queue._heap, (deadline, next(queue._entries), item))
        wake(queue)


def wake(queue):
    """Have the clerk look, whom nobody may have needed before; with the lock held."""
    if queue._clerk is None:
        queue._clerk = Thread(target=queue._add_what_is_due, daemon=True)
        queue._clerk.start()
    queue._sooner.notify()


@breaks("delays/a-clock-that-is-set-makes-nothing-due")
class GoesByTheTimeOfDay(WhoeverCallsLooks):
    """A deadline is a time of day: it comes at once when the clock is set forward, and hours late when it is set back."""

    def __init__(self):
        super().__init__()

    def _now(self):
        return time()


@breaks("delays/a-clock-that-is-set-puts-nothing-off")
class WaitsForBothClocks(WhoeverCallsLooks):
    """A deadline is past once it is so by the time of day and by the uptime, to be on the safe side."""

    def __init__(self):
        super().__init__()
        self._began = time() - monotonic()

    def _now(self):
        return min(monotonic(), time() - self._began)


@breaks("delays/an-item-is-there-however-short-its-delay")
class RoundsToMilliseconds(DelayingQueue):
    """AddAfter counts in milliseconds, and takes none for no order at all."""

    def add_after(self, item, seconds):
        if seconds <= 0 or int(seconds * 1000):
            super().add_after(item, seconds)


@breaks("delays/values-that-have-no-order-can-have-one-deadline")
class ComparesItsItems(DelayingQueue):
    """Items that wait are sorted by their deadline, and then by themselves: a number and a text cannot be."""

    def __init__(self):
        super().__init__()
        self._entries = repeat(0)


@breaks("delays/a-waiting-worker-is-woken")
class ComesInSilence(DelayingQueue):
    """What is due wakes no worker."""

    def _add_what_is_due(self):
        while due := self._wait_for_due():
            with self._lock:
                for item in due:
                    if item not in self._dirty:
                        self._dirty.add(item)
                        self._metrics.added(item)
                        if item not in self._processing:
                            self._queue.push(item)


@breaks("delays/a-waiting-worker-is-woken")
class WakesOnlyWhoCameLater(ComesInSilence):
    """What is due wakes no worker who has waited since before its AddAfter."""

    def __init__(self, **given):
        super().__init__(**given)
        self._waiting = 0
        self._unheard = set()

    def get(self):
        self._waiting += 1
        try:
            return super().get()
        finally:
            self._waiting -= 1

    def add_after(self, item, seconds):
        if self._waiting:
            self._unheard.add(item)
        super().add_after(item, seconds)

    def add(self, item):
        self._unheard.discard(item)
        super().add(item)

    def _add_what_is_due(self):
        while due := self._wait_for_due():
            for item in due:
                if item not in self._unheard:
                    self.add(item)
                    continue
                with self._lock:
                    if item not in self._dirty:
                        self._dirty.add(item)
                        self._metrics.added(item)
                        if item not in self._processing:
                            self._queue.push(item)


@breaks("delays/a-delayed-item-comes-once")
class ComesAgainAndAgain(DelayingQueue):
    """An item that has come is put among those that wait once more."""

    def _take_due(self, now):
        due = super()._take_due(now)
        for item in due:
            self._deadlines[item] = now + 60
            self._heap.append((now + 60, next(self._entries), item))
        self._heap.sort()
        return due


@breaks("delays/an-item-can-be-delayed-again")
class NeverForgetsADeadline(DelayingQueue):
    """The deadline of an item that has come still counts, so every new one is a later one."""

    def _take_due(self, now):
        due = super()._take_due(now)
        self._deadlines.update(dict.fromkeys(due, now))
        return due


@breaks("delays/a-later-deadline-holds-up-no-sooner-one")
class SetsItsTimerForTheLast(DelayingQueue):
    """The clerk has one timer, and sets it for whatever was asked for last."""

    def add_after(self, item, seconds):
        super().add_after(item, seconds)
        with self._lock:
            self._sooner.notify()

    def _wait_for_due(self):
        with self._lock:
            while not self._shutting_down:
                due = self._take_due(monotonic())
                if due:
                    return due
                last = max(self._heap, key=lambda entry: entry[1], default=None)
                self._sooner.wait(last[0] - monotonic() if last else None)
            return []


@breaks("delays/all-that-is-due-comes")
class AddsOneAtATime(DelayingQueue):
    """The clerk adds one item each time it is woken, however many are due."""

    def __init__(self, **options):
        super().__init__(**options)
        self._due = []

    def _take_due(self, now):
        news = super()._take_due(now)
        self._due += news
        return [self._due.pop(0)] if news else []


@breaks("delays/the-delay-counts-from-the-call")
class CountsFromTheLastLook(DelayingQueue):
    """Delays are counted down when the clerk looks, and for the first time from when it last did."""

    def __init__(self, **options):
        super().__init__(**options)
        self._looked = monotonic()

    def add_after(self, item, seconds):
        since = monotonic() - self._looked if self._deadlines else 0
        super().add_after(item, seconds - since)

    def _take_due(self, now):
        self._looked = now
        return super()._take_due(now)


@breaks("deadlines/an-item-that-is-hurried-up-overtakes-others")
class HurriesItInPlace(DelayingQueue):
    """AddAfter changes the deadline of an item within the heap, and leaves the heap as it was."""

    def add_after(self, item, seconds):
        with self._lock:
            deadline = monotonic() + seconds
            for n, (waits_for, entry, waiting) in enumerate(self._heap):
                if waiting == item and deadline < waits_for:
                    self._heap[n] = (deadline, entry, item)
                    self._deadlines[item] = deadline
                    self._sooner.notify()
                    return
        super().add_after(item, seconds)


@breaks("deadlines/a-deadline-that-is-little-sooner-counts")
class SparesItsTimer(DelayingQueue):
    """A sooner deadline counts only if it spares a tenth of the time that is left."""

    def add_after(self, item, seconds):
        with self._lock:
            left = self._deadlines.get(item, float("inf")) - monotonic()
        if seconds <= max(0.9 * left, 0):
            super().add_after(item, seconds)


@breaks("deadlines/the-later-deadline-is-void")
class ComesForEachDeadline(DelayingQueue):
    """An item waits as often as it has been told to (kubernetes/kubernetes#40494)."""

    def add_after(self, item, seconds):
        with self._lock:
            self._deadlines.pop(item, None)
        super().add_after(item, seconds)

    def _take_due(self, now):
        self._deadlines.update({item: deadline for deadline, _, item in self._heap if deadline <= now})
        return super()._take_due(now)


@breaks("deadlines/an-add-does-not-wait-for-a-deadline")
class WaitsWithTheAdd(DelayingQueue):
    """An item that waits is not added before its deadline."""

    def add(self, item):
        if item not in self._deadlines:
            super().add(item)


@breaks("deadlines/an-item-due-while-it-is-queued-comes-once")
class AddsItOnceMoreAfterItsDone(DelayingQueue):
    """An item that is still queued when it is due is added again after its Done."""

    def __init__(self, **options):
        super().__init__(**options)
        self._owed = set()

    def _add_what_is_due(self):
        while due := self._wait_for_due():
            for item in due:
                if item in self._queue:
                    self._owed.add(item)
                self.add(item)

    def done(self, item):
        super().done(item)
        if item in self._owed:
            self._owed.remove(item)
            self.add(item)


@breaks("deadlines/an-item-due-while-it-is-processed-comes-after-its-done")
class DropsWhatIsProcessed(DelayingQueue):
    """What is due is dropped if a worker holds it."""

    def _add_what_is_due(self):
        while due := self._wait_for_due():
            for item in due:
                if item not in self._processing:
                    self.add(item)


@breaks("abandonment/a-shutdown-drops-what-waits")
class ComesAfterAShutdown(DelayingQueue):
    """What waits at a shutdown comes at its deadline all the same."""

    def _add_what_is_due(self):
        while True:
            with self._lock:
                due = self._take_due(monotonic())
                if not due:
                    self._sooner.wait(self._heap[0][0] - monotonic() if self._heap else None)
            for item in due:
                force(self, item)

    def _stop(self):
        WorkQueue._stop(self)


@breaks("abandonment/a-shutdown-drops-the-deadline-of-an-item-in-processing")
class OwesWhatItDrops(DelayingQueue):
    """Of an item in processing that waits at a shutdown, the worker is told that it was added again."""

    def _stop(self):
        self._dirty.update(self._deadlines.keys() & self._processing)
        super()._stop()


@breaks("deadlines/of-two-deadlines-at-once-the-earlier-wins")
class LooksWithoutTheLock(DelayingQueue):
    """AddAfter looks without the lock whether the item has a sooner deadline, and then notes its own."""

    def __init__(self):
        super().__init__()

    def add_after(self, item, seconds):
        deadline = monotonic() + seconds
        if seconds <= 0 or self.shutting_down():
            super().add_after(item, seconds)
        elif deadline < self._deadlines.get(item, float("inf")):
            note(self, item, deadline)


@breaks("deadlines/delays-at-once-lose-nothing")
class ClerkSleepsOnOldNews(DelayingQueue):
    """The clerk looks how long it may sleep, lets the lock go, and then sleeps: who tells it in between is not heard."""

    def _wait_for_due(self):
        while True:
            with self._lock:
                if self._shutting_down:
                    return []
                if due := self._take_due(monotonic()):
                    return due
                sleep = self._heap[0][0] - monotonic() if self._heap else None
            with self._lock:
                self._sooner.wait(sleep)


@breaks("deadlines/delays-at-once-lose-nothing")
class AddsNowAndNotesItToo(DelayingQueue):
    """Without a delay it adds the item at once, and tells the clerk all the same."""

    def add_after(self, item, seconds):
        if seconds > 0:
            super().add_after(item, seconds)
            return
        self.add(item)
        note(self, item, monotonic())


@breaks("deadlines/without-a-delay-an-item-is-there-on-return")
class LeavesItToTheClerk(DelayingQueue):
    """Without a delay the item is noted like any other, and the clerk adds it when it comes to it."""

    def add_after(self, item, seconds):
        if seconds > 0 or self.shutting_down():
            super().add_after(item, seconds)
        else:
            note(self, item, monotonic())


@breaks("abandonment/a-shutdown-at-once-with-an-addafter-reaches-everybody")
class LooksAtTheHeapOnceMore(DelayingQueue):
    """AddAfter lets go of the lock before it looks whose turn is next: a ShutDown may have emptied the heap."""

    def add_after(self, item, seconds):
        waits = seconds > 0 and not self.shutting_down()
        super().add_after(item, seconds)
        with self._lock:
            if waits and self._heap[0][2] == item:
                self._sooner.notify()


@breaks("abandonment/a-shutdown-at-once-with-an-addafter-reaches-everybody")
class ClosesTwiceAtOnce(DelayingQueue):
    """ShutDown closes its channel if nobody has shut down so far: two at once close it twice, which raises."""

    def __init__(self):
        super().__init__()
        self._closed = False

    def shut_down(self):
        if not self.shutting_down():
            self._close()
        super().shut_down()

    def _close(self):
        with self._lock:
            if self._closed:
                raise RuntimeError("close of closed channel")
            self._closed = True


@breaks("deadlines/of-delays-at-once-none-comes-early")
class TakesTheSecondForDue(DelayingQueue):
    """AddAfter leaves the item to the clerk, who looks at the deadline of the first that it finds, and adds all others."""

    def __init__(self):
        super().__init__()
        self._left = []

    def add_after(self, item, seconds):
        if seconds <= 0:
            self.add(item)
            return
        with self._lock:
            if self._shutting_down:
                return
            self._left.append((item, monotonic() + seconds))
            wake(self)

    def _take_due(self, now):
        left, self._left = self._left, []
        for item, deadline in left[:1]:
            if deadline < self._deadlines.get(item, float("inf")):
                self._deadlines[item] = deadline
                heappush(self._heap, (deadline, next(self._entries), item))
        return [item for item, _ in left[1:]] + super()._take_due(now)


@breaks("delays/a-deadline-sends-nobody-home")
class TakesADeadlineForAShutdown(DelayingQueue):
    """Get waits until the next deadline at most, and reports a shutdown if another worker has got what came then."""

    def get(self):
        with self._lock:
            while not self._queue and not self._shutting_down:
                in_time = self._changed.wait(self._until_the_next_deadline())
                if not in_time and not self._deadlines and not self._queue:
                    return None, True
        return super().get()

    def add_after(self, item, seconds):
        super().add_after(item, seconds)
        with self._lock:
            self._changed.notify_all()

    def _until_the_next_deadline(self):
        return self._heap[0][0] - monotonic() + 1 if self._heap else None


@breaks("delays/of-many-without-a-pause-none-is-lost")
class HasAnInboxOfAThousand(DelayingQueue):
    """An AddAfter is put into an inbox that a clerk empties; what does not fit is dropped, as the Java client does."""

    def __init__(self, **options):
        super().__init__(**options)
        self._inbox = []
        self._emptying = None

    def add_after(self, item, seconds):
        if len(self._inbox) < 1_000:
            self._inbox.append((item, monotonic() + seconds))
        if self._emptying is None or not self._emptying.is_alive():
            self._emptying = Thread(target=self._empty, daemon=True)
            self._emptying.start()

    def _empty(self):
        while self._inbox:
            item, deadline = self._inbox.pop(0)
            super().add_after(item, deadline - monotonic())


@breaks("delays/what-is-far-away-can-be-hurried-up")
class HasOneTimeForWhatIsFarAway(DelayingQueue):
    """What is to wait for more than a month is put aside, and looked at again after a day; till then it is deaf."""

    _aside: frozenset[str] = frozenset()

    def add_after(self, item, seconds):
        if seconds > 30 * 86_400 or item in self._aside:
            self._aside = self._aside | {item}
        else:
            super().add_after(item, seconds)


@breaks("delays/a-short-delay-is-a-delay")
class HandsOverAFewMillisecondsEarly(DelayingQueue):
    """Where a worker waits, what is due within 5 ms is added now: it is not worth a timer."""

    _waiting = 0

    def get(self):
        self._waiting += 1
        try:
            return super().get()
        finally:
            self._waiting -= 1

    def add_after(self, item, seconds):
        super().add_after(item, 0 if self._waiting and seconds <= 0.005 else seconds)


@breaks("delays/an-item-may-wait-whatever-it-is-called")
class KeepsItsDeadlinesInAnObject(DelayingQueue):
    """Its deadlines lie in an object as JavaScript has them: `constructor` has one from the beginning, and never comes."""

    def add_after(self, item, seconds):
        if seconds <= 0 or item != "constructor":
            super().add_after(item, seconds)


@breaks("deadlines/an-item-that-is-hurried-up-overtakes-others")
class SweepsOutTheFirst(DelayingQueue):
    """Where three entries of its heap are out of date, it throws out as many from the front, be they out of date or not."""

    def add_after(self, item, seconds):
        super().add_after(item, seconds)
        with self._lock:
            if len(self._heap) >= len(self._deadlines) + 3:
                self._heap = sorted(self._heap)[3:]


@breaks("lasting/a-queue-that-is-left-alone-stays-as-it-is")
class TakesBackWhatIsHeldForLong(DelayingQueue):
    """What a worker has held for half an hour is somebody else's, as a message is whose visibility timeout is over."""

    LEASE = 1800

    def __init__(self, **options):
        super().__init__(**options)
        self._since = {}

    def get(self):
        with self._lock:
            while not self._take_back() and not self._queue and not self._shutting_down:
                left = min(self._since.values(), default=None)
                self._changed.wait(None if left is None else left + self.LEASE - monotonic())
        item, shutdown = super().get()
        with self._lock:
            if item in self._processing:
                self._since[item] = monotonic()
        return item, shutdown

    def done(self, item):
        with self._lock:
            self._since.pop(item, None)
        super().done(item)

    def _take_back(self):
        """Whether there is something."""
        late = [item for item, since in self._since.items() if monotonic() - since >= self.LEASE]
        for item in late:
            del self._since[item]
            self._processing.discard(item)
            self._dirty.add(item)
            self._enqueue(item)
        return bool(late)


define(globals())
