"""Scheduling points in the candidate's own code: where they are, and what happens at one."""

from __future__ import annotations

from types import FrameType

from stingy.engine import scheduler as engine
from stingy.engine.carrier import get_ident
from stingy.engine.operands import Returned
from stingy.engine.places import Access
from stingy.engine.scheduler import find_caller

ROUNDS = 30
"""How often one instruction makes scheduling points in a long turn; after that, it makes none.

With settrace, only the heads of ``for`` loops are counted. The whole loop then makes none.
"""


def come_to(access: Access, frame: FrameType | None = None) -> None:
    """Let the scheduler switch threads before the calling thread makes ``access``.

    ``frame`` is the frame of the candidate's own code at this scheduling point, if it is known.
    """
    scheduler = engine.active
    if scheduler is None or (task := scheduler.current) is None or task.ident != get_ident():
        find_caller()  # ends the calling thread if it was given up
        return
    # Almost every point ends here, and nothing else runs as often: it must be fast.
    scheduler.points += 1
    if scheduler.points >= scheduler.stop:
        scheduler.at_point(task, access, frame)


def note_returned(frame: FrameType, value: object) -> None:
    """Record that the candidate's own code returns ``value`` from ``frame``.

    Nothing is recorded unless the strategy, or an onlooker, needs to know what threads touch.
    """
    scheduler = engine.active
    if scheduler is None or not (scheduler.strategy.looks or scheduler.onlooker):
        return
    task = scheduler.current
    if task is not None and task.ident == get_ident():
        task.returned = Returned(id(frame.f_back), type(value))
