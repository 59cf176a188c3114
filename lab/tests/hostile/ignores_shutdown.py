"""Its Get goes on waiting when the queue is shut down."""

from stingy_reference import WorkQueue

SAYS = "FAIL: still waits"
EXIT = 1


class Queue(WorkQueue):
    def get(self):
        with self._lock:
            while not self._queue:
                self._changed.wait()
        return super().get()
