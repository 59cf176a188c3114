"""A sound queue that cannot be controlled: its workers wait for a byte from a pipe."""

import os
from time import sleep

from stingy_reference import WorkQueue


class WaitsOnAPipe(WorkQueue):
    """Sound: for each queued item, and for the shutdown, a byte is in a pipe, on which Get waits."""

    def __init__(self):
        super().__init__()
        self._read, self._write = os.pipe()

    def get(self):
        os.read(self._read, 1)
        item, shutdown = super().get()
        if shutdown:
            os.write(self._write, b".")  # the next worker needs the byte of the shutdown, too
        return item, shutdown

    def shut_down(self):
        if not self._shutting_down:
            super().shut_down()
            os.write(self._write, b".")

    def __del__(self):
        os.close(self._read)
        os.close(self._write)

    def _enqueue(self, item):
        super()._enqueue(item)
        os.write(self._write, b".")


class DawdlesOnce(WaitsOnAPipe):
    """Sound: with several items in the queue, one Get takes 0.2 s longer, as on a busy machine."""

    dawdled = False

    def get(self):
        if len(self._queue) > 1 and not DawdlesOnce.dawdled:
            DawdlesOnce.dawdled = True
            sleep(0.2)
        return super().get()
