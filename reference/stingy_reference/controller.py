"""The controller: workers that reconcile, and what becomes of a key when they have."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from threading import Thread

from stingy_reference.delaying import RateLimitingQueue
from stingy_reference.limiters import RateLimiter


@dataclass(frozen=True)
class Result:
    """What a reconcile asks for that has succeeded."""

    requeue_after: float = 0.0
    """Seconds after which the key is to be reconciled once more."""
    requeue: bool = False
    """Whether it is to be reconciled once more when its rate limiter says so."""


class TerminalError(Exception):
    """To try again is no use."""


class Controller:
    """Calls ``reconcile`` with every key that is added, for one key in one worker at a time.

    A reconcile that raises is tried again, later each time. At most ``max_concurrent_reconciles`` are
    under way at once.
    """

    def __init__(
        self,
        reconcile: Callable[[Hashable], Result | None],
        max_concurrent_reconciles: int = 1,
        rate_limiter: RateLimiter | None = None,
    ) -> None:
        self._reconcile = reconcile
        self._queue = RateLimitingQueue(rate_limiter)
        names = (f"worker {number + 1}" for number in range(max(1, max_concurrent_reconciles)))
        self._workers = [Thread(target=self._work, name=name, daemon=True) for name in names]

    def add(self, key: Hashable) -> None:
        """Something has happened to the object with this key."""
        self._queue.add(key)

    def start(self) -> None:
        for worker in self._workers:
            worker.start()

    def stop(self) -> None:
        """Let no new key in, and wait until the workers have gone home."""
        self._queue.shut_down()
        for worker in self._workers:
            worker.join()

    def _work(self) -> None:
        while True:
            key, shutdown = self._queue.get()
            if shutdown:
                return
            try:
                self._handle(key)
            finally:
                # Only now: an Add from here on, and what was asked for above, must find it gone.
                self._queue.done(key)

    def _handle(self, key: Hashable) -> None:
        try:
            result = self._reconcile(key) or Result()
        except Exception as error:  # noqa: BLE001 - a key that cannot be reconciled must not stop the others
            self._failed(key, error)
        else:
            self._succeeded(key, result)

    def _failed(self, key: Hashable, error: Exception) -> None:
        if not is_terminal(error):
            self._queue.add_rate_limited(key)

    def _succeeded(self, key: Hashable, result: Result) -> None:
        if result.requeue_after > 0:
            self._queue.forget(key)
            self._queue.add_after(key, result.requeue_after)
        elif result.requeue:
            self._queue.add_rate_limited(key)
        else:
            self._queue.forget(key)


def is_terminal(error: BaseException | None) -> bool:
    """Whether it says so, or what it was raised from."""
    while error is not None and not isinstance(error, TerminalError):
        error = error.__cause__
    return error is not None
