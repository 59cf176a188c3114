"""Memory and processor time of a process and all that it has started, from Linux's ``/proc``."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_PROC = Path("/proc")

CAN_BE_SEEN = (_PROC / "self" / "task").exists()
"""True if this system has such a ``/proc``."""

SURVEY = 1.0
"""Seconds between searches for new processes; reading those that are known is cheap."""
SURVEYING = 0.02
"""Largest share of the time for these searches, however many processes the machine has."""

_TABLES = (b"VmPTE:",)
"""Field of ``status``: the page tables, which map its memory."""
_HELD = (b"VmRSS:", b"VmSwap:", *_TABLES)
"""Fields of ``status``: memory that is resident, swapped out, and used by page tables."""
_PARTS = (b"Pss:", b"SwapPss:")
"""Fields of ``smaps_rollup``: the same, with shared pages divided among those that share them."""

_WANTS_TO_RUN = b"RD"
"""States of a thread that runs or could run (R), or that waits for a disk (D)."""


class Processes:
    """The process that leads a session, and all other processes in that session."""

    def __init__(self, leader: int) -> None:
        self._leader = leader
        self._known = [leader]
        self._survey = 0.0
        self._used = 0.0

    def hold_more(self, most: int) -> bool:
        """Return True if together they hold more than ``most`` bytes; False if that cannot be read.

        The leader counts with everything that it shares, the others only with their part of that.
        Their part is expensive to read, so it is read only if the cheaper sum exceeds ``most``.
        """
        leader, *others = self._members()
        held = _held(leader)
        return held + sum(map(_held, others)) > most and held + sum(map(_share, others)) > most

    def own(self, seconds: float) -> float:
        """Return how many of the ``seconds`` since the last query count as theirs.

        All of them do, unless one of their threads could run now. Then the machine may have run
        others instead, so only the processor time that they got counts.
        """
        threads = [told for process in self._members() for told in _threads(process)]
        used, before = sum(used for _, used in threads), self._used
        self._used = used
        held_up = any(state in _WANTS_TO_RUN for state, _ in threads)
        return min(seconds, max(0.0, used - before)) if held_up else seconds

    def _members(self) -> list[int]:
        began = time.monotonic()
        if CAN_BE_SEEN and began > self._survey:
            self._known = [self._leader, *_session(self._leader)]
            over = time.monotonic()
            self._survey = over + max(SURVEY, (over - began) / SURVEYING)
        return self._known


def kill_all(leader: int) -> None:
    """Kill a process, its group and, where ``/proc`` shows it, its session, if it leads them."""
    others = list(_session(leader)) if CAN_BE_SEEN else []
    kills = [(os.killpg, leader), *((os.kill, process) for process in (leader, *others))]
    for kill, process in kills:
        with suppress(ProcessLookupError, PermissionError):
            kill(process, signal.SIGKILL)


def _session(leader: int) -> Iterator[int]:
    for name in os.listdir(_PROC):  # noqa: PTH208 - a Path each would cost too much
        if name.isdecimal() and int(name) != leader:
            told = _read_stat(f"{name}/stat")
            if told and int(told[3]) == leader:
                yield int(name)


def _threads(process: int) -> Iterator[tuple[bytes, float]]:
    """Yield the state of each thread, and the processor seconds that it has used."""
    with suppress(OSError):
        for name in os.listdir(_PROC / str(process) / "task"):  # noqa: PTH208
            if told := _read_stat(f"{process}/task/{name}/stat"):
                yield told[0], (int(told[11]) + int(told[12])) / os.sysconf("SC_CLK_TCK")


def _read_stat(stat: str) -> list[bytes]:
    """Return the fields of a ``stat`` file after the name; none if it cannot be read.

    The name may hold anything, so the text is split after the last parenthesis.
    """
    try:
        return (_PROC / stat).read_bytes().rpartition(b") ")[2].split()
    except OSError:
        return []


def _held(process: int) -> int:
    """Return bytes of memory, with everything that it shares."""
    return _kilobytes(process, "status", _HELD) << 10


def _share(process: int) -> int:
    """Return bytes of memory, with its part of what it shares; all of that if parts are unknown."""
    part = _kilobytes(process, "smaps_rollup", _PARTS)
    return (part + _kilobytes(process, "status", _TABLES)) << 10 if part else _held(process)


def _kilobytes(process: int, file: str, names: tuple[bytes, ...]) -> int:
    """Return the sum of these lines in KiB; 0 if they cannot be read."""
    try:
        lines = (_PROC / str(process) / file).read_bytes().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith(names))
