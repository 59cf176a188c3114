"""Once more.

This work queue is nearly right. It hands out items in the order in which they
were added, each to one worker at a time, and an item that is added three times
while it waits is handed out once.

But while a worker has an item, the queue turns a deaf ear: whoever adds that
item again is not heard. Say the item is "shop/web". A worker reads that two
replicas are wanted; a moment later somebody makes it three, and adds the item
again. The worker finishes with two, and nobody ever looks at the third.

Make the queue remember: an item that is added while a worker has it comes back
after that worker's Done. Once more, not once for every Add, and never to a
second worker while the first still has it.

There are two things to know about an item, and they are not the same: that
somebody wants it processed, and that somebody is processing it. Two methods
have a TODO of a line or two each.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable
from threading import Condition

RULES = (
    "once_more/added-while-processed-comes-back-after-done",
    "stingy/one-worker-at-a-time",
    "once_more/once-more-not-once-per-event",
    "once_more/in-every-run-not-only-the-first",
    "once_more/each-item-is-remembered-for-itself",
    "once_more/it-does-not-hold-up-the-others",
    "handing_out/a-finished-item-can-come-again",
    "once_more/no-add-is-lost",
)


class WorkQueue:
    def __init__(self) -> None:
        self._changed = Condition()
        self._queue: deque[Hashable] = deque()
        """What a worker can take now, the oldest first."""
        self._dirty: set[Hashable] = set()
        """What somebody wants to be processed."""
        self._processing: set[Hashable] = set()
        """What a worker has, between its Get and its Done."""
        self._shutting_down = False

    def add(self, item: Hashable) -> None:
        """Say that the item has to be processed."""
        with self._changed:
            if self._shutting_down or item in self._dirty:
                return
            if item in self._processing:
                return  # TODO: a worker has it. Remember it; but who may queue it, and when?
            self._dirty.add(item)
            self._enqueue(item)

    def get(self) -> tuple[Hashable | None, bool]:
        """Wait for an item: ``(item, False)``, or ``(None, True)`` when there is no more work to come."""
        with self._changed:
            while not self._queue and not self._shutting_down:
                self._changed.wait()
            if not self._queue:
                return None, True
            item = self._queue.popleft()
            self._dirty.discard(item)
            self._processing.add(item)
            return item, False

    def done(self, item: Hashable) -> None:
        """Say that the worker is through with the item."""
        with self._changed:
            self._processing.discard(item)
            # TODO: was it added in the meantime?

    def __len__(self) -> int:
        """How many items a worker could take now."""
        with self._changed:
            return len(self._queue)

    def shut_down(self) -> None:
        """Take no more items, and let the workers go once the queue is empty."""
        with self._changed:
            self._shutting_down = True
            self._changed.notify_all()

    def shutting_down(self) -> bool:
        with self._changed:
            return self._shutting_down

    def _enqueue(self, item: Hashable) -> None:
        """Put the item into the queue and wake a worker; call it with the lock held."""
        self._queue.append(item)
        self._changed.notify()
