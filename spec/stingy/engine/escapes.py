"""What is not under control, and touches what is: then there are two clocks, and what is seen shows nothing.

It is noticed where it happens, and the scheduler is told: the candidate is judged by real time instead.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread
from types import FrameType
from typing import Any

from stingy.engine import scheduler as engine
from stingy.engine.carrier import get_ident
from stingy.engine.scheduler import Scheduler, find_caller


class _Importing:
    """Whose a lock is that is made as the candidate is imported."""


IMPORTING = _Importing()

Home = Scheduler | _Importing | None
"""Whose a lock is: the candidate's, in the session in which it was made or in all; or nobody's that matters."""

usual_hook = threading.excepthook
"""Who was told before there was a candidate, of what ends a thread: Python prints it, and pytest takes it for a fault of its own."""

_started: list[Thread] | None = None
"""While a candidate is imported: the threads that it has started by that."""


@contextmanager
def importing() -> Iterator[list[Thread]]:
    """Whatever is made meanwhile is the candidate's; gives the threads that are started."""
    global _started, usual_hook  # noqa: PLW0603
    usual_hook = threading.excepthook
    before, _started = _started, []
    try:
        yield _started
    finally:
        _started = before


def is_started(thread: Thread) -> None:
    """A thread that is not under control has been started."""
    if _started is not None:
        _started.append(thread)


def home() -> Home:
    """Whose a lock is that is made now, by a thread that is not under control."""
    return None if _started is None else IMPORTING


def noticed_at_a_lock(home: Home) -> None:
    """A thread that is not under control takes a lock."""
    scheduler = engine.active
    if scheduler is None or home is None or scheduler.aborting:
        return
    # The driving thread may use what a library made for all, as it was imported by the candidate.
    if home is scheduler or (home is IMPORTING and get_ident() != scheduler.driver):
        scheduler.escapes("it has a thread that cannot be followed, which takes its locks")


def noticed_at_a_clock() -> None:
    """A thread that is not under control looks at a clock, or sleeps."""
    scheduler = engine.active
    if scheduler is None or scheduler.aborting or get_ident() == scheduler.driver:
        return
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_filename in scheduler.files:
            scheduler.escapes("it has a thread that cannot be followed, which looks at a clock")
            return
        frame = frame.f_back


def noticing(real: Callable[..., Any], what: str) -> Callable[..., Any]:
    """The same function, for what leads out of the process, or into it, at a time that nobody chooses."""

    def notice(*args: Any, **named: Any) -> Any:
        inside = find_caller()
        if inside is not None:
            inside[0].escapes(f"it {what}")
        return real(*args, **named)

    notice.__name__ = getattr(real, "__name__", what)
    return notice


def _noticed_at_a_fork() -> None:
    scheduler = engine.active
    if scheduler is not None and scheduler.me() is not None:
        scheduler.escapes("it starts another process")


def _is_forked() -> None:
    """In the new process nobody is under control."""
    engine.active = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_noticed_at_a_fork, after_in_child=_is_forked)
