"""A sound delaying queue; one timer thread serves all of the module, and is started as it is imported."""

import heapq
import itertools
import threading
import time

from stingy_reference.workqueue import WorkQueue

_CHANGED = threading.Condition()
_DUE = []
_NUMBERS = itertools.count()


def _tell():
    while True:
        with _CHANGED:
            while not _DUE or _DUE[0][0] > time.monotonic():
                _CHANGED.wait(_DUE[0][0] - time.monotonic() if _DUE else None)
            _, _, queue, item = heapq.heappop(_DUE)
        queue.add(item)


threading.Thread(target=_tell, daemon=True).start()


class AddsLater(WorkQueue):
    def add_after(self, item, seconds):
        with _CHANGED:
            heapq.heappush(_DUE, (time.monotonic() + seconds, next(_NUMBERS), self, item))
            _CHANGED.notify()
