"""Lines on stderr that say what a run waits for, if nothing has happened for a while."""

from __future__ import annotations

import _thread
import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Self

PATIENCE = 5.0
"""Seconds of a wait before the first line; the next lines come after 2, 4, 8, … times as long."""
GLANCE = 0.5
"""Seconds of real time between two checks whether a line is due."""

_clock = time.monotonic  # bound now, because a candidate in this process may replace it


@dataclass(frozen=True)
class _Wait:
    doing: str
    until: str
    since: float


class Notice:
    """A context manager that prints "still importing mypkg, 10 s so far" if a run takes long.

    It prints from its own thread, because the main thread may be stuck. ``doing`` and ``until`` are
    those of the first wait, see ``of``. ``clock`` returns seconds.
    """

    def __init__(self, doing: str, until: str = "", clock: Callable[[], float] = _clock) -> None:
        self._clock = clock
        self._wait = self._known = _Wait(doing, until, clock())
        self._patience = PATIENCE
        self._over = _thread.allocate_lock()
        self._thread = threading.Thread(target=self._watch, name="notice", daemon=True)
        self._stderr: int | None = None

    def of(self, doing: str, until: str = "") -> None:
        """Note what the run does from now on; if it takes long, the next lines say so.

        ``doing``: as in ``importing mypkg``. ``until``: the option that limits the time for it,
        with its value; empty if none does.
        """
        self._wait = _Wait(doing, until, self._clock())

    def look(self) -> None:
        """Print a line about the current wait if one is due. Only one thread may call this."""
        wait = self._wait
        if wait is not self._known:
            self._known, self._patience = wait, PATIENCE
        waited = self._clock() - wait.since
        if waited < self._patience or _is_debugged():
            return
        while self._patience <= waited:
            self._patience *= 2
        ends = f"; {wait.until} ends it" if wait.until else ""
        self._say(f"still {wait.doing}, {waited:.0f} s so far{ends}")

    def __enter__(self) -> Self:
        self._stderr = _own_stderr()
        self._over.acquire()
        with contextlib.suppress(RuntimeError):  # the machine starts no more threads: nothing is printed then
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.release()
        if self._thread.ident is not None:
            self._thread.join()
        if self._stderr is not None:
            os.close(self._stderr)

    def _watch(self) -> None:
        while not self._over.acquire(timeout=GLANCE):
            self.look()

    def _say(self, told: str) -> None:
        with contextlib.suppress(OSError, ValueError):
            if self._stderr is None:
                sys.stderr.write(f"{told}\n")
                return
            clears = "\r\x1b[K" if os.isatty(self._stderr) else ""
            os.write(self._stderr, f"{clears}{told}\n".encode(errors="backslashreplace"))


def _is_debugged() -> bool:
    """Return True if a debugger has stopped a thread: a line would disturb what its user types."""
    if "bdb" not in sys.modules and "pydevd" not in sys.modules:
        return False
    from stingy.engine.watch import is_debugged  # imported late: most runs print no line

    return any(map(is_debugged, sys._current_frames()))


def _own_stderr() -> int | None:
    """Return a duplicate descriptor of standard error, which pytest does not capture.

    None if standard error has no descriptor.
    """
    try:
        return os.dup(sys.stderr.fileno())
    except (OSError, ValueError, AttributeError):
        return None
