"""How long a controlled thread may run in real time before it is taken to be out of control.

A machine that is busy, or was suspended, is not the candidate's fault. So what counts is the
processor time that a thread has used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Protocol

from stingy.engine.carrier import allocate, frames_of, is_runnable, processor_seconds
from stingy.engine.task import Task

GLANCE = 0.25
"""Seconds of real time to wait until no thread can run, before the threads are watched."""

WATCHDOG = 1.5
"""Seconds of real time without a scheduling point after which a thread is taken to be blocked.

It then blocks where the scheduler cannot see it.
"""

WATCHES = 3
"""The most watches, of WATCHDOG seconds each, in which threads may run without coming to rest.

After them, a thread is taken to wait in a way that the scheduler does not know.
"""

STALLS = 40
"""The most watches, of WATCHDOG seconds each, in which a busy machine may hold up a thread."""


DEBUGGERS = {"bdb", "pydevd", "_pydevd_bundle.pydevd_frame"}
"""Modules whose code runs in a thread that is being debugged."""


class Watched(Protocol):
    """A scheduler of threads that run one at a time."""

    @property
    def points(self) -> int:
        """Number of scheduling points that the threads have passed."""

    @property
    def tasks(self) -> Sequence[Task]: ...

    @property
    def current(self) -> Task | None:
        """The thread whose turn it is; None if no thread has the turn."""


class Watch:
    """Lets the driving thread (which starts calls) wait until no controlled thread can run."""

    def __init__(self) -> None:
        self._at_rest = allocate()
        self._at_rest.acquire()

    def is_over(self) -> None:
        """End the wait of the driving thread, because no controlled thread can run."""
        self._at_rest.release()

    def wait_until_quiet(self, watched: Watched) -> bool:
        """Wait until no thread can run; return False if a thread never comes to rest."""
        return self.waits(GLANCE) or self._watch_until_quiet(watched)

    def waits(self, seconds: float | None = None) -> bool:
        """Wait until no thread can run; return False after ``seconds`` (WATCHDOG seconds if None)."""
        return self._at_rest.acquire(timeout=WATCHDOG if seconds is None else seconds)

    def _watch_until_quiet(self, watched: Watched) -> bool:
        """Wait until no thread can run and return True; False if a thread never comes to rest."""
        watches = stalls = 0
        points, used = -1, dict[Task, float]()
        while watches < WATCHES and stalls < STALLS:
            # Processor time is counted from the last scheduling point.
            if watched.points != points:
                points, used = watched.points, {task: processor_seconds(task.ident) for task in watched.tasks}
            if self.waits():
                return True
            if watched.current is not None and is_debugged(watched.current.ident):
                continue
            if _is_held_up(watched.current, used):
                stalls += 1
            elif watched.points == points:
                return False
            else:
                watches += 1
        return False


def _is_held_up(task: Task | None, used: Mapping[Task, float]) -> bool:
    """Return True if the current thread would continue if the machine gave it processor time.

    ``used`` is the processor time of each thread, in seconds, when the watch began.
    """
    frames = frames_of(task.ident) if task is not None else ()
    if task is None or not frames:
        return False
    return frames[0].f_code.co_filename in _HAND_OVER_FILES or is_starved(task, used.get(task, 0.0))


_HAND_OVER_FILES = tuple(
    str(PurePath(__file__).with_name(f"{name}.py"))
    for name in ("scheduler", "lineup", "busyloops", "record", "virtualtime", "pool")
)
"""Files of the hand-over: a thread there is about to let another one run, or has just done so."""


def is_debugged(ident: int) -> bool:
    """Return True if a debugger has stopped the thread, so that its user decides when it continues."""
    return any(frame.f_globals.get("__name__") in DEBUGGERS for frame in frames_of(ident))


def is_starved(task: Task, used: float) -> bool:
    """Return True if the thread is ready to run but has not run, as far as the system tells.

    ``used`` is its processor time, in seconds, when the watch began.
    """
    return is_runnable(task.native_id) and processor_seconds(task.ident) - used < WATCHDOG * 3 / 4
