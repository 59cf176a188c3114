"""A process and all that it has started, as Linux shows them: what they hold in memory, and what they got of a processor."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_PROC = Path("/proc")

CAN_BE_SEEN = (_PROC / "self" / "task").exists()
"""Whether this system shows them."""

SURVEY = 1.0
"""Seconds after which they are looked for anew; to look at those that are known is cheap."""
SURVEYING = 0.02
"""No more of the time is spent on that, however many processes there are."""

_TABLES = (b"VmPTE:",)
"""They say where its memory is."""
_HELD = (b"VmRSS:", b"VmSwap:", *_TABLES)
"""In memory, and moved out of it."""
_PARTS = (b"Pss:", b"SwapPss:")
"""The same, where each of those who share something has a part of it."""

_WANTS_TO_RUN = b"RD"
"""The states of a thread that runs or would, or that waits for a disk."""


class Processes:
    """The one that leads a session, and those in it."""

    def __init__(self, leader: int) -> None:
        self._leader = leader
        self._known = [leader]
        self._survey = 0.0
        self._used = 0.0

    def hold_more(self, most: int) -> bool:
        """Than so many bytes of memory, in all; never where that cannot be seen.

        The leader has what it shares with others, and these have their part of it, which is not cheap to find out: only where
        it counts.
        """
        leader, *others = self._members()
        held = _held(leader)
        return held + sum(map(_held, others)) > most and held + sum(map(_share, others)) > most

    def own(self, seconds: float) -> float:
        """How much of the time since it was last asked was theirs.

        If one of them would have gone on, and the machine ran others, that is no more than what they got of a processor.
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
    """Kill a process, and all in its group, and in its session, where that can be seen, if it leads them."""
    others = list(_session(leader)) if CAN_BE_SEEN else []
    kills = [(os.killpg, leader), *((os.kill, process) for process in (leader, *others))]
    for kill, process in kills:
        with suppress(ProcessLookupError, PermissionError):
            kill(process, signal.SIGKILL)


def _session(leader: int) -> Iterator[int]:
    for name in os.listdir(_PROC):  # noqa: PTH208 - a path each would cost more than all the rest
        if name.isdecimal() and int(name) != leader:
            told = _read_stat(f"{name}/stat")
            if told and int(told[3]) == leader:
                yield int(name)


def _threads(process: int) -> Iterator[tuple[bytes, float]]:
    """Of each the state, and the seconds that it has had of a processor."""
    with suppress(OSError):
        for name in os.listdir(_PROC / str(process) / "task"):  # noqa: PTH208
            if told := _read_stat(f"{process}/task/{name}/stat"):
                yield told[0], (int(told[11]) + int(told[12])) / os.sysconf("SC_CLK_TCK")


def _read_stat(stat: str) -> list[bytes]:
    """The fields after the name, which may hold anything."""
    try:
        return (_PROC / stat).read_bytes().rpartition(b") ")[2].split()
    except OSError:
        return []


def _held(process: int) -> int:
    """Bytes of memory, with what it shares with others."""
    return _kilobytes(process, "status", _HELD) << 10


def _share(process: int) -> int:
    """The same, with its part of what it shares; with all of that where the system tells no parts."""
    part = _kilobytes(process, "smaps_rollup", _PARTS)
    return (part + _kilobytes(process, "status", _TABLES)) << 10 if part else _held(process)


def _kilobytes(process: int, file: str, names: tuple[bytes, ...]) -> int:
    """The sum of these lines; 0 if they cannot be read."""
    try:
        lines = (_PROC / str(process) / file).read_bytes().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith(names))
