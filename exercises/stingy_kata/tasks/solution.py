from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from typing import Protocol


class RateLimiter(Protocol):
    """Computes how long a key has to wait after its failures."""

    def when(self, item: Hashable, /) -> float: ...

    def forget(self, item: Hashable, /) -> None: ...

    def num_requeues(self, item: Hashable, /) -> int: ...


@dataclass(frozen=True)
class Result:
    """Result of a successful reconcile: whether and when the key is to be reconciled again."""

    requeue_after: float = 0.0
    """Seconds after which the key is to be reconciled once more; 0 if it need not be."""
    requeue: bool = False
    """True if the key is to be reconciled once more after the rate limiter's delay."""


class TerminalError(Exception):
    """A failure after which it is no use to try again."""


class Controller:
    """Awaits ``reconcile`` for each key to which something has happened, in tasks of one event loop."""

    def __init__(
        self,
        reconcile: Callable[[Hashable], Awaitable[Result | None]],
        max_concurrent_reconciles: int,
        rate_limiter: RateLimiter,
    ) -> None:
        self._reconcile = reconcile
        self._most = max(1, max_concurrent_reconciles)
        """How many reconciles may be under way at once."""
        self._limiter = rate_limiter
        self._queue = KeyQueue()
        self._workers: list[asyncio.Task[None]] = []
        """The tasks that reconcile, from ``start`` on."""

    def add(self, key: Hashable) -> None:
        """Say that something has happened to the object with this key."""
        self._queue.add(key)

    async def start(self) -> None:
        """Start the workers."""
        # hole
        # | # TODO: so many workers as there may be.
        # | self._workers = [asyncio.create_task(self._work())]
        self._workers = [asyncio.create_task(self._work()) for _ in range(self._most)]
        # end of hole

    async def stop(self) -> None:
        """Let no new key in, and return when the last worker has ended."""
        # hole
        # | # TODO: a reconcile that is under way has to come to its end.
        # | self._queue.shut_down()
        # | for worker in self._workers:
        # |     worker.cancel()
        self._queue.shut_down()
        await asyncio.gather(*self._workers)
        # end of hole

    async def _work(self) -> None:
        """Reconcile one key after the other, until the queue is shut down and empty."""
        while True:
            key, is_over = await self._queue.get()
            if is_over:
                return
            # hole
            # | # TODO: while a key is being reconciled, no other task may have it.
            # | self._queue.done(key)
            # | await self._handle(key)
            await self._handle(key)
            self._queue.done(key)
            # end of hole

    async def _handle(self, key: Hashable) -> None:
        """Reconcile the key, and decide by its outcome whether and when to add it again."""
        try:
            result = await self._reconcile(key) or Result()
        except TerminalError:
            return
        except Exception:  # one key that fails must not stop the others
            result = Result(requeue=True)
        if result.requeue_after > 0:
            self._limiter.forget(key)
            self._add_after(key, result.requeue_after)
        elif result.requeue:
            self._add_after(key, self._limiter.when(key))
        else:
            self._limiter.forget(key)

    def _add_after(self, key: Hashable, seconds: float) -> None:
        asyncio.get_running_loop().call_later(seconds, self._queue.add, key)


class KeyQueue:
    """Hands out keys, each to one worker at a time; a change wakes all workers that wait."""

    def __init__(self) -> None:
        self._queue: deque[Hashable] = deque()
        self._dirty: set[Hashable] = set()
        self._processing: set[Hashable] = set()
        self._changed = asyncio.Event()
        """Set when there is something for the workers that wait; each that is going to wait clears it."""
        self._shutting_down = False

    def add(self, item: Hashable) -> None:
        """Say that the item has to be processed; ignored after a shutdown."""
        if self._shutting_down or item in self._dirty:
            return
        self._dirty.add(item)
        if item not in self._processing:
            self._enqueue(item)

    async def get(self) -> tuple[Hashable, bool]:
        """Wait for an item: ``(item, False)``, or ``(None, True)`` if shut down and empty."""
        while not self._queue and not self._shutting_down:
            self._changed.clear()
            await self._changed.wait()
        if not self._queue:
            return None, True
        item = self._queue.popleft()
        self._dirty.discard(item)
        self._processing.add(item)
        return item, False

    def done(self, item: Hashable) -> None:
        """Say that the worker is through with the item."""
        self._processing.discard(item)
        if item in self._dirty:
            self._enqueue(item)

    def __len__(self) -> int:
        """Return how many items a worker could take now."""
        return len(self._queue)

    def shut_down(self) -> None:
        """Refuse new items, and end each Get once the queue is empty."""
        self._shutting_down = True
        self._changed.set()

    def shutting_down(self) -> bool:
        """Return True if the queue has been shut down."""
        return self._shutting_down

    def _enqueue(self, item: Hashable) -> None:
        self._queue.append(item)
        self._changed.set()
