"""A reconcile function that runs until a rule says how it ends."""

from __future__ import annotations

import asyncio
import concurrent.futures
import inspect
import threading
from collections import defaultdict, deque
from collections.abc import Callable, Mapping
from functools import partial
from pkgutil import resolve_name
from typing import Any, get_args

from stingy.contract import SECOND, Nanoseconds
from stingy.contract.kinds import is_a
from stingy.contract.ops import Cancelled, Raised


class Failed(Exception):  # noqa: N818 - it is an ordinary failure
    """An ordinary failure that a reconcile raises."""


class Bug(LookupError):  # noqa: N818 - a programmer's word for it
    """An unexpected failure of a reconcile, which upstream calls a panic."""


class Empty(Exception):  # noqa: N818 - it is an ordinary failure
    """A failure without a text, which is false where Python asks for a truth value."""

    def __len__(self) -> int:
        return 0


class Unwritable(Exception):  # noqa: N818 - it is an ordinary failure
    """A failure of which neither ``str`` nor ``repr`` can make a text."""

    def __str__(self) -> str:
        raise ValueError("this exception cannot be written")

    __repr__ = __str__


class Unhashable(Exception):  # noqa: N818 - it is an ordinary failure
    """A failure that can be compared, and so has no hash, as that of a dataclass."""

    def __eq__(self, other: object) -> bool:
        return is_a(other, Unhashable)

    __hash__ = None  # type: ignore[assignment]


def from_itself() -> Failed:
    """Return a failure that was raised from itself: who follows the causes never comes to an end."""
    error = Failed("it did not work out")
    error.__cause__ = error
    return error


AFTER_A_TERMINAL_ONE = "an exception that came up while a terminal one was handled"

SPECIAL: Mapping[str, Callable[[], Exception]] = {
    "ExceptionGroup": lambda: ExceptionGroup(
        "two things did not work out", [Failed("one"), Bug("the other")]
    ),
    "an empty exception": Empty,
    "an exception that cannot be written": Unwritable,
    "an exception that cannot be hashed": Unhashable,
    "an exception that is its own cause": from_itself,
    AFTER_A_TERMINAL_ONE: lambda: Failed("it did not work out"),
}
"""Exceptions that are not made of a name and a text."""


SENDS_AN_EVENT = object()
"""The ending of a reconcile that succeeds after it has sent an event about its own key."""

Ops = dict[str, Callable[..., Any]]


UP_TO_THE_LIMITER = frozenset({"error", "panic", "requeue", "both", *get_args(Raised), *get_args(Cancelled)})
"""Kinds of ending after which a rate limiter decides when the key comes again."""


class Ending:
    """Makes the value that a reconcile returns, or the exception that it raises."""

    def __init__(self, found: Callable[[str], Any], *, limited: bool, awaited: bool) -> None:
        self._found = found
        """Looks up a name beside the candidate, such as its ``Result`` or its ``TerminalError``."""
        self._limited = limited
        """True if a rate limiter of ours decides when a key comes again."""
        self._awaited = awaited
        """True if the reconcile is a coroutine function."""
        self._same = Failed("it did not work out")

    def __call__(self, kind: str, span: Nanoseconds) -> Any:
        """Return the value or exception for this kind of ending, such as "requeue"; None for success.

        ``span``: nanoseconds until the key comes again, for ``requeue_after`` and ``both``. Raises
        an exception if the candidate offers no such ending, and LookupError if the candidate's own
        rate limiter would decide when the key comes again.
        """
        if kind in UP_TO_THE_LIMITER and not self._limited:
            raise LookupError("when the key comes again is up to the candidate")
        if kind in get_args(Raised):
            return self._raised(kind)
        match kind:
            case "event":
                return SENDS_AN_EVENT
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
            case "CancelledError":
                return asyncio.CancelledError() if self._awaited else concurrent.futures.CancelledError()
        return None

    def _raised(self, name: str) -> Exception:
        """Return the exception of this name. Raises LookupError if it is a terminal error to the candidate."""
        if name == "an exception that was raised before":
            return self._same
        terminal = self._found("TerminalError")
        make = SPECIAL.get(name) or partial(
            resolve_name(name if "." in name else f"builtins.{name}"), "it did not work out"
        )
        error: Exception = make()
        if is_a(terminal, type) and isinstance(error, terminal):
            raise LookupError("the candidate does not retry this exception")
        if name == AFTER_A_TERMINAL_ONE and terminal:
            error.__context__ = terminal("it will never work out")
        return error


def _come_to(end: Any) -> Any:
    if is_a(end, BaseException):
        raise end
    return end


class Reconciler:
    """A reconcile function for controllers whose workers are threads."""

    send: Callable[[str], Any]
    """Sends an event about a key to the controller; set when that is made."""

    def __init__(self, ending: Ending) -> None:
        self._ending = ending
        self._changed = threading.Condition()
        self._under_way: list[str] = []
        self._ends: defaultdict[str, deque[Any]] = defaultdict(deque)
        """By key: endings for reconciles that are under way, and have not taken them yet."""
        self._next: defaultdict[str, deque[Any]] = defaultdict(deque)
        """By key: endings for reconciles that have not begun yet."""
        self._released = False

    @property
    def ops(self) -> Ops:
        return {"reconciles": self.under_way, "finish": self.finish}

    def reconcile(self, key: str) -> Any:
        with self._changed:
            if self._next[key]:
                end = self._next[key].popleft()
            else:
                self._under_way.append(key)
                while not self._ends[key] and not self._released:
                    self._changed.wait()
                end = self._ends[key].popleft() if self._ends[key] else None
        if end is SENDS_AN_EVENT:
            self.send(key)
            return None
        return _come_to(end)

    def under_way(self) -> list[str]:
        """Return the keys being reconciled, in the order of their starts; keys may repeat."""
        with self._changed:
            return list(self._under_way)

    def finish(self, key: str, kind: str, span: Nanoseconds) -> bool:
        """End one reconcile of this key; if none is under way, the next one ends as soon as it begins.

        Returns False if the candidate offers no ending of this kind, else True.
        """
        try:
            end = self._ending(kind, span)
        except Exception:  # noqa: BLE001 - made by the candidate's code
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
        """End all reconciles under way, because no rule will end them any more."""
        with self._changed:
            self._released = True
            self._changed.notify_all()


class AwaitedReconciler:
    """A reconcile function for controllers whose workers are coroutines."""

    send: Callable[[str], Any]

    def __init__(self, ending: Ending) -> None:
        self._ending = ending
        self._under_way: list[tuple[str, asyncio.Future[Any]]] = []
        self._next: defaultdict[str, deque[Any]] = defaultdict(deque)

    @property
    def ops(self) -> Ops:
        return {"reconciles": self.under_way, "finish": self.finish}

    async def reconcile(self, key: str) -> Any:
        end = self._next[key].popleft() if self._next[key] else await self._end_of(key)
        if end is not SENDS_AN_EVENT:
            return _come_to(end)
        sent = self.send(key)
        if inspect.isawaitable(sent):
            await sent
        return None

    async def _end_of(self, key: str) -> Any:
        waiting = key, asyncio.get_running_loop().create_future()
        self._under_way.append(waiting)
        try:
            return await waiting[1]
        finally:
            self._under_way.remove(waiting)

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
        """Do nothing: coroutines under way end with their event loop."""
