"""Stacks of one thread that run in turn: for a browser, which gives a page no threads.

By JavaScript Promise Integration, a stack of WebAssembly stops at a promise (``run_sync``), and
others continue meanwhile. No other thread exists that could interrupt a stack which never stops:
the program that shows the page has to end it. The module ``system`` defines the same names.
"""

from __future__ import annotations

import _thread
import asyncio
import gc
import sys
import threading
from _threading_local import local
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import count as numbers
from time import process_time
from types import FrameType
from typing import Any

from pyodide.code import run_js  # type: ignore[import-not-found]
from pyodide.ffi import create_proxy, run_sync  # type: ignore[import-not-found]

from stingy.engine.frames import outwards

_js = run_js("""(() => {
  const parked = new Map();
  return {
    park: (stack) => new Promise((go) => parked.set(stack, go)),
    resume: (stack) => { const go = parked.get(stack); parked.delete(stack); go(); },
    spawn: (work) => { work.callPromising().catch((error) => console.error(error)).finally(() => work.destroy()); },
  };
})()""")
_park, _resume, _spawn = _js.park, _js.resume, _js.spawn

_stacks = numbers(1).__next__
_current = _thread.get_ident()
"""Number of the stack that runs. The first one is the driving thread."""
_alive = {_current}
_parked: dict[int, Sequence[FrameType]] = {}
"""Frames of the parked stacks, innermost first.

They are noted when a stack parks, because ``f_back`` of a parked frame may be invalid memory.
"""

HAS_THREADS = False


class Gate:
    """A lock for stacks (which replace threads here): at most one at a time waits while it is shut."""

    __slots__ = ("_open", "_waiting")

    def __init__(self) -> None:
        self._open = True
        self._waiting: int | None = None

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:  # noqa: ARG002
        """Shut the gate, and return True; if it is shut already, park the calling stack first.

        If ``blocking`` is False, return False instead of parking. ``timeout`` is ignored.
        """
        global _current  # noqa: PLW0603
        if self._open:
            self._open = False
            return True
        if not blocking:
            return False
        me = self._waiting = _current
        _parked[me] = tuple(outwards(sys._getframe()))
        loop = asyncio._get_running_loop()
        asyncio._set_running_loop(None)  # else the promise would wait for a callback of this loop
        run_sync(_park(me))
        asyncio._set_running_loop(loop)
        del _parked[me]
        _current = me
        return True

    def release(self) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting is None:
            self._open = True
        else:
            _resume(waiting)

    def locked(self) -> bool:
        return not self._open


allocate = Gate


def spawn(work: Callable[..., object], args: tuple[Any, ...], kwargs: Any = None) -> int:
    """Run ``work`` with these arguments on a new stack; return the number of the stack."""
    global _current  # noqa: PLW0603
    me, stack = _current, _stacks()

    def run() -> None:
        global _current  # noqa: PLW0603
        _current = stack
        asyncio._set_running_loop(None)  # else that of the page seems to run here
        try:
            work(*args, **(kwargs or {}))
        finally:
            _alive.discard(stack)

    _alive.add(stack)
    _spawn(create_proxy(run))
    _current = me
    return stack


def get_ident() -> int:
    """Return the number of the calling stack."""
    return _current


get_native_id = get_ident

thread_time = process_time
"""Processor time of the page, in seconds: that of a single stack is not known."""


class Locals:
    """In place of ``system.Locals``; does nothing, as thread-locals are in Thread objects here.

    No session uses a Thread object of another one.
    """

    def take(self) -> None:
        return None


def frames_of(ident: int) -> Sequence[FrameType]:
    """Return the frames of the stack, innermost first; none if it is not parked (waiting)."""
    return _parked.get(ident, ())


def count() -> int:
    """Return how many stacks there are."""
    return len(_alive)


def raise_in(ident: int, error: type[BaseException]) -> None:
    """Do nothing: the other stack is parked while the caller runs."""


class Processor:
    """A processor in place of ``system.Processor``; it does nothing, as stacks share one thread."""

    @staticmethod
    def claim() -> None:
        return None

    def leave(self) -> None: ...

    def kept(self) -> AbstractContextManager[None]:
        return nullcontext()


def is_runnable(native_id: int) -> bool:  # noqa: ARG001
    """Return False: the other stack is parked while the caller runs."""
    return False


def processor_seconds(ident: int) -> float:  # noqa: ARG001
    """Return 0: the processor time of a stack is not known."""
    return 0.0


_thread.get_ident = threading.get_ident = get_ident
# A process without threads has no get_native_id of its own.
_thread.get_native_id = threading.get_native_id = get_native_id
# The version in Python asks ``get_ident`` above for the current thread.
threading.local = local  # type: ignore[assignment]
# Pyodide 314 must not collect in steps while stacks are parked: gc.collect() runs between rules.
gc.disable()
