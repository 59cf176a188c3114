"""A sound queue that nobody can control: its workers wait for a byte from a pipe."""

from __future__ import annotations

import os
from threading import Lock
from time import sleep


class WaitsOnAPipe:
    def __init__(self):
        self._lock = Lock()
        self._read, self._write = os.pipe()
        self._queue, self._dirty, self._processing = [], set(), set()
        self._shutting_down = False

    def add(self, item):
        with self._lock:
            if self._shutting_down or item in self._dirty:
                return
            self._dirty.add(item)
            if item not in self._processing:
                self._enqueue(item)

    def get(self):
        os.read(self._read, 1)
        with self._lock:
            if not self._queue:
                os.write(self._write, b".")  # the shutdown's token: the next one needs it too
                return None, True
            item = self._queue.pop(0)
            self._dirty.discard(item)
            self._processing.add(item)
            return item, False

    def done(self, item):
        with self._lock:
            if item in self._processing:
                self._processing.remove(item)
                if item in self._dirty:
                    self._enqueue(item)

    def __len__(self):
        with self._lock:
            return len(self._queue)

    def shut_down(self):
        with self._lock:
            if not self._shutting_down:
                self._shutting_down = True
                os.write(self._write, b".")

    def shutting_down(self):
        return self._shutting_down

    def __del__(self):
        os.close(self._read)
        os.close(self._write)

    def _enqueue(self, item):
        self._queue.append(item)
        os.write(self._write, b".")


class DawdlesOnce(WaitsOnAPipe):
    """One Get takes longer than a short wait, as on a busy machine, when several items are queued."""

    dawdled = False

    def get(self):
        if len(self._queue) > 1 and not DawdlesOnce.dawdled:
            DawdlesOnce.dawdled = True
            sleep(0.2)
        return super().get()
