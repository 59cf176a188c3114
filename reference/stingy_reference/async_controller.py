"""The controller for asyncio: as ``Controller``, with a timer of the event loop for each delay."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable

from stingy_reference.controller import Result, TerminalError, is_terminal
from stingy_reference.coroutines import AsyncWorkQueue
from stingy_reference.limiters import RateLimiter, default_controller_rate_limiter


class AsyncController:
    """Awaits ``reconcile`` for every added key, but for each key in only one worker at a time.

    A reconcile that raises is retried after a delay that the rate limiter sets, unless the error is
    a TerminalError. At most ``max_concurrent_reconciles`` run at once.
    """

    def __init__(
        self,
        reconcile: Callable[[Hashable], Awaitable[Result | None]],
        max_concurrent_reconciles: int = 1,
        rate_limiter: RateLimiter | None = None,
    ) -> None:
        self._reconcile = reconcile
        self._workers = max(1, max_concurrent_reconciles)
        self._limiter = default_controller_rate_limiter() if rate_limiter is None else rate_limiter
        self._queue = AsyncWorkQueue()

    def add(self, key: Hashable) -> None:
        """Request a reconcile of the object with this key, because something has happened to it."""
        self._queue.add(key)

    async def start(self) -> None:
        """Run the workers until the controller has been stopped and all of them have ended."""
        await asyncio.gather(*(self._work() for _ in range(self._workers)))

    async def stop(self) -> None:
        """Refuse new keys, including those of timers that expire from now on. Does not wait."""
        self._queue.shut_down()

    async def _work(self) -> None:
        while True:
            key, shutdown = await self._queue.get()
            if shutdown:
                return
            try:
                await self._handle(key)
            finally:
                self._queue.done(key)

    async def _handle(self, key: Hashable) -> None:
        try:
            result = await self._reconcile(key) or Result()
        except asyncio.CancelledError as error:
            if is_cancelled():
                raise
            self._failed(key, error)  # only what the reconcile awaited was cancelled
        except Exception as error:  # noqa: BLE001 - a key that cannot be reconciled must not stop the others
            self._failed(key, error)
        else:
            self._succeeded(key, result)

    def _failed(self, key: Hashable, error: BaseException) -> None:
        if not is_terminal(error):
            self._add_later(key, self._limiter.when(key))

    def _succeeded(self, key: Hashable, result: Result) -> None:
        if result.requeue_after > 0:
            self._limiter.forget(key)
            self._add_later(key, result.requeue_after)
        elif result.requeue:
            self._add_later(key, self._limiter.when(key))
        else:
            self._limiter.forget(key)

    def _add_later(self, key: Hashable, seconds: float) -> None:
        asyncio.get_running_loop().call_later(seconds, self._queue.add, key)


def is_cancelled() -> bool:
    """Return True if the running task has been cancelled, and not only something that it awaited."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


__all__ = ["AsyncController", "Result", "TerminalError"]
