"""A reconcile that goes on until it is told how to end."""

from __future__ import annotations

import asyncio
import threading
from collections import defaultdict, deque
from collections.abc import Callable
from typing import Any

from stingy.contract import SECOND, Nanoseconds


class Failed(Exception):  # noqa: N818 - it is what a reconcile raises when all goes as usual
    """What it was asked to do did not work out."""


class Bug(LookupError):  # noqa: N818 - it is what a programmer calls it
    """What it was not prepared for: upstream's word is panic."""


Ops = dict[str, Callable[..., Any]]


UP_TO_THE_LIMITER = frozenset({"error", "panic", "requeue", "both"})


class Ending:
    """What a reconcile ends with: a value that it returns, or an exception that it raises."""

    def __init__(self, found: Callable[[str], Any], *, limited: bool) -> None:
        self._found = found
        """What is called so beside the candidate: its ``Result``, its ``TerminalError``."""
        self._limited = limited
        """Whether a rate limiter of ours says when a key comes again."""

    def __call__(self, kind: str, span: Nanoseconds) -> Any:
        """Raises if the candidate has no word for such an end, and cannot make its own mean it."""
        if kind in UP_TO_THE_LIMITER and not self._limited:
            raise LookupError("when the key comes again is up to the candidate")
        match kind:
            case "error":
                return Failed("it did not work out")
            case "panic":
                return Bug("it was not prepared for this")
            case "terminal":
                return self._found("TerminalError")("it will never work out")
            case "wrapped":
                error = Failed("it did not work out")
                error.__cause__ = self._found("TerminalError")("it will never work out")
                return error
            case "requeue":
                return self._found("Result")(requeue=True)
            case "requeue_after":
                return self._found("Result")(requeue_after=span / SECOND)
            case "both":
                return self._found("Result")(requeue=True, requeue_after=span / SECOND)
        return None


def _come_to(end: Any) -> Any:
    if isinstance(end, BaseException):
        raise end
    return end


class Reconciler:
    """For workers that are threads."""

    def __init__(self, ending: Ending) -> None:
        self.ops: Ops = {"reconciles": self.under_way, "finish": self.finish}
        self._ending = ending
        self._changed = threading.Condition()
        self._under_way: list[str] = []
        self._ends: defaultdict[str, deque[Any]] = defaultdict(deque)
        """How those of a key end that are over, but have not been told yet."""
        self._next: defaultdict[str, deque[Any]] = defaultdict(deque)
        """How those of a key end that have not begun."""
        self._released = False

    def reconcile(self, key: str) -> Any:
        with self._changed:
            if self._next[key]:
                return _come_to(self._next[key].popleft())
            self._under_way.append(key)
            while not self._ends[key] and not self._released:
                self._changed.wait()
            end = self._ends[key].popleft() if self._ends[key] else None
        return _come_to(end)

    def under_way(self) -> list[str]:
        """The keys that are being reconciled, each as often as it is, in the order in which they were begun."""
        with self._changed:
            return list(self._under_way)

    def finish(self, key: str, kind: str, span: Nanoseconds) -> bool:
        """Let one reconcile of this key end so; if none is under way, the next, as soon as it begins. False if there is no such end."""
        try:
            end = self._ending(kind, span)
        except Exception:  # noqa: BLE001 - it is the candidate's to say what there is
            return False
        with self._changed:
            if key in self._under_way:
                self._under_way.remove(key)
                self._ends[key].append(end)
                self._changed.notify_all()
            else:
                self._next[key].append(end)
        return True

    def release(self) -> None:
        """Nobody will say how the reconciles under way end."""
        with self._changed:
            self._released = True
            self._changed.notify_all()


class AwaitedReconciler:
    """For workers that are coroutines."""

    def __init__(self, ending: Ending) -> None:
        self.ops: Ops = {"reconciles": self.under_way, "finish": self.finish}
        self._ending = ending
        self._under_way: list[tuple[str, asyncio.Future[Any]]] = []
        self._next: defaultdict[str, deque[Any]] = defaultdict(deque)

    async def reconcile(self, key: str) -> Any:
        if self._next[key]:
            return _come_to(self._next[key].popleft())
        waiting = key, asyncio.get_running_loop().create_future()
        self._under_way.append(waiting)
        try:
            end = await waiting[1]
        finally:
            self._under_way.remove(waiting)
        return _come_to(end)

    def under_way(self) -> list[str]:
        return [key for key, end in self._under_way if not end.done()]

    def finish(self, key: str, kind: str, span: Nanoseconds) -> bool:
        try:
            end = self._ending(kind, span)
        except Exception:  # noqa: BLE001
            return False
        waiting = [future for each, future in self._under_way if each == key and not future.done()]
        if waiting:
            waiting[0].set_result(end)
        else:
            self._next[key].append(end)
        return True

    def release(self) -> None:
        """Coroutines end with their loop."""
