"""Work queues with one gap each: two Adds at once can queue an item twice, in whatever place the code with the gap runs."""

import sys
import threading
import weakref
from collections import UserDict
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial

from stingy_reference import WorkQueue


def insert(queue, item):
    """Look and add in two steps, so that another thread can run in between."""
    if item not in queue._dirty:
        queue._dirty.add(item)
        queue._queue.append(item)


class InPlainSight(WorkQueue):
    """Correct except for the gap. The subclasses run it in other code."""

    insert = insert

    def add(self, item):
        if self._shutting_down:
            return
        self.insert(item)
        with self._lock:
            self._changed.notify()


class Closed(InPlainSight):
    """Has no gap."""

    def add(self, item):
        with self._lock:
            insert(self, item)
            self._changed.notify()


class InAThreadOfTheConstructor(InPlainSight):
    """Serves the first Add in two steps.

    An Add that arrives meanwhile is done in one step, so that no other thread has the gap.
    """

    def __init__(self):
        super().__init__()
        self.known, self.asked, self.order, self.served = {}, 0, None, threading.Event()
        self.given = threading.Condition()
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        with self.given:
            while self.order is None:
                self.given.wait()
        if self.order not in self.known:
            self.known[self.order] = self
            self._queue.append(self.order)
        self.served.set()

    def insert(self, item):
        with self.given:
            self.asked += 1
            first = self.asked == 1
            if first:
                self.order = item
                self.given.notify()
        mine = object()
        if first:
            self.served.wait()
        elif self.known.setdefault(item, mine) is mine:
            self._queue.append(item)


class InATimer(InPlainSight):
    def insert(self, item):
        timer = threading.Timer(0, insert, (self, item))
        timer.start()
        timer.join()


class InAnExecutor(InPlainSight):
    def __init__(self):
        super().__init__()
        self.pool = ThreadPoolExecutor(2)

    def insert(self, item):
        self.pool.submit(insert, self, item).result()


class InACallback(InPlainSight):
    def insert(self, item):
        sorted([item], key=partial(insert, self))


class Dropped:
    def __init__(self, queue, item):
        self.queue, self.item = queue, item

    def __del__(self):
        insert(self.queue, self.item)


class InAFinalizer(InPlainSight):
    def insert(self, item):
        Dropped(self, item)


class InACallbackOfAWeakReference(InPlainSight):
    def insert(self, item):
        kept = set()
        weakref.finalize(kept, insert, self, item)
        del kept


class InAGenerator(InPlainSight):
    """Both were begun by the constructor."""

    def __init__(self):
        super().__init__()
        self.ready = [self.inserts(), self.inserts()]
        for each in self.ready:
            next(each)

    def inserts(self):
        item = yield
        insert(self, item)
        yield

    def insert(self, item):
        self.ready.pop().send(item)


class InAContextManager(InPlainSight):
    @contextmanager
    def entered(self, item):
        insert(self, item)
        yield

    def insert(self, item):
        with self.entered(item):
            pass


class ByEval(InPlainSight):
    def insert(self, item):
        exec("if item not in self._dirty:\n  self._dirty.add(item)\n  self._queue.append(item)")


MADE = {}
TEXT = """
def made_up(queue, item):
    if item not in queue._dirty:
        queue._dirty.add(item)
        queue._queue.append(item)
"""
exec(compile(TEXT, "made up", "exec"), MADE)


class ByCodeWithAName(InPlainSight):
    def insert(self, item):
        MADE["made_up"](self, item)


class InAContainerOfTheStandardLibrary(InPlainSight):
    def __init__(self):
        super().__init__()
        self.seen = UserDict()

    def insert(self, item):
        mine = object()
        if self.seen.setdefault(item, mine) is mine:
            self._queue.append(item)


class InALibrary(InPlainSight):
    def insert(self, item):
        sys.modules["a_library"].insert(self, item)


def of_a_library():
    """Return a subclass of a class of a library."""

    class OfALibrary(sys.modules["a_library"].Mixin, InPlainSight):
        pass

    return OfALibrary
