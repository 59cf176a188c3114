"""Scheduling points in the candidate's own code: where they are, and what happens at one."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from itertools import compress, repeat
from operator import is_
from types import CodeType, FrameType, FunctionType

from stingy.engine import scheduler as engine
from stingy.engine.access import codes_within
from stingy.engine.carrier import get_ident
from stingy.engine.operands import Returned
from stingy.engine.places import Access
from stingy.engine.scheduler import find_caller

ROUNDS = 30
"""So many times a long turn comes by the head of a loop, until no more is made of it."""


def come_to(access: Access, frame: FrameType | None = None) -> None:
    """``frame``: the one of the candidate's own code that comes to it, if it is known."""
    scheduler = engine.active
    if scheduler is None or (task := scheduler.current) is None or task.ident != get_ident():
        find_caller()  # a thread that has been given up ends here
        return
    # Most points are passed over: this is the most frequent thing of all.
    scheduler.points += 1
    if scheduler.points >= scheduler.stop:
        scheduler.at_point(task, access, frame)


def note_returned(frame: FrameType, value: object) -> None:
    """The candidate's own code returns this from there."""
    scheduler = engine.active
    if scheduler is None or not scheduler.strategy.looks:
        return
    task = scheduler.current
    if task is not None and task.ident == get_ident():
        task.returned = Returned(id(frame.f_back), type(value))


def codes_in(files: frozenset[str]) -> Iterator[CodeType]:
    """All code that stands in these files, as far as it has been made into functions."""
    seen: set[int] = set()
    objects = gc.get_objects()  # a hundred thousand, told apart without a loop in Python
    functions: Iterator[FunctionType] = compress(objects, map(is_, map(type, objects), repeat(FunctionType)))
    for function in functions:
        if function.__code__.co_filename in files:
            for code in codes_within(function.__code__):
                if id(code) not in seen:
                    seen.add(id(code))
                    yield code
