"""What a run waits for, told on stderr when nothing has happened for a while, be it a terminal or not."""

from __future__ import annotations

import _thread
import contextlib
import os
import sys
import threading
import time
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

PATIENCE = 5.0
"""Seconds without news after which it is told; then again after twice as many, and so on."""
GLANCE = 0.5

_clock = time.monotonic  # a candidate in this process may put another one there


@dataclass(frozen=True)
class _Wait:
    doing: str
    until: str
    since: float = field(default_factory=_clock)


class Notice:
    """Its own thread tells it, for the one that waits may be stuck in a candidate; it ends with the block."""

    def __init__(self, doing: str, until: str = "") -> None:
        self._wait = _Wait(doing, until)
        self._over = _thread.allocate_lock()
        self._thread = threading.Thread(target=self._watch, name="notice", daemon=True)
        self._stderr = _own_stderr()

    def of(self, doing: str, until: str = "") -> None:
        """Something has happened, and this is what is waited for now, ``until`` what ends it at the latest."""
        self._wait = _Wait(doing, until)

    def __enter__(self) -> Self:
        self._over.acquire()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.release()
        self._thread.join()
        if self._stderr is not None:
            os.close(self._stderr)

    def _watch(self) -> None:
        wait, patience = self._wait, PATIENCE
        while not self._over.acquire(timeout=GLANCE):
            if wait is not self._wait:
                wait, patience = self._wait, PATIENCE
            waited = _clock() - wait.since
            if waited >= patience:
                ends = f"; {wait.until} ends it" if wait.until else ""
                self._say(f"still {wait.doing}, {waited:.0f} s so far{ends}")
                while patience <= waited:
                    patience *= 2

    def _say(self, told: str) -> None:
        with contextlib.suppress(OSError, ValueError):
            if self._stderr is None:
                sys.stderr.write(f"{told}\n")
                return
            clears = "\r\x1b[K" if os.isatty(self._stderr) else ""
            os.write(self._stderr, f"{clears}{told}\n".encode(errors="backslashreplace"))


def _own_stderr() -> int | None:
    """One that pytest does not take for output of what it runs; None where there is no file behind it."""
    try:
        return os.dup(sys.stderr.fileno())
    except (OSError, ValueError, AttributeError):
        return None
