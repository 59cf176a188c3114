"""Work queues that drain wrongly."""

from __future__ import annotations

from threading import Event

from stingy_broken import breaks
from stingy_broken.edits import define
from stingy_broken.plain import WorkQueue


class WaitsOnce(WorkQueue):
    """A drain that does not look again when it is woken."""

    def shut_down_with_drain(self):
        with self._lock:
            self._draining = True
            self._stop()
            if self._processing:
                self._idle.wait()


@breaks("drain/a-drain-waits-for-every-item-in-processing")
class WaitsForTheNextDone(WaitsOnce):
    """A drain ends with the first Done, whatever else is being processed."""

    def done(self, item):
        super().done(item)
        with self._lock:
            self._idle.notify_all()


@breaks("drain/a-drain-waits-after-another-was-ended")
class EndsLaterDrains(WorkQueue):
    """A ShutDown that ends a drain sets a mark, which ends those as well that begin later."""

    _ended = False

    def shut_down(self):
        with self._lock:
            self._ended = self._ended or self._draining
        super().shut_down()

    def shut_down_with_drain(self):
        super().shut_down() if self._ended else super().shut_down_with_drain()


@breaks("drain/a-drain-waits-on-when-an-item-comes-back")
class GoesWithTheFirstWakeUp(WaitsOnce):
    """All wait for one condition, and a drain that is woken by an item that comes back does not look again."""

    def __init__(self):
        super().__init__()
        self._idle = self._changed


@breaks("drain/what-is-shut-down-can-be-shut-down-again")
class TwoDrainsHang(WorkQueue):
    """A second drain makes both wait for ever."""

    def __init__(self):
        super().__init__()
        self._drains = 0

    def shut_down_with_drain(self):
        with self._lock:
            self._drains += 1
            self._draining = True
            self._stop()
            while self._draining and (self._processing or self._drains > 1):
                self._idle.wait()


@breaks("drain/what-is-shut-down-can-be-shut-down-again")
class RaisesAtAShutdownAfterADrain(WorkQueue):
    """A ShutDown raises after a drain has returned, as closing a closed channel does."""

    def __init__(self):
        super().__init__()
        self._drained = False

    def shut_down(self):
        if self._drained:
            raise RuntimeError("close of closed channel")
        super().shut_down()

    def shut_down_with_drain(self):
        super().shut_down_with_drain()
        self._drained = True


@breaks("drain/each-drain-waits-for-what-is-in-processing")
class DrainsOnce(WorkQueue):
    """Once a drain has returned, the next ones return at once, whatever workers have taken since."""

    def __init__(self):
        super().__init__()
        self._drained = False

    def shut_down_with_drain(self):
        if not self._drained:
            super().shut_down_with_drain()
        self._drained = True


@breaks("interleavings/several-drains-wait-in-every-order")
class ClosesTheGateTooLate(WorkQueue):
    """The first drain waits for the workers, and the others wait at a gate that it closes a moment after it has begun."""

    def __init__(self):
        super().__init__()
        self._gate = Event()
        self._gate.set()

    def shut_down(self):
        super().shut_down()
        self._gate.set()

    def shut_down_with_drain(self):
        with self._lock:
            is_first, self._draining = not self._draining, True
        if is_first:
            self._gate.clear()
            super().shut_down_with_drain()
            self._draining = False
            self._gate.set()
        else:
            self._gate.wait()


define(globals())
