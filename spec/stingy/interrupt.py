"""Ctrl-C, and what else asks a command to end: it does with a sentence and an exit status, whenever that happens.

SIGTERM is sent by ``timeout``, a container that stops and a build that is cancelled, SIGHUP by a terminal that is closed.

Python raises an exception wherever the main thread happens to be. Before there is anybody to catch it, and after, that is a
traceback. It is lost where Python calls back from what raises nothing, such as a finaliser. And in code that is made from a
text, as a dataclass is, it makes the interpreter die of the signal in the end, though it was caught.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import time

INTERRUPTED = 130
"""As in ``stingy.verdict``, which takes longer to import. Of SIGINT; ``status`` says it of the others."""
SAID = b"interrupted\n"
OUT_OF_TIME = b"the time is over\n"
UNDECIDED = 2
"""As in ``stingy.verdict``: nothing is known of a candidate that nobody had the time to judge."""
SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
"""Signals that interrupt a command. Windows has no SIGHUP."""
SAME = 1.0
"""Seconds within which another signal is the same one: whoever has started us may pass on what the terminal has told us as well."""

_clock = time.monotonic  # a candidate in this process may put another one there
_end = os._exit


class _Ear:
    """Hears the signal, and does what is right at that moment."""

    def __init__(self) -> None:
        self._process = os.getpid()
        self.heard: float | None = None
        """When it was for the first time."""
        self.number = int(signal.SIGINT)
        """The signal that was heard first."""
        self.holds = False
        """Whether something would be lost with the process."""
        self.raises = False
        """Whether whoever is at work is to leave it."""

    def __call__(self, number: int, *_: object) -> None:
        if os.getpid() != self._process:
            _end(128 + number)  # it has just been forked from the one that says so
        now, before = _clock(), self.heard
        if before is None:
            self.heard, self.number = now, number
        if not self.holds or (before is not None and now - before > SAME):
            try:  # noqa: SIM105 - contextlib takes a while to import
                os.write(2, farewell())
            except OSError:
                pass  # a terminal that is closed
            _end(status())
        if self.raises and before is None:
            raise KeyboardInterrupt


_ear = _Ear()


def listen() -> None:
    """From now on, in a process that does a command: it ends at once, for nothing is lost with it yet."""
    for number in SIGNALS:
        if signal.getsignal(number) in (signal.SIG_IGN, None):
            continue  # whoever has started us in the background, or by nohup, wants us to take no notice
        atexit.register(signal.signal, number, signal.SIG_IGN)  # the last of all: then Python lets go of it
        signal.signal(number, _ear)
    tell = sys.unraisablehook
    sys.unraisablehook = lambda lost: None if lost.exc_type is KeyboardInterrupt else tell(lost)


class Interruptible:
    """A block that is left with KeyboardInterrupt."""

    def __enter__(self) -> None:
        _ear.holds = _ear.raises = True

    def __exit__(self, *_: object) -> None:
        hold()
        exec("")  # noqa: S102 - more code made from text, from which nothing is raised: the interpreter need not die


class Deferred:
    """A block that no interrupt leaves: it is raised at the end. What is started within can be written down before."""

    def __enter__(self) -> None:
        self._raised, _ear.raises = _ear.raises, False

    def __exit__(self, kind: object, *_: object) -> None:
        _ear.raises = self._raised
        if self._raised and kind is None:
            raise_what_was_lost()


def hold() -> None:
    """Whoever is at work goes on from now on, for what is known is to be told. Only who asks twice ends the process."""
    _ear.raises = False


CAN_END = hasattr(signal, "setitimer")
"""True if this system has an alarm, as all but Windows have."""


def end_after(seconds: float) -> None:
    """Interrupt the command after so many seconds."""
    signal.signal(signal.SIGALRM, _ear)
    signal.setitimer(signal.ITIMER_REAL, seconds)


def is_out_of_time() -> bool:
    """Return whether it was the alarm that interrupted the command."""
    return CAN_END and _ear.heard is not None and _ear.number == signal.SIGALRM


def farewell() -> bytes:
    """Return the line by which an interrupted command ends."""
    return OUT_OF_TIME if is_out_of_time() else SAID


def status() -> int:
    """The exit status of what was interrupted, as a shell has it of whatever the signal ends."""
    return UNDECIDED if is_out_of_time() else 128 + _ear.number


def is_heard() -> bool:
    """Whether there was an interrupt, be it that its exception was lost."""
    return _ear.heard is not None


def raise_what_was_lost() -> None:
    """An interrupt, once more: not all code that is called from outside of Python, or imported, lets it through."""
    if is_heard():
        raise KeyboardInterrupt
