"""A process that kills candidates and drivers if this process is gone without having ended them.

Nothing else can do that. A killed process does nothing any more, and a candidate that never
releases Python's global lock does not notice that its judge is gone. The watchdog reads from a pipe
that ends when this process is gone, however that happens. It runs no code of others, and exits as
soon as the pipe has ended.
"""

from __future__ import annotations

import contextlib
import os
import signal
import warnings
from typing import NoReturn

from stingy.transport.processes import kill_all

CAN_WATCH = hasattr(os, "fork")
"""False on Windows, which has no fork: there, what a killed command has started runs on."""


class Watchdog:
    """The watchdog of this process; started when there is something to guard."""

    def __init__(self) -> None:
        self._line = -1
        """Descriptor to write to, at the other end of the watchdog's pipe."""
        self._owner = 0
        """Id of the process that started the watchdog; a fork of that process has none yet."""

    def guard(self, process: int) -> None:
        """Kill a process, and the session that it leads, once this process is gone."""
        self._tell(f"+{process}\n")

    def release(self, process: int) -> None:
        """Forget a process that has ended: its id may soon be another's."""
        self._tell(f"-{process}\n")

    def _tell(self, line: str) -> None:
        if not CAN_WATCH:
            return
        if self._owner != os.getpid():
            self._line, self._owner = _start(), os.getpid()
        with contextlib.suppress(OSError):  # the watchdog was killed
            os.write(self._line, line.encode())


def _start() -> int:
    """Start a watchdog; return the descriptor to write to."""
    listens, line = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the child uses no other thread
        between = os.fork()
        if between == 0:
            if os.fork() == 0:
                _watch(listens)
            os._exit(0)  # the watchdog is an orphan, so nothing has to wait for its end
    os.waitpid(between, 0)
    os.close(listens)
    return line


def _watch(listens: int) -> NoReturn:
    try:
        os.setsid()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        os.dup2(listens, 0)
        os.closerange(1, os.sysconf("SC_OPEN_MAX"))
        guarded: set[int] = set()
        with os.fdopen(0, "rb") as lines:
            for line in lines:
                (guarded.add if line[:1] == b"+" else guarded.discard)(int(line[1:]))
        for process in guarded:
            kill_all(process)
    finally:
        os._exit(0)


WATCHDOG = Watchdog()
