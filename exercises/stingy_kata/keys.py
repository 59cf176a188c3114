"""Read what a learner types: single keys on a terminal, otherwise lines."""

from __future__ import annotations

import queue
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

END = "q"
"""Key that is returned at the end of the input."""


class Keys(Protocol):
    """A source of the keys that a learner types."""

    def read_key(self, within: float) -> str:
        """Return the next key; an empty string if none is typed for ``within`` seconds."""


@contextmanager
def keys() -> Iterator[Keys]:
    """Yield the source of the keys typed on standard input.

    After the block, the mode of a terminal is restored.
    """
    if not sys.stdin.isatty():
        yield _Lines()
    elif sys.platform == "win32":
        yield _Windows()
    else:
        import termios
        import tty

        before = termios.tcgetattr(sys.stdin)
        try:
            tty.setcbreak(sys.stdin)
            yield _Posix()
        finally:
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


class _Posix:
    def read_key(self, within: float) -> str:
        import os
        import select

        if not select.select([sys.stdin], [], [], within)[0]:
            return ""
        return os.read(sys.stdin.fileno(), 64).decode(errors="replace")[:1] or END


class _Windows:
    def read_key(self, within: float) -> str:
        import msvcrt

        until = time.monotonic() + within
        while time.monotonic() < until:
            if msvcrt.kbhit():  # type: ignore[attr-defined, unused-ignore]
                return str(msvcrt.getwch())  # type: ignore[attr-defined, unused-ignore]
            time.sleep(0.05)
        return ""


class _Lines:
    """Keys from standard input that is no terminal: the first character of each line, at last ``END``."""

    def __init__(self) -> None:
        self._typed: queue.SimpleQueue[str] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()

    def read_key(self, within: float) -> str:
        try:
            typed = self._typed.get(timeout=within)
        except queue.Empty:
            return ""
        if typed == END:
            self._typed.put(END)  # the next call must return it, too
        return typed

    def _read(self) -> None:
        for line in sys.stdin:
            self._typed.put(line.strip()[:1] or "\n")
        self._typed.put(END)
