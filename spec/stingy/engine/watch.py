"""How long a thread under control may go on, in real time, before it is taken to be where nobody can follow it.

A machine that is busy, or stands still, is no candidate's fault: what counts is what a thread has used of a processor.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Protocol

from stingy.engine.carrier import allocate, frames_of, is_runnable, processor_seconds
from stingy.engine.task import Task

GLANCE = 0.25
"""Real seconds that are nothing to wonder at."""

WATCHDOG = 1.5
"""Real seconds without a scheduling point after which a thread is taken to block where nobody can see it."""

WATCHES = 3
"""So many times that long, a thread may go on without coming to rest: then it waits in a way of its own."""

STALLS = 40
"""So many times that long, a thread may be held up by a busy machine."""


DEBUGGERS = {"bdb", "pydevd", "_pydevd_bundle.pydevd_frame"}
"""Modules that a thread is in while it is debugged."""


class Watched(Protocol):
    """Threads that run one after the other."""

    @property
    def points(self) -> int:
        """How many scheduling points there have been."""

    @property
    def tasks(self) -> Sequence[Task]: ...

    @property
    def current(self) -> Task | None:
        """The one whose turn it is."""


class Watch:
    """The driving thread's wait for the others to come to rest."""

    def __init__(self, watched: Watched) -> None:
        self._watched = watched
        self._at_rest = allocate()
        self._at_rest.acquire()

    def is_over(self) -> None:
        """Nobody can go on."""
        self._at_rest.release()

    def sees_the_end(self) -> bool:
        """Wait until nobody can go on; False if a thread has to be given up."""
        return self.waits(GLANCE) or self._comes_back_late()

    def waits(self, seconds: float | None = None) -> bool:
        """Whether nobody can go on, within so many seconds; within those of a watch unless said."""
        return self._at_rest.acquire(timeout=WATCHDOG if seconds is None else seconds)

    def _comes_back_late(self) -> bool:
        """Whether nobody can go on at last, though the threads are watched long enough to tell that they never will."""
        watched = self._watched
        watches = stalls = 0
        points, used = -1, dict[Task, float]()
        while watches < WATCHES and stalls < STALLS:
            if watched.points != points:  # what a thread has used is reckoned from its last sign of life
                points, used = watched.points, {task: processor_seconds(task.ident) for task in watched.tasks}
            if self.waits():
                return True
            if self._is_debugged():
                continue
            if self._is_held_up(used):
                stalls += 1
            elif watched.points == points:
                return False
            else:
                watches += 1
        return False

    def _is_debugged(self) -> bool:
        """Return True if the thread whose turn it is stands in a debugger: whoever sits in front of that takes their time."""
        task = self._watched.current
        frames = frames_of(task.ident) if task is not None else ()
        return any(frame.f_globals.get("__name__") in DEBUGGERS for frame in frames)

    def _is_held_up(self, used: Mapping[Task, float]) -> bool:
        """Whether the thread whose turn it is would go on if the machine let it: it is no candidate's fault.

        ``used`` is what each had used of a processor when the watch began.
        """
        task = self._watched.current
        frames = frames_of(task.ident) if task is not None else ()
        if task is None or not frames:
            return False
        return frames[0].f_code.co_filename in _HANDS_ON or is_starved(task, used.get(task, 0.0))


_HANDS_ON = tuple(str(PurePath(__file__).with_name(name)) for name in ("scheduler.py", "pool.py"))
"""Whoever stands there is about to let another thread go on, or has just done so."""


def is_starved(task: Task, used: float) -> bool:
    """Whether the thread is ready to run and has not got to, as far as the system tells."""
    return is_runnable(task.native_id) and processor_seconds(task.ident) - used < WATCHDOG * 3 / 4
