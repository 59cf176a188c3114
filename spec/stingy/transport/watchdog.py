"""A process that kills candidates and drivers if this process ends without having ended them.

If this process is killed, it cannot end them itself. Nor does a candidate notice that the process
that judges it has ended, if it never releases Python's global lock. The watchdog reads from a pipe
that is closed when this process ends, however that happens. Then it kills the processes that have
enlisted, and exits. It runs no code of a candidate.
"""

from __future__ import annotations

import contextlib
import os
import signal
import warnings
from typing import NoReturn

from stingy.transport.processes import kill_all

CAN_WATCH = hasattr(os, "fork")
"""False on Windows, which has no fork: there, processes outlive a killed command."""


class Watchdog:
    """Starts a watchdog process that kills processes of the suite if the suite dies."""

    def __init__(self) -> None:
        self._line = -1
        """File descriptor of the pipe to the watchdog; -1 if there is none."""
        self._owner = 0
        """Id of the process that started the watchdog: a fork of it must start its own."""

    def stand_by(self) -> None:
        """Start the watchdog, unless it runs: before this process starts one that has to enlist."""
        if CAN_WATCH and self._owner != os.getpid():
            self._line, self._owner = _start(), os.getpid()

    def enlist(self) -> None:
        """Have the watchdog of the process that started this one kill this one and its session.

        It does so once that process ends, which can happen at any moment, even before the call that
        started this one has returned. So this one enlists itself, before it runs other code.
        """
        self._tell(f"+{os.getpid()}\n")
        with contextlib.suppress(OSError):
            os.close(self._line)  # the watchdog waits for the end of all that can write to it
        self._line = -1

    def release(self, process: int) -> None:
        """Stop guarding a process that has ended: another process may soon get its id."""
        self._tell(f"-{process}\n")

    def _tell(self, line: str) -> None:
        with contextlib.suppress(OSError):  # there is no watchdog, or it was killed
            os.write(self._line, line.encode())


def _start() -> int:
    """Start a watchdog process; return the file descriptor of the pipe to it."""
    listens, line = os.pipe()
    with warnings.catch_warnings():
        # Python warns that a fork has only one thread: that is enough for the watchdog.
        warnings.simplefilter("ignore", DeprecationWarning)
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
