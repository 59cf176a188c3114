"""Work queues that shut down wrongly."""

from __future__ import annotations

from stingy_broken import breaks
from stingy_broken.edits import define
from stingy_broken.plain import WorkQueue


@breaks("shutdown/get-reports-the-shutdown")
class TellsItOnce(WorkQueue):
    """The second Get after a shutdown waits for ever."""

    def __init__(self):
        super().__init__()
        self._told = False

    def get(self):
        with self._lock:
            while self._told and not self._queue:
                self._changed.wait()
        item, shutdown = super().get()
        self._told = self._told or shutdown
        return item, shutdown


@breaks("shutdown/the-flag-means-no-item")
class RaisesTheFlagWithTheLastItem(WorkQueue):
    """Reports the shutdown together with the last item."""

    def get(self):
        item, shutdown = super().get()
        with self._lock:
            return item, shutdown or (self._shutting_down and not self._queue)


@breaks("shutdown/the-flag-is-not-the-last-word")
class ShutsForGood(WorkQueue):
    """Once the shutdown has been reported, no Get returns an item any more."""

    def __init__(self):
        super().__init__()
        self._reported = False

    def get(self):
        if self._reported:
            return None, True
        item, shutdown = super().get()
        self._reported = self._reported or shutdown
        return item, shutdown


@breaks("shutdown/a-second-shutdown-changes-nothing")
class RaisesAtTheSecondShutdown(WorkQueue):
    """A second ShutDown raises, as closing a closed channel does (kubernetes/kubernetes#77170)."""

    def __init__(self):
        super().__init__()
        self._closed = False

    def shut_down(self):
        if self._closed:
            raise RuntimeError("close of closed channel")
        self._closed = True
        super().shut_down()


define(globals())
