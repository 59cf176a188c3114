"""Find out whether a thread that does not block is busy or waits, and stop one that is busy.

What counts is the thread's own processor time. A machine that is busy with something else cannot
add to it, and so cannot make a thread look as if it were in an endless loop.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, get_ident

from stingy.engine.carrier import frames_of, processor_seconds
from stingy.engine.pool import evict
from stingy.engine.scheduler import Scheduler
from stingy.engine.task import Abort, Task

ENOUGH = 1.0
"""Seconds of processor time after which a thread is taken to be in an endless loop."""

IDLE = 0.02
"""Seconds of processor time: a thread that uses less during one watch waits for something."""

WATCHES = 10
"""The most watches, of WATCHDOG seconds each, for a thread that a busy machine rarely runs."""

UNWINDS = 4
"""The most watches, of WATCHDOG seconds each, until a thread that was aborted has come to its end."""


def spins(scheduler: Scheduler, task: Task, since: float) -> bool | None:
    """Return True if the thread is busy past its limit, False if it uses no processor time.

    In the second case, it waits where the scheduler cannot see it. None if it has come to rest
    after all. ``since`` is the thread's processor time, in seconds, when it was last allowed to
    run.
    """
    used = processor_seconds(task.ident) - since
    for _ in range(WATCHES):
        if used >= ENOUGH:
            return True
        if scheduler.watch.waits():
            scheduler.lost = False
            return None
        before, used = used, processor_seconds(task.ident) - since
        if used - before < IDLE:
            return False
    return False


def stop(scheduler: Scheduler, task: Task) -> None:
    """Abort a thread that loops in Python code, because it would spin until the process ends.

    It gets no other job: if it has left the loop by itself, the Abort would hit the next job. It
    may take seconds to free what the loop has made; a second Abort would hit it meanwhile.
    """
    scheduler.aborting = True
    with _told_if_lost(task.ident) as lost:
        evict(task.ident)
        for _ in range(UNWINDS):
            if scheduler.watch.waits():
                scheduler.lost = False
                scheduler.tasks.remove(task)
                task.dismiss()
                return
            if lost.is_set():
                lost.clear()
                evict(task.ident)


@contextmanager
def _told_if_lost(ident: int) -> Iterator[Event]:
    """Until the block ends, set the event when an Abort has hit the thread where nothing can raise, as in a ``__del__``."""
    lost, tell = Event(), sys.unraisablehook

    def hear(what: sys.UnraisableHookArgs) -> None:
        if what.exc_type is Abort and get_ident() == ident:
            lost.set()
        else:
            tell(what)

    sys.unraisablehook = hear
    try:
        yield lost
    finally:
        sys.unraisablehook = tell


def whereabouts(task: Task) -> str:
    """Return the function that the thread is in, with file and line; "it" if that is unknown."""
    frames = frames_of(task.ident)
    if not frames:
        return "it"
    code = frames[0].f_code
    return f"{code.co_qualname} ({Path(code.co_filename).name}:{code.co_firstlineno})"
