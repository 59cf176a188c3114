"""A driver's standard error: its last lines, and Go's reports of data races and fatal errors."""

from __future__ import annotations

import os
import re
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import IO

from stingy.contract.testimony import in_a_line
from stingy.transport.lines import Lines

LINES_KEPT = 32
LONGEST_REMARK = 4096
"""Maximum bytes of a line; a longer line is split."""
CAPACITY = 1 << 16
"""Maximum bytes that a pipe holds: one read takes all that was written before it."""
GLANCE = 0.5
"""Seconds between two checks whether the listener must stop."""
LINES_OF_A_REPORT = 200
"""Maximum lines of a report; further lines are dropped."""
FRAMES = 4
"""Maximum stack frames shown for each of the two accesses of a data race."""

RULE = "=" * 18
RACE = "WARNING: DATA RACE"
ENDINGS = ("panic: ", "fatal error: ")
_SIDE = re.compile(
    r"(Read|Write|Previous read|Previous write|Atomic \w+|Previous atomic \w+) (?:at|of) .* by "
)
_NOT_ITS_OWN = (
    *("runtime.", "runtime/", "sync.", "sync/", "internal/", "reflect.", "testing."),
    *("stingy.invalid/driver.", "stingy.invalid/driver/sched."),
)


class Remarks:
    """Reads a driver's standard error in a thread, so that the driver never blocks in a write."""

    def __init__(self, stream: IO[bytes] | None) -> None:
        self._fd = None if stream is None else stream.fileno()
        self._lines = Lines(LONGEST_REMARK)
        self._last: deque[str] = deque(maxlen=LINES_KEPT)
        self._report: list[str] | None = None
        """Lines of a report that has begun; None outside a report."""
        self._races: list[str] = []
        self._ending: list[str] = []
        self._reading = threading.Lock()
        self._listener = threading.Thread(target=self._listen, daemon=True)
        if self._fd is not None:
            self._listener.start()

    def last(self) -> Sequence[str]:
        """Return the last lines of the driver's standard error, at most ``LINES_KEPT``."""
        self._catch_up()
        return [in_a_line(line) for line in list(self._last)]  # a copy: the listener may add lines

    def races(self) -> Sequence[str]:
        """Return a description of each data race that the driver reported since the last query."""
        self._catch_up()
        told, self._races = self._races, []
        return told

    def ending(self) -> str:
        """Return the panic or fatal error that ended the driver; empty if none was reported."""
        self._catch_up()
        return _describe_ending(self._ending)

    def close(self) -> None:
        """Read what the driver has written, then stop reading: the stream is about to be closed.

        Reading stops even if another process has the stream open and could still write.
        """
        self._catch_up()
        # On Windows, the listener waits in a read, which ends with the stream.
        if self._fd is not None and os.name != "nt":
            with self._reading:
                self._fd = None
            self._listener.join()

    def _listen(self) -> None:
        with suppress(OSError, ValueError):
            while not self._waits(GLANCE) or self._read() != 0:
                pass

    def _waits(self, seconds: float) -> bool:
        """Return True if the stream has text to read, now or within ``seconds``.

        Always True on Windows, where that cannot be found out: the read waits instead.
        """
        import select

        fd = self._fd
        if fd is None or os.name == "nt":
            return True
        poll = select.poll()
        poll.register(fd, select.POLLIN)
        return bool(poll.poll(seconds * 1000))

    def _read(self) -> int | None:
        """Read what the driver has written; return the number of bytes, 0 after the end or ``close``.

        None if there is nothing to read now: the other thread has read it.
        """
        with self._reading:
            if self._fd is None:
                return 0
            if os.name != "nt" and not self._waits(0):
                return None
            read = os.read(self._fd, CAPACITY)
            for line in self._lines.split(read):
                self._hear(line.decode(errors="replace").rstrip())
            return len(read)

    def _catch_up(self) -> None:
        """Read all that the driver has written so far, such as a report that precedes an answer.

        Text that comes meanwhile is left, because a driver may write faster than it is read.
        """
        if os.name == "nt":
            return
        with suppress(OSError, ValueError):
            if self._read():  # all that a full pipe holds
                self._read()  # once more, to notice the stream's end
        with self._reading:  # wait, because the listener may still process what it has read
            pass

    def _hear(self, line: str) -> None:
        self._last.append(line)  # made safe to print when it is asked for: most lines never are
        if self._report is not None:
            if line.startswith(RULE):
                if self._report[:1] == [RACE]:
                    self._races.append(_describe_race(self._report))
                self._report = None
            elif len(self._report) < LINES_OF_A_REPORT:
                self._report.append(line)
        elif line.startswith(RULE):
            self._report = []
        if line.startswith(ENDINGS):
            self._ending = [line]
        elif self._ending and len(self._ending) < LINES_OF_A_REPORT:
            self._ending.append(line)


def _describe_race(report: Sequence[str]) -> str:
    """Return text for Go's report of a data race: kind and place of each access, innermost first."""
    sides: list[tuple[str, list[str]]] = []
    for n, line in enumerate(report):
        if side := _SIDE.match(line):
            sides.append((side[1].lower(), list(_places(report[n + 1 :]))))
    told = " and ".join(
        f"{what} at {' < '.join(places[:FRAMES]) or 'a place unknown'}" for what, places in sides
    )
    return f"a data race: {told}; nothing puts them in order"


def _describe_ending(said: Sequence[str]) -> str:
    if not said:
        return ""
    places = list(_places(said[1:]))
    return in_a_line(said[0]) + (f", at {' < '.join(places[:FRAMES])}" if places else "")


def _places(lines: Sequence[str]) -> Iterator[str]:
    """Yield the stack frames outside Go's own library, as in ``queue.go:42, (*Queue).Add``.

    Stop at the end of the stack, since ``lines`` may go on with the next one.
    """
    begun = False
    for function, place in pairwise(lines):
        at = re.match(r"\s+(\S+:\d+)( |$)", place)
        if function.startswith("created by ") or (begun and not function.strip()):
            return
        if at is None:
            continue
        begun = True
        name = re.sub(r"\([^()*]*\)$", "", function.strip())
        if not name.startswith(_NOT_ITS_OWN) and name != "panic":
            short = name.rpartition("/")[2].partition(".")[2]
            yield in_a_line(f"{at[1].rpartition('/')[2]}, {short}")
