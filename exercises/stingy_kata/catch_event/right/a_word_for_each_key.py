"""It keeps a state for each key; an event replaces a run of the same key that is due later."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from threading import Condition, Thread
from time import monotonic
from typing import Any


@dataclass(frozen=True)
class Result:
    requeue_after: float = 0.0
    requeue: bool = False


class TerminalError(Exception): ...


class Controller:
    def __init__(
        self,
        reconcile: Callable[[Hashable], Result | None],
        max_concurrent_reconciles: int,
        rate_limiter: Any,
    ) -> None:
        self._reconcile = reconcile
        self._limiter = rate_limiter
        self._changed = Condition()
        self._is: dict[Hashable, str] = {}
        self._due: dict[Hashable, float] = {}
        self._stopping = False
        self._workers = [
            Thread(target=self._work, daemon=True) for _ in range(max(1, max_concurrent_reconciles))
        ]

    def add(self, key: Hashable) -> None:
        with self._changed:
            if not self._stopping:
                now = self._is.setdefault(key, "to do")
                if now == "under way":
                    self._is[key] = "under way, and owed"
                self._changed.notify_all()

    def start(self) -> None:
        for worker in self._workers:
            worker.start()

    def stop(self) -> None:
        with self._changed:
            self._stopping = True
            self._due.clear()
            self._changed.notify_all()
        for worker in self._workers:
            worker.join()

    def _work(self) -> None:
        while (key := self._next()) is not None:
            again = self._after(key)
            with self._changed:
                if self._is.pop(key) == "under way, and owed":
                    self._is[key] = "to do"
                elif again is not None and not self._stopping:
                    self._due[key] = monotonic() + again
                self._changed.notify_all()

    def _next(self) -> Hashable | None:
        with self._changed:
            while True:
                now = monotonic()
                for key in [key for key, due in self._due.items() if due <= now]:
                    del self._due[key]
                    self._is.setdefault(key, "to do")
                key = next((key for key, now in self._is.items() if now == "to do"), None)
                if key is not None:
                    self._due.pop(key, None)
                    self._is[key] = "under way"
                    return key
                if self._stopping:
                    return None
                soonest = min(self._due.values(), default=None)
                self._changed.wait(None if soonest is None else soonest - monotonic())

    def _after(self, key: Hashable) -> Any:
        try:
            result = self._reconcile(key) or Result()
        except TerminalError:
            return None
        except Exception:
            return self._limiter.when(key)
        if result.requeue and result.requeue_after <= 0:
            return self._limiter.when(key)
        self._limiter.forget(key)
        return result.requeue_after if result.requeue_after > 0 else None
