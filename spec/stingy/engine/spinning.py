"""Whether a thread that does not come to rest works or waits; and an end to its work.

It is told by the thread's own processor time, which a busy machine cannot add to: nobody is taken to spin
because others were at it.
"""

from __future__ import annotations

from pathlib import Path

from stingy.engine.carrier import frames_of, processor_seconds
from stingy.engine.pool import evict
from stingy.engine.scheduler import Scheduler
from stingy.engine.task import Task

ENOUGH = 1.0
"""Seconds of a processor after which a thread that was to come to rest is taken never to."""

IDLE = 0.02
"""Less than that within a watch, and it waits for something."""

WATCHES = 10
"""So many more watches, at the most, for a thread that gets little of a busy machine."""


def spins(scheduler: Scheduler, task: Task, since: float) -> bool | None:
    """Whether the thread works, and for too long; None if it has come to rest after all."""
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
    """Make the thread leave what it does in Python, so that it need not spin until the process ends.

    It is given no other work: it may have come out by itself, and the Abort would follow it there.
    """
    scheduler.aborting = True
    evict(task.ident)
    if scheduler.watch.waits():
        scheduler.lost = False
        scheduler.tasks.remove(task)
        task.dismiss()


def whereabouts(task: Task) -> str:
    """The function that the thread is in, as somebody would look it up."""
    frames = frames_of(task.ident)
    if not frames:
        return "it"
    code = frames[0].f_code
    return f"{code.co_qualname} ({Path(code.co_filename).name}:{code.co_firstlineno})"
