"""A reconcile that goes on until it is told how to end."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

from stingy.contract import SECOND, Nanoseconds


class Failed(Exception):  # noqa: N818 - it is what a reconcile raises when all goes as usual
    """What it was asked to do did not work out."""


class Bug(LookupError):  # noqa: N818 - it is what a programmer calls it
    """What it was not prepared for: upstream's word is panic."""


Ops = dict[str, Callable[..., Any]]

WORDS = {
    "terminal": "TerminalError",
    "wrapped": "TerminalError",
    "requeue": "Result",
    "requeue_after": "Result",
}
"""What stands beside a controller, for a reconcile to end with."""


class Ending:
    """Ends a reconcile as it is told to, with what the candidate has for that."""

    def __init__(self, found: Callable[[str], Any]) -> None:
        self._found = found

    def __call__(self, kind: str, span: Nanoseconds) -> Any:
        match kind:
            case "error":
                raise Failed("it did not work out")
            case "panic":
                raise Bug("it was not prepared for this")
            case "terminal":
                raise self._found("TerminalError")("it will never work out")
            case "wrapped":
                raise Failed("it did not work out") from self._found("TerminalError")(
                    "it will never work out"
                )
            case "requeue":
                return self._found("Result")(requeue=True)
            case "requeue_after":
                return self._found("Result")(requeue_after=span / SECOND)
        return None

    def offers(self, kind: str) -> bool:
        """Whether the candidate has a word for such an end."""
        return kind not in WORDS or self._found(WORDS[kind]) is not None


class Reconciler:
    """For workers that are threads."""

    def __init__(self, ending: Ending) -> None:
        self.ops: Ops = {"reconciles": self.under_way, "finish": self.finish}
        self._end = ending
        self._changed = threading.Condition()
        self._under_way: list[str] = []
        self._ends: dict[str, tuple[str, Nanoseconds]] = {}
        self._released = False

    def reconcile(self, key: str) -> Any:
        with self._changed:
            self._under_way.append(key)
            while key not in self._ends and not self._released:
                self._changed.wait()
            end = self._ends.pop(key, ("ok", 0))
            self._under_way.remove(key)
        return self._end(*end)

    def under_way(self) -> list[str]:
        """The keys that are being reconciled, each as often as it is."""
        with self._changed:
            return list(self._under_way)

    def finish(self, key: str, kind: str, span: Nanoseconds) -> bool:
        """Let one reconcile of this key end so; False if there is no such end."""
        if self._end.offers(kind):
            with self._changed:
                self._ends[key] = kind, span
                self._changed.notify_all()
        return self._end.offers(kind)

    def release(self) -> None:
        """Nobody will say how the reconciles under way end."""
        with self._changed:
            self._released = True
            self._changed.notify_all()


class AwaitedReconciler:
    """For workers that are coroutines."""

    def __init__(self, ending: Ending) -> None:
        self.ops: Ops = {"reconciles": self.under_way, "finish": self.finish}
        self._end = ending
        self._under_way: list[tuple[str, asyncio.Future[tuple[str, Nanoseconds]]]] = []

    async def reconcile(self, key: str) -> Any:
        waiting = key, asyncio.get_running_loop().create_future()
        self._under_way.append(waiting)
        try:
            end = await waiting[1]
        finally:
            self._under_way.remove(waiting)
        return self._end(*end)

    def under_way(self) -> list[str]:
        return [key for key, _ in self._under_way]

    def finish(self, key: str, kind: str, span: Nanoseconds) -> bool:
        if self._end.offers(kind):
            next(future for each, future in self._under_way if each == key and not future.done()).set_result(
                (kind, span)
            )
        return self._end.offers(kind)

    def release(self) -> None:
        """Coroutines end with their loop."""
