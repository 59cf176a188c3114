"""Stacks of one thread, each parked until it is its turn: for a browser, which gives a page no threads.

By JavaScript Promise Integration: a stack of WebAssembly stops at a promise (``run_sync``), and the others go on meanwhile. There
is nobody beside them to take anything from one that does not stop by itself: whoever shows the page has to end it.
"""

from __future__ import annotations

import _thread
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
"""Which stack runs. The first one, that drives, is to Python the only thread there is."""
_alive = {_current}
_parked: dict[int, Sequence[FrameType]] = {}
"""Where the others are: what a parked frame was called from cannot be asked for, since it may be out of memory."""

HAS_THREADS = False
LOCALS_STAY = False


class Gate:
    """Open or shut, as a lock is. Only one stack at a time comes to one that is shut."""

    __slots__ = ("_open", "_waiting")

    def __init__(self) -> None:
        self._open = True
        self._waiting: int | None = None

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:  # noqa: ARG002 - it has no clock
        global _current  # noqa: PLW0603
        if self._open:
            self._open = False
            return True
        if not blocking:
            return False
        me = self._waiting = _current
        _parked[me] = tuple(outwards(sys._getframe()))
        run_sync(_park(me))
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
    """Let a new stack run this function with these arguments."""
    global _current  # noqa: PLW0603
    me, stack = _current, _stacks()

    def run() -> None:
        global _current  # noqa: PLW0603
        _current = stack
        try:
            work(*args, **(kwargs or {}))
        finally:
            _alive.discard(stack)

    _alive.add(stack)
    _spawn(create_proxy(run))
    _current = me
    return stack


def get_ident() -> int:
    """Which stack calls."""
    return _current


get_native_id = get_ident

thread_time = process_time
"""What has been used of the processor; nobody tells by whom."""


def own_locals() -> dict[object, object]:
    """Nothing: what is kept is kept for a Thread, and a session makes its own."""
    return {}


def take_locals(kept: dict[object, object]) -> object:  # noqa: ARG001
    return None


def frames_of(ident: int) -> Sequence[FrameType]:
    """Where the stack is, and what called that; nothing if it is not parked."""
    return _parked.get(ident, ())


def count() -> int:
    """How many stacks there are."""
    return len(_alive)


def raise_in(ident: int, error: type[BaseException]) -> None:
    """Nothing: whoever asks runs, so the other one does not."""


class Processor:
    """None: all stacks are of one thread."""

    @staticmethod
    def claim() -> None:
        return None

    def leave(self) -> None: ...

    def kept(self) -> AbstractContextManager[None]:
        return nullcontext()


def is_runnable(native_id: int) -> bool:  # noqa: ARG001
    """No: whoever asks runs."""
    return False


def processor_seconds(ident: int) -> float:  # noqa: ARG001
    """Nobody tells."""
    return 0.0


_thread.get_ident = threading.get_ident = get_ident
_thread.get_native_id = threading.get_native_id = (
    get_native_id  # which a thread that is the only one has not got
)
threading.local = local  # type: ignore[assignment]  # which asks for the current thread by what is said above
gc.disable()  # while stacks are parked, Pyodide 314 must not collect step by step: gc.collect() between rules instead
