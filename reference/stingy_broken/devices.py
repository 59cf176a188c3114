"""Work queues that misuse what the standard library has for threads: events, semaphores, queues, timers, threads."""

from __future__ import annotations

import time
from queue import Empty, Queue
from threading import Event, Semaphore, Timer

from stingy_broken import breaks
from stingy_broken.edits import define
from stingy_broken.plain import WorkQueue
from stingy_broken.steps import InSteps
from stingy_sound.queues import (
    HandsOver,
    OneAtTheDoor,
    Waiting,
    WithDispatcher,
    WithSemaphore,
    WithTickets,
)


class WithNews(InSteps):
    """Sound: workers wait for an event, which is cleared with the lock, when there is nothing to do."""

    def __init__(self):
        super().__init__()
        self._news = Event()

    def get(self):
        while True:
            with self._lock:
                if not self._nothing_to_do():
                    return self._take()
                self._news.clear()
            self._news.wait()

    def _enqueue(self, item):
        self._queue.append(item)
        self._news.set()

    def _stop(self):
        super()._stop()
        self._news.set()


@breaks("interleavings/work-ends-in-every-order")
class ClearsTheNewsAfterItLooked(WithNews):
    """Get looks at the queue, lets go of the lock, and clears the event: also one that was set since."""

    def get(self):
        while True:
            with self._lock:
                if not self._nothing_to_do():
                    return self._take()
            self._news.clear()
            self._news.wait()


@breaks("interleavings/a-drain-ends-in-every-order")
class SaysTooLateThatItIsQuiet(InSteps):
    """Done sets the drain's event after it has let go of the lock, when another worker may hold an item."""

    def __init__(self):
        super().__init__()
        self._quiet = Event()
        self._quiet.set()

    def _take(self):
        taken = super()._take()
        if self._processing:
            self._quiet.clear()
        return taken

    def done(self, item):
        with self._lock:
            self._finish(item)
            quiet = not self._processing
        if quiet:
            self._quiet.set()

    def shut_down(self):
        super().shut_down()
        self._quiet.set()

    def shut_down_with_drain(self):
        with self._lock:
            self._stop()
            if self._processing:
                self._quiet.clear()
        self._quiet.wait()


@breaks("drain/it-wakes-the-waiting-workers")
class KeepsTheLastPermit(WithSemaphore):
    """A worker that waited, and finds that its permit was the shutdown's, goes home without passing it on."""

    def get(self):
        waited = not self._permits.acquire(blocking=False)
        if waited:
            self._permits.acquire()
        with self._lock:
            if self._queue:
                item = self._queue.popleft()
                self._dirty.remove(item)
                self._processing.add(item)
                return item, False
            if not waited:
                self._permits.release()
            return None, True


@breaks("once_more/no-add-is-lost")
class GivesTwoPermitsForOneItem(WithSemaphore):
    """Add looks whether the item is new before it takes the lock, and if so releases a permit."""

    def add(self, item):
        new = item not in self._dirty and item not in self._processing and not self._shutting_down
        with self._lock:
            if not self._shutting_down and item not in self._dirty:
                self._dirty.add(item)
                if item not in self._processing:
                    WorkQueue._enqueue(self, item)
        if new:
            self._permits.release()


@breaks("workers/all-that-is-added-gets-done")
class WastesAPermitThatCameTooEarly(InSteps):
    """Add releases a permit before it puts the item there; a worker that is too quick finds nothing, and waits again."""

    def __init__(self):
        super().__init__()
        self._permits = Semaphore(0)

    def add(self, item):
        self._permits.release()
        super().add(item)

    def get(self):
        while True:
            self._permits.acquire()
            with self._lock:
                if self._shutting_down:
                    self._permits.release()
                if not self._nothing_to_do():
                    return self._take()

    def done(self, item):
        super().done(item)
        self._permits.release()

    def _stop(self):
        super()._stop()
        self._permits.release()


@breaks("interleavings/work-ends-in-every-order")
class CountsItselfTooLate(WithTickets):
    """ShutDown gives out a ticket if a worker has ever waited; one that is about to wait is not counted yet."""

    def __init__(self):
        super().__init__()
        self._has_waited = False

    def get(self):
        with self._lock:
            if self._shutting_down and not self._queue:
                return None, True
        with self._lock:
            self._has_waited = True
        return super().get()

    def _stop(self):
        WorkQueue._stop(self)
        if self._has_waited:
            self._tickets.put("a shutdown")


@breaks("interleavings/work-ends-in-every-order")
class TrustsEmpty(WithTickets):
    """After a shutdown a worker looks whether a ticket is left and waits for it, though another may have taken it."""

    def get(self):
        while True:
            closing = self._shutting_down
            if closing and self._tickets.empty():
                return None, True
            try:
                self._tickets.get(timeout=None if closing else 0.05)
            except Empty:
                continue
            with self._lock:
                item = self._queue.popleft()
                self._dirty.remove(item)
                self._processing.add(item)
                return item, False

    def _stop(self):
        WorkQueue._stop(self)


@breaks("interleavings/nobody-is-sent-home-too-soon")
class GoesHomeAtATimeOut(WithTickets):
    """A worker whose wait times out goes home if there is a shutdown, though an item may have come before it."""

    def add(self, item):
        time.sleep(0.05)
        super().add(item)

    def get(self):
        while True:
            try:
                self._tickets.get(timeout=0.05)
            except Empty:
                if self._shutting_down:
                    return None, True
                continue
            with self._lock:
                item = self._queue.popleft()
                self._dirty.remove(item)
                self._processing.add(item)
                return item, False

    def _stop(self):
        WorkQueue._stop(self)


@breaks("interleavings/work-ends-in-every-order")
class LosesTheLastWord(OneAtTheDoor):
    """A worker that takes the last word, and finds that an item came back after it, does not put the last word back."""

    def get(self):
        with self._door:
            item = self._line.get()
            with self._lock:
                if item is self._LAST_WORD:
                    if self._line.empty():
                        self._line.put(self._LAST_WORD)
                        return None, True
                    item = self._line.get()
                self._dirty.remove(item)
                self._processing.add(item)
                return item, False


@breaks("interleavings/some-order-explains-a-drain")
class SaysTaskDoneTooEarly(InSteps):
    """A drain joins a queue of tasks, and Done calls one done before it puts the item back as another."""

    def __init__(self):
        super().__init__()
        self._tasks = Queue()

    def done(self, item):
        self._tasks.task_done()
        super().done(item)

    def _enqueue(self, item):
        super()._enqueue(item)
        self._tasks.put(item)

    def _stop(self):
        super()._stop()
        with self._tasks.all_tasks_done:
            self._tasks.all_tasks_done.notify_all()

    def shut_down_with_drain(self):
        with self._lock:
            self._draining = True
            self._stop()
        with self._tasks.all_tasks_done:
            while self._draining and self._tasks.unfinished_tasks:
                self._tasks.all_tasks_done.wait()


@breaks("once_more/no-add-is-lost")
class DropsWhatComesAtTheTimeOut(HandsOver):
    """A worker that has waited in vain joins the line anew, also if it was given an item as its time ran out."""

    def add(self, item):
        time.sleep(0.05)
        super().add(item)

    def get(self):
        while True:
            with self._lock:
                if self._queue or self._shutting_down:
                    break
                me = Waiting(self._lock)
                self._line.append(me)
                if me.called.wait(0.05):
                    return me.given
                if me in self._line:
                    self._line.remove(me)
        return super().get()


@breaks("once_more/no-add-is-lost")
class PutsASecondItemIntoTheSameHands(HandsOver):
    """A worker leaves the line when it runs, not when it is given an item: before that it may be given another."""

    def get(self):
        got = super().get()
        with self._lock:
            while self._line and self._line[0].given is got:
                self._line.popleft()
        return got

    def _enqueue(self, item):
        if not self._line:
            self._queue.append(item)
            return
        self._mark(item)
        self._line[0].give((item, False))


@breaks("once_more/no-add-is-lost")
class CarriesOneItemPerSignal(WithDispatcher):
    """The dispatcher waits for a signal, also where it has missed one, and carries one item for each."""

    def _dispatch(self):
        while True:
            with self._lock:
                self._mail.wait()
                if self._inbox:
                    self._queue.append(self._inbox.popleft())
                    self._changed.notify()


@breaks("interleavings/work-ends-in-every-order")
class WaitsForItsDispatcherWithTheLock(WithDispatcher):
    """ShutDown waits until the inbox is empty, and keeps the lock that the dispatcher needs to empty it."""

    def __init__(self):
        self._carried = Event()
        super().__init__()

    def _stop(self):
        if self._inbox:
            self._carried.wait()
        super()._stop()

    def _dispatch(self):
        while True:
            with self._lock:
                while not self._inbox:
                    self._carried.set()
                    self._mail.wait()
                self._carried.clear()
                self._queue.append(self._inbox.popleft())
                self._changed.notify()


@breaks("interleavings/some-order-of-the-calls-explains-every-answer")
class ForgetsToWindTheTimer(WorkQueue):
    """A timer sends items out in batches; while it does, an Add takes it for one that is still to go off."""

    def __init__(self):
        super().__init__()
        self._batch = []
        self._timer = None

    def __len__(self):
        with self._lock:
            return len(self._queue) + len(self._batch)

    def _enqueue(self, item):
        self._batch.append(item)
        if self._shutting_down:
            self._send()
        elif self._timer is None:
            self._timer = Timer(0.01, self._go_off)
            self._timer.start()

    def _go_off(self):
        with self._lock:
            self._send()
        self._timer = None

    def _send(self):
        for item in self._batch:
            super()._enqueue(item)
        self._batch.clear()

    def _stop(self):
        self._send()
        super()._stop()


define(globals())
