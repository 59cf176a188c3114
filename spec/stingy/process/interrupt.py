"""End a command on Ctrl-C, SIGTERM or SIGHUP with one line and an exit status, at any moment.

``timeout``, a stopping container and a cancelled build send SIGTERM; a closed terminal sends
SIGHUP.

Python raises KeyboardInterrupt wherever the main thread happens to be. Before the command can catch
the exception, and after the command has ended, it prints a traceback. In callbacks that cannot
raise, such as finalisers, the exception is lost. If it passes through code compiled from a text,
such as a dataclass's methods, Python kills itself by the signal at exit, although the exception was
caught.
"""

from __future__ import annotations

import atexit
import os
import select
import signal
import sys
import time

INTERRUPTED = 130
"""Exit status after SIGINT. ``status`` returns the exit status after any signal.

The same as ``Exit.INTERRUPTED`` of ``stingy.judging.verdict``, whose import takes longer.
"""
SAID = b"interrupted\n"
OUT_OF_TIME = b"the time was over before any rule was judged: give --time more seconds\n"
UNDECIDED = 2
"""Exit status after ``end_after``: the candidate was not judged in time, so nothing is decided.

The same as ``Exit.INCONCLUSIVE`` of ``stingy.judging.verdict``.
"""
SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
"""Signals that interrupt a command. Windows has no SIGHUP."""
SAME = 1.0
"""Seconds in which a second signal counts as a copy of the first one.

The terminal may send a signal to this process and to its parent, which passes it on to this one.
"""

WRITING = 10
"""Seconds that an interrupted command may take to write its reports: a pipe may have a reader that does not read."""
UNWRITTEN = b"interrupted: the reports could not be written within %d s\n" % WRITING

_clock = time.monotonic  # bound now, because a candidate in this process may replace it
_end = os._exit


class _Ear:
    """The handler of interrupt signals.

    It ends the process, raises KeyboardInterrupt, or only notes the signal: ``holds`` and
    ``raises`` decide which.
    """

    def __init__(self) -> None:
        self._process = os.getpid()
        self.heard: float | None = None
        """Time of the first signal, in seconds of the monotonic clock; None if there was none."""
        self.number = int(signal.SIGINT)
        """Number of the first signal."""
        self.holds = False
        """True if the first signal must not end the process, because results would be lost."""
        self.raises = False
        """True if the first signal raises KeyboardInterrupt in the running code."""
        self.is_judged = False
        """True once everything is judged, and only the reports remain to be written."""
        self._is_limited = False

    def __call__(self, number: int, *_: object) -> None:
        if os.getpid() != self._process:
            _end(128 + number)  # a fork of the process that set the handler
        now, before = _clock(), self.heard
        if before is None:
            self.heard, self.number = now, number
        is_late = self._is_limited and CAN_END and number == signal.SIGALRM
        if is_late or not self.holds or (before is not None and now - before > SAME):
            _tell(UNWRITTEN if is_late else farewell())
            _end(status())
        if self.is_judged:
            self.limit_writing()
        if self.raises and before is None:
            raise KeyboardInterrupt

    def limit_writing(self) -> None:
        """If there was a signal, end the process ``WRITING`` seconds from now, once.

        The signal of ``end_after`` does not count: it limits judging, and a pager may show the reports.
        """
        if CAN_END and self.heard is not None and self.number != signal.SIGALRM and not self._is_limited:
            self._is_limited = True
            end_after(WRITING)


_ear = _Ear()


def listen() -> None:
    """Install the signal handler in a process that runs a command.

    Until an ``Interruptible`` block begins, a signal ends the process at once.
    """
    for number in SIGNALS:
        if signal.getsignal(number) in (signal.SIG_IGN, None):
            continue  # started in the background or by nohup: the signal is to be ignored
        atexit.register(signal.signal, number, signal.SIG_IGN)  # runs last, as Python shuts down
        signal.signal(number, _ear)
    tell = sys.unraisablehook
    sys.unraisablehook = lambda lost: None if lost.exc_type is KeyboardInterrupt else tell(lost)


class Interruptible:
    """A context manager: the first interrupt in its block raises KeyboardInterrupt there."""

    def __enter__(self) -> None:
        _ear.holds = _ear.raises = True
        _ear.is_judged = False

    def __exit__(self, *_: object) -> None:
        hold()
        exec("")  # noqa: S102 - clears CPython's flag of such an interrupt, which would kill it


class Deferred:
    """A context manager: an interrupt in its block is raised only at the end of the block.

    So the block can start a process and record it before the interrupt is raised.
    """

    def __enter__(self) -> None:
        self._raised, _ear.raises = _ear.raises, False

    def __exit__(self, kind: object, *_: object) -> None:
        _ear.raises = self._raised
        if self._raised and kind is None:
            raise_what_was_lost()


def hold() -> None:
    """Raise no KeyboardInterrupt from now on, so that results can be reported.

    A first interrupt is only noted, and leaves ``WRITING`` seconds; a second one ends the process.
    """
    _ear.raises, _ear.is_judged = False, True
    _ear.limit_writing()


CAN_END = hasattr(signal, "setitimer")
"""True if the system has the timer that ``end_after`` needs; only Windows has none."""


def end_after(seconds: float) -> None:
    """Interrupt this process after this many seconds, by the signal SIGALRM."""
    signal.signal(signal.SIGALRM, _ear)
    signal.setitimer(signal.ITIMER_REAL, seconds)


def is_out_of_time() -> bool:
    """Return True if the command was interrupted because the time of ``end_after`` was over."""
    return CAN_END and _ear.heard is not None and _ear.number == signal.SIGALRM


def _tell(said: bytes) -> None:
    """Write a line to standard error, unless that would wait for a reader that does not read."""
    try:
        if os.name == "nt" or select.select([], [2], [], 0)[1]:  # Windows can ask this of sockets only
            os.write(2, said)
    except (OSError, ValueError):
        pass  # the terminal is closed


def farewell() -> bytes:
    """Return the line that an interrupted command prints before it ends."""
    return OUT_OF_TIME if is_out_of_time() else SAID


def status() -> int:
    """Return the exit status of an interrupted command: 128 + signal; 2 if its time was over."""
    return UNDECIDED if is_out_of_time() else 128 + _ear.number


def is_heard() -> bool:
    """Return True if this process was interrupted, even if the exception was lost."""
    return _ear.heard is not None


def raise_what_was_lost() -> None:
    """Raise KeyboardInterrupt again if there was an interrupt.

    The first exception may be lost, in callbacks from C or in imported code that catches it.
    """
    if is_heard():
        raise KeyboardInterrupt
