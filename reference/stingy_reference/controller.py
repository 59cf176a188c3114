"""The controller: workers that reconcile keys, and forget or retry each key afterwards."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from threading import Thread

from stingy_reference.delaying import RateLimitingQueue
from stingy_reference.limiters import RateLimiter


@dataclass(frozen=True)
class Result:
    """Result of a successful reconcile: whether and when to reconcile the key again."""

    requeue_after: float = 0.0
    """Seconds after which to reconcile the key again; 0 for not at all."""
    requeue: bool = False
    """True to reconcile the key again after the delay of the rate limiter."""


class TerminalError(Exception):
    """An error of a reconcile that is not retried."""


class Controller:
    """Calls ``reconcile`` for every added key, but for each key in only one worker at a time.

    A reconcile that raises is retried after a delay that the rate limiter sets, unless the error is
    a TerminalError. At most ``max_concurrent_reconciles`` run at once.
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
        """Request a reconcile of the object with this key, because something has happened to it."""
        self._queue.add(key)

    def start(self) -> None:
        for worker in self._workers:
            worker.start()

    def stop(self) -> None:
        """Refuse new keys, and wait until all workers have ended."""
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
                # Only now, after its retry was requested: until Done, no other worker gets the key.
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
    """Return True if the error is a TerminalError, or was raised from one (``raise … from``)."""
    seen = set[int]()
    while error is not None and id(error) not in seen:  # an error may be its own cause
        if isinstance(error, TerminalError):
            return True
        seen.add(id(error))
        error = error.__cause__
    return False
