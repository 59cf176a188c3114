"""Child processes: their exit status, and the end of a child with all that it has started."""

from __future__ import annotations

import os
import time
from math import inf

from stingy.transport.processes import kill_all
from stingy.transport.watchdog import WATCHDOG

LONGEST_NAP = 0.05
"""Most seconds between two looks whether a process has ended."""


class Child:
    """A child process that leads an operating-system session.

    Once an ended process is reaped (``wait`` of POSIX), its number may be another process's. So it
    is reaped as late as possible: by ``end``, after the last signal to it and its session.
    """

    def __init__(self, number: int) -> None:
        """``number``: the id of the process. Nothing else may reap it."""
        self._number = number
        self._status: int | None = None
        """Exit status once the process is reaped; -N if signal N ended it."""

    def ended(self, seconds: float | None = 0.0) -> int | None:
        """Wait up to ``seconds`` (None: for ever) for its end; return the exit status, None if it runs.

        The status is -N if signal N ended it.
        """
        until, nap = inf if seconds is None else time.monotonic() + seconds, 0.0005
        while (status := self._look()) is None and (left := until - time.monotonic()) > 0:
            nap = min(2 * nap, LONGEST_NAP)
            time.sleep(min(nap, left))
        return status

    def send(self, signal: int) -> None:
        """Send the process a signal, unless it has been reaped."""
        if self._status is None:
            os.kill(self._number, signal)

    def end(self) -> int:
        """Kill the process and its session, unless that has been done; return the exit status."""
        self._look()
        if self._status is None:
            kill_all(self._number)
            WATCHDOG.release(self._number)
            self._status = os.waitstatus_to_exitcode(os.waitpid(self._number, 0)[1])
        return self._status

    def _look(self) -> int | None:
        """Return the exit status if the process has ended; None if it runs."""
        if self._status is None:
            try:
                return self._see()
            except ChildProcessError:  # the candidate, in this process, has reaped it
                WATCHDOG.release(self._number)
                self._status = 0
        return self._status

    def _see(self) -> int | None:
        if hasattr(os, "waitid"):
            seen = os.waitid(os.P_PID, self._number, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if seen is None:
                return None
            return seen.si_status if seen.si_code == os.CLD_EXITED else -seen.si_status
        reaped, status = os.waitpid(self._number, os.WNOHANG)  # macOS before Python 3.13
        if reaped:
            kill_all(self._number)  # safe: its number is not given away as long as its session has a process
            WATCHDOG.release(self._number)
            self._status = os.waitstatus_to_exitcode(status)
        return self._status
