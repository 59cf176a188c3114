"""Detection of escapes: a thread, process or timer outside control that affects the candidate.

Such a candidate depends on two clocks, virtual and real, so observations of it prove nothing. An
escape is reported to the scheduler at once, and the candidate is judged in real time instead.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from threading import Thread
from types import FrameType
from typing import Any

from stingy.contract.kinds import is_a
from stingy.engine import scheduler as engine
from stingy.engine.carrier import get_ident
from stingy.engine.frames import ENGINE, find_raiser
from stingy.engine.scheduler import Scheduler, find_caller


class _Importing:
    """Marks locks that are created while the candidate is imported, as their owner."""


IMPORTING = _Importing()

Home = Scheduler | _Importing | None
"""Owner of a lock: the scheduler of one session, or IMPORTING for all sessions.

None if the lock is not the candidate's.
"""

usual_hook = threading.excepthook
"""``threading.excepthook`` as it was before the candidate was imported.

It is not called for a candidate's thread, because Python's hook prints the error, and pytest's
hook reports it as a fault of the test.
"""

_started: list[Thread] | None = None
"""Uncontrolled threads started by the import of a candidate; None while none is imported."""


@contextmanager
def importing() -> Iterator[list[Thread]]:
    """Treat locks created in this block as the candidate's; yield a list of the threads started."""
    global _started, usual_hook  # noqa: PLW0603
    usual_hook = threading.excepthook
    before, _started = _started, []
    try:
        yield _started
    finally:
        _started = before


def is_started(thread: Thread) -> None:
    """Record a thread that was started outside control, if a candidate is imported now."""
    if _started is not None and not _is_a_debuggers(thread):
        _started.append(thread)


def home() -> Home:
    """Return the owner of a lock that an uncontrolled thread creates now.

    None if the lock is not the candidate's: none is imported now, or the thread is a debugger's.
    """
    ours = _started is not None and not _is_a_debuggers(threading._active.get(get_ident()))  # type: ignore[attr-defined]
    return IMPORTING if ours else None


def _is_a_debuggers(thread: Thread | None) -> bool:
    """Return True for a thread in which debugpy talks to an editor, while a candidate is imported as well."""
    return getattr(thread, "is_pydev_daemon_thread", False)


def noticed_at_a_lock(home: Home) -> None:
    """Report an escape if the calling thread is not controlled and takes a candidate's lock.

    ``home`` is the owner of the lock.
    """
    scheduler = engine.active
    if scheduler is None or home is None or scheduler.aborting:
        return
    # The driving thread may use locks of libraries that the import of the candidate has loaded.
    if home is scheduler or (home is IMPORTING and get_ident() != scheduler.driver):
        scheduler.escapes("it has a thread that cannot be followed, which takes its locks")


def noticed_at_a_clock() -> None:
    """Report an escape if an uncontrolled thread reads a clock or sleeps in the candidate's code.

    The driving thread, which waits for the controlled threads, may do so.
    """
    scheduler = engine.active
    if scheduler is None or scheduler.aborting or get_ident() == scheduler.driver:
        return
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_filename in scheduler.files:
            scheduler.escapes("it has a thread that cannot be followed, which looks at a clock")
            return
        frame = frame.f_back


_OF_MISTAKES = (AttributeError, NameError, LookupError, AssertionError)
"""Errors that the engine raises only by mistake. Real locks raise others as well, such as RuntimeError."""


def noticed_at_an_error(error: BaseException) -> None:
    """Report an escape if the engine's own code has failed in a controlled thread of the candidate.

    With real threads, the candidate would not have met that error.
    """
    scheduler = engine.active
    if scheduler is None or not is_a(error, *_OF_MISTAKES) or (raiser := find_raiser(error)) is None:
        return
    if raiser.f_code.co_filename.startswith(ENGINE):
        scheduler.escapes(f"it calls {raiser.f_code.co_name}, in which stingy itself has a fault")


def noticing(real: Callable[..., Any], what: str) -> Callable[..., Any]:
    """Wrap a function that starts something outside control, such as another process.

    Each call of it by a controlled thread is reported as an escape; ``what`` is the text for that.
    """

    @wraps(real)
    def notice(*args: Any, **named: Any) -> Any:
        inside = find_caller()
        if inside is not None:
            inside[0].escapes(f"it {what}")
        return real(*args, **named)

    return notice


def _noticed_at_a_fork() -> None:
    scheduler = engine.active
    if scheduler is not None and scheduler.me() is not None:
        scheduler.escapes("it starts another process")


def _is_forked() -> None:
    """Forget the scheduler in a forked process, where none of the controlled threads exists."""
    engine.active = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_noticed_at_a_fork, after_in_child=_is_forked)
