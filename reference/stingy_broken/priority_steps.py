"""Priority queues that are right as long as nobody comes in between."""

from __future__ import annotations

from queue import SimpleQueue
from threading import Thread
from time import monotonic

from stingy_broken import breaks
from stingy_broken.edits import define
from stingy_reference.priority import READY, Entry, UrgentFirst


class InSteps(UrgentFirst):
    """Sound as long as its steps are taken with the lock held."""

    def add_with_opts(self, item, *, priority=0, after=0.0, rate_limited=False):
        if not self.shutting_down():
            delay = self._limited(item, after) if rate_limited else after
            self._add(item, priority, monotonic() + delay if delay > 0 else READY)

    def _add(self, item, priority, ready_at):
        with self._lock:
            if not self._shutting_down:
                self._enter(item, priority, ready_at)

    def _enter(self, item, priority, ready_at):
        entry = self._entries.get(item)
        if entry is None:
            entry = self._entries[item] = Entry(item, priority, ready_at, next(self._places))
            self._line_up(entry)
        elif priority > entry.priority or ready_at < entry.ready_at:
            self._merge(entry, priority, ready_at)
            self._line_up(entry)


@breaks("priority_races/what-was-added-before-the-get-goes-by-priority")
class AddsByAndBy(InSteps):
    """An Add is left to a thread of the queue's own, and a Get does not wait for what that has yet to add."""

    def __init__(self, rate_limiter=None):
        super().__init__(rate_limiter)
        self._to_add = SimpleQueue()
        Thread(target=self._add_all, daemon=True).start()

    def _add(self, item, priority, ready_at):
        self._to_add.put((item, priority, ready_at))

    def _add_all(self):
        while added := self._to_add.get():
            super()._add(*added)

    def shut_down(self):
        super().shut_down()
        self._to_add.put(None)


define(globals())
