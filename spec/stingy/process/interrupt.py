"""End a command on Ctrl-C, SIGTERM or SIGHUP with one line and an exit status, at any moment.

``timeout``, a stopping container and a cancelled build send SIGTERM; a closed terminal sends
SIGHUP.

Python raises KeyboardInterrupt wherever the main thread happens to be. Before the command can catch
it, and after it has ended, that prints a traceback. In callbacks that cannot raise, such as
finalisers, the exception is lost. If it passes through code compiled from a text, such as a
dataclass's methods, the interpreter ends by the signal at exit, although the exception was caught.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import time

INTERRUPTED = 130
"""Exit status after SIGINT, as in ``stingy.judging.verdict``, which takes longer to import.

``status`` returns that of other signals.
"""
SAID = b"interrupted\n"
OUT_OF_TIME = b"the time is over\n"
UNDECIDED = 2
"""As in ``stingy.judging.verdict``: nothing is known of a candidate that was not judged in time."""
SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
"""Signals that interrupt a command. Windows has no SIGHUP."""
SAME = 1.0
"""Seconds in which a second signal counts as the same one.

A parent process may pass on a signal that the terminal has sent to us as well.
"""

_clock = time.monotonic  # bound now, because a candidate in this process may replace it
_end = os._exit


class _Ear:
    """The signal handler: does what is right at the moment the signal arrives."""

    def __init__(self) -> None:
        self._process = os.getpid()
        self.heard: float | None = None
        """When the first signal arrived; None before."""
        self.number = int(signal.SIGINT)
        """The first signal."""
        self.holds = False
        """True if ending the process now would lose results."""
        self.raises = False
        """True if the running code is to be left by KeyboardInterrupt."""

    def __call__(self, number: int, *_: object) -> None:
        if os.getpid() != self._process:
            _end(128 + number)  # a fork of the process that set the handler
        now, before = _clock(), self.heard
        if before is None:
            self.heard, self.number = now, number
        if not self.holds or (before is not None and now - before > SAME):
            try:  # noqa: SIM105 - contextlib takes a while to import
                os.write(2, farewell())
            except OSError:
                pass  # the terminal is closed
            _end(status())
        if self.raises and before is None:
            raise KeyboardInterrupt


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
    """A block that an interrupt leaves by KeyboardInterrupt."""

    def __enter__(self) -> None:
        _ear.holds = _ear.raises = True

    def __exit__(self, *_: object) -> None:
        hold()
        exec("")  # noqa: S102 - clears CPython's flag for an interrupt in compiled text, or it would end by the signal


class Deferred:
    """A block that no interrupt leaves; the interrupt is raised at its end.

    So a process that the block starts can be recorded first.
    """

    def __enter__(self) -> None:
        self._raised, _ear.raises = _ear.raises, False

    def __exit__(self, kind: object, *_: object) -> None:
        _ear.raises = self._raised
        if self._raised and kind is None:
            raise_what_was_lost()


def hold() -> None:
    """Let the running code go on from now on, so that results can be reported.

    The process ends only at a second interrupt.
    """
    _ear.raises = False


CAN_END = hasattr(signal, "setitimer")
"""True if the system has an alarm; only Windows has none."""


def end_after(seconds: float) -> None:
    """Interrupt the command after this many seconds."""
    signal.signal(signal.SIGALRM, _ear)
    signal.setitimer(signal.ITIMER_REAL, seconds)


def is_out_of_time() -> bool:
    """Return True if the alarm interrupted the command."""
    return CAN_END and _ear.heard is not None and _ear.number == signal.SIGALRM


def farewell() -> bytes:
    """Return the last line of an interrupted command."""
    return OUT_OF_TIME if is_out_of_time() else SAID


def status() -> int:
    """Return the exit status of an interrupted command, as a shell reports the signal."""
    return UNDECIDED if is_out_of_time() else 128 + _ear.number


def is_heard() -> bool:
    """Return True if there was an interrupt, even if its exception was lost."""
    return _ear.heard is not None


def raise_what_was_lost() -> None:
    """Raise KeyboardInterrupt again if there was an interrupt.

    Code that is called from outside of Python, or imported, may have swallowed the first one.
    """
    if is_heard():
        raise KeyboardInterrupt
