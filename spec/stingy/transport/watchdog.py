"""A process that kills the processes of candidates and drivers if this one is gone without having ended them.

Nothing else can do it: whoever is killed does nothing any more, and a candidate that keeps Python's lock to itself does not see that
nobody listens. The watchdog reads from a pipe that ends when this process is gone, however that came about. It runs no code of
anybody's, and is gone itself as soon as the pipe has ended.
"""

from __future__ import annotations

import contextlib
import os
import signal
import warnings
from typing import NoReturn

from stingy.transport.processes import kill_all

CAN_WATCH = hasattr(os, "fork")
"""Windows has no fork: there, what a killed command has started goes on."""


class Watchdog:
    """The watchdog of this process, started with the first process that it is to guard."""

    def __init__(self) -> None:
        self._line = -1
        """The file that the watchdog listens to."""
        self._owner = 0
        """The process that has started it. One that was forked from that has none yet."""

    def guard(self, process: int) -> None:
        """Have a process, and all in the session that it leads, killed once this process is gone."""
        self._tell(f"+{process}\n")

    def release(self, process: int) -> None:
        """Forget a process that has ended: its number may be another's soon."""
        self._tell(f"-{process}\n")

    def _tell(self, line: str) -> None:
        if not CAN_WATCH:
            return
        if self._owner != os.getpid():
            self._line, self._owner = _start(), os.getpid()
        with contextlib.suppress(OSError):  # somebody has killed the watchdog
            os.write(self._line, line.encode())


def _start() -> int:
    """Start a watchdog; return the file that it listens to."""
    listens, line = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # threads of others do not matter to the child
        between = os.fork()
        if between == 0:
            if os.fork() == 0:
                _watch(listens)
            os._exit(0)  # so that the watchdog is nobody's child, and nobody waits for it
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
