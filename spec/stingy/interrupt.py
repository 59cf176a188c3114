"""Ctrl-C: a command that is interrupted ends with a sentence and its exit status, whenever that happens.

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
"""As in ``stingy.verdict``, which takes longer to import."""
SAID = b"interrupted\n"
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
        self.holds = False
        """Whether something would be lost with the process."""
        self.raises = False
        """Whether whoever is at work is to leave it."""

    def __call__(self, *_: object) -> None:
        if os.getpid() != self._process:
            _end(INTERRUPTED)  # it has just been forked from the one that says so
        now, before = _clock(), self.heard
        if before is None:
            self.heard = now
        if not self.holds or (before is not None and now - before > SAME):
            os.write(2, SAID)
            _end(INTERRUPTED)
        if self.raises and before is None:
            raise KeyboardInterrupt


_ear = _Ear()


def listen() -> None:
    """From now on, in a process that does a command: it ends at once, for nothing is lost with it yet."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return  # whoever has started us in the background wants us to take no notice
    atexit.register(
        signal.signal, signal.SIGINT, signal.SIG_IGN
    )  # the last of all: then Python lets go of it
    signal.signal(signal.SIGINT, _ear)
    tell = sys.unraisablehook
    sys.unraisablehook = lambda lost: None if lost.exc_type is KeyboardInterrupt else tell(lost)


class Interruptible:
    """A block that is left with KeyboardInterrupt."""

    def __enter__(self) -> None:
        _ear.holds = _ear.raises = True

    def __exit__(self, *_: object) -> None:
        hold()
        exec("")  # noqa: S102 - more code made from text, from which nothing is raised: the interpreter need not die


def hold() -> None:
    """Whoever is at work goes on from now on, for what is known is to be told. Only who asks twice ends the process."""
    _ear.raises = False


def is_heard() -> bool:
    """Whether there was an interrupt, be it that its exception was lost."""
    return _ear.heard is not None


def raise_what_was_lost() -> None:
    """An interrupt, once more: not all code that is called from outside of Python, or imported, lets it through."""
    if is_heard():
        raise KeyboardInterrupt
