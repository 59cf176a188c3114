"""Memory and processor time of a process and all that it has started, from Linux's ``/proc``."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

Given = TypeVar("Given")

_PROC = Path("/proc")

CAN_BE_SEEN = (_PROC / "self" / "task").exists()
"""True if this system has such a ``/proc``."""

SURVEY = 1.0
"""Minimum seconds between searches for new processes: only these searches are expensive."""
SURVEYING = 0.02
"""Largest fraction of the time that these searches may take: after a slow one, the next waits."""

_TABLES = (b"VmPTE:",)
"""Field of ``status``: the page tables, which map its memory."""
_HELD = (b"VmRSS:", b"VmSwap:", *_TABLES)
"""Fields of ``status``: memory that is resident, swapped out, and used by page tables."""
_PARTS = (b"Pss:", b"SwapPss:")
"""Fields of ``smaps_rollup``: memory that is resident and swapped out.

A page that several processes share counts only in part for each of them.
"""

LEAST = 1 / 20
"""Least part of the time that counts, so that a process that never runs reaches its limit as well."""

SHORTEST = 0.01
"""Least seconds between two looks: what is left may shrink by ``LEAST`` of it each time, and never get to nothing."""

_WANTS_TO_RUN = b"RD"
"""States of a thread that runs or could run (R), or that waits for a disk (D)."""


class Processes:
    """The process that leads an operating-system session, and all other processes in the session."""

    def __init__(self, leader: int) -> None:
        self._leader = leader
        self._known = [leader]
        self._survey = 0.0

    def hold_more(self, most: int) -> bool:
        """Return True if these processes hold more than ``most`` bytes; False if that cannot be read.

        Memory that processes share counts in full for the leader, and in part for the others. The
        part is expensive to read, so it is read only if the sum of all in full exceeds ``most``.
        """
        leader, *others = self._members()
        held = _held(leader)
        return held + sum(map(_held, others)) > most and held + sum(map(_share, others)) > most

    def look(self) -> tuple[float, bool]:
        """Return the processor seconds that these processes have used, and True if one is ready to run."""
        threads = [told for process in self._members() for told in _threads(process)]
        return sum(used for _, used in threads), any(state in _WANTS_TO_RUN for state, _ in threads)

    def _members(self) -> list[int]:
        began = time.monotonic()
        if CAN_BE_SEEN and began > self._survey:
            self._known = [self._leader, *_session(self._leader)]
            over = time.monotonic()
            self._survey = over + max(SURVEY, (over - began) / SURVEYING)
        return self._known


class Spending:
    """Time that counts against a limit of some processes, without the time that a busy machine gave to others.

    While all their threads wait, all time counts. While a thread is ready to run, only the processor
    time that they use counts, but at least ``LEAST`` of all time.
    """

    def __init__(self, processes: Processes | None, before: float = 0.0) -> None:
        """Count from now on; all time if the processes cannot be seen. ``before``: seconds that count already."""
        self.seconds = before
        self._processes = processes if CAN_BE_SEEN else None
        self._used = self._processes.look()[0] if self._processes else 0.0

    def add(self, passed: float) -> float:
        """Count the seconds that have passed since the last call; return all that count so far."""
        if self._processes is None:
            self.seconds += passed
            return self.seconds
        (used, is_ready), before = self._processes.look(), self._used
        self._used = used
        counts = max(used - before, passed * LEAST) if is_ready else passed
        self.seconds += min(passed, counts)
        return self.seconds

    def spend(self, wait: Callable[[float], Given], seconds: float, longest: float) -> Given:
        """Call ``wait`` for a part of what is left of ``seconds``, at most ``longest``; return its result.

        The time that it took is added.
        """
        step, began = min(longest, max(seconds - self.seconds, SHORTEST)), time.monotonic()
        given = wait(step)
        self.add(min(step, time.monotonic() - began))
        return given


def kill_all(leader: int) -> None:
    """Kill a process, and the process group and session that it leads.

    Without ``/proc``, the session is not known, so only the group is killed.
    """
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
    """Yield, for each thread of a process, its state and the processor seconds that it has used."""
    with suppress(OSError):
        for name in os.listdir(_PROC / str(process) / "task"):  # noqa: PTH208
            if told := _read_stat(f"{process}/task/{name}/stat"):
                yield told[0], (int(told[11]) + int(told[12])) / os.sysconf("SC_CLK_TCK")


def _read_stat(stat: str) -> list[bytes]:
    """Return the fields of a Linux ``stat`` file after the process's name; empty if unreadable.

    The name may contain any character, so the fields begin after the last parenthesis.
    """
    return _read(stat).rpartition(b") ")[2].split()


def _held(process: int) -> int:
    """Return the resident memory of a process in bytes; shared memory counts in full."""
    return _kilobytes(process, "status", _HELD) << 10


def _share(process: int) -> int:
    """Return the memory of a process in bytes, of shared memory only its share.

    If the share cannot be read, shared memory counts in full.
    """
    part = _kilobytes(process, "smaps_rollup", _PARTS)
    return (part + _kilobytes(process, "status", _TABLES)) << 10 if part else _held(process)


def _kilobytes(process: int, file: str, names: tuple[bytes, ...]) -> int:
    """Return the sum, in KiB, of the lines of a ``/proc`` file that begin with these names.

    0 if the file cannot be read.
    """
    lines = _read(f"{process}/{file}").splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith(names))


def _read(name: str) -> bytes:
    """Return what this file below ``/proc`` contains; empty if it cannot be read."""
    try:
        with open(f"{_PROC}/{name}", "rb", buffering=0) as file:  # noqa: PTH123 - a Path would double the cost
            return file.read()
    except OSError:
        return b""
