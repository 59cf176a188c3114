"""The ``threading.Thread`` object that code in a controlled thread sees as its own."""

from __future__ import annotations

import _thread
import threading
from threading import Thread
from typing import Any

HANDLE = next((name for name in ("_os_thread_handle", "_handle") if hasattr(Thread(), name)), "")
"""The attribute in which a Thread keeps the handle of its system thread; "" before Python 3.13."""

_BLANK = dict(vars(Thread(daemon=False)))


class Life:
    """Makes a Thread object look started, alive and current while a controlled thread runs its code."""

    def __init__(self, thread: Thread, name: str, ident: int, native_id: int) -> None:
        """Make the Thread object look started and alive.

        ``name`` is the suite's name for the thread, used in schedules and printed failures.
        """
        self.name = name
        self._thread: Thread | None = thread
        about: Any = thread
        about._ident, about._native_id = ident, native_id
        about._started._flag = True
        if HANDLE:
            setattr(thread, HANDLE, _thread._make_thread_handle(ident))  # type: ignore[attr-defined]
        thread.__dict__["stingy_life"] = self
        threading._active[ident] = thread  # type: ignore[attr-defined]

    @property
    def is_over(self) -> bool:
        return self._thread is None

    def end(self) -> None:
        """Make the Thread object look ended.

        Code may join it after the session, as thread pools do.
        """
        thread, self._thread = self._thread, None  # so that the two do not keep each other alive
        if thread is None:
            return
        threading._active.pop(thread.ident, None)  # type: ignore[attr-defined]
        if HANDLE:
            getattr(thread, HANDLE)._set_done()
        else:
            thread._is_stopped = True  # type: ignore[attr-defined]


def life_of(thread: Thread) -> Life | None:
    """Return the Life of a Thread object, which makes it look alive; None if it has none."""
    life: Life | None = thread.__dict__.get("stingy_life")
    return life


def plain_thread(name: str) -> Thread:
    """Return a Thread object for a controlled thread that the candidate did not start.

    Its attributes are copied from a template, which is faster than the constructor.
    """
    thread = Thread.__new__(Thread)
    thread.__dict__.update(_BLANK, _name=name)
    return thread
