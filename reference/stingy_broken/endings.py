"""Delaying and measured queues that leave something running when they are shut down."""

from __future__ import annotations

from stingy_broken import breaks
from stingy_broken.edits import define
from stingy_broken.metrics import Measured
from stingy_reference import DelayingQueue, WorkQueue
from stingy_reference.metrics import TICK
from stingy_sound.delays import ATaskForEach


@breaks("ending/nothing-runs-on-after-a-shutdown")
class NobodyTellsTheClerk(DelayingQueue):
    """A shutdown drops what waits, and leaves its clerk waiting for it."""

    def _stop(self):
        WorkQueue._stop(self)
        self._deadlines.clear()
        self._heap.clear()


@breaks("ending/nothing-runs-on-after-a-shutdown")
class LeavesItsTasksAsleep(ATaskForEach):
    """A shutdown leaves a task asleep for each item that waited: it will look then whether there is anything to do."""

    async def add_after(self, item, seconds):
        if seconds > 0:
            await super().add_after(item, seconds)
        else:
            self.add(item)

    def _stop(self):
        super(ATaskForEach, self)._stop()
        self._deadlines.clear()


define(globals())
