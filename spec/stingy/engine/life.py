"""What a thread under control is to the code that runs in it: a Thread like any other, with thread-locals of its own."""

from __future__ import annotations

import _thread
import threading
from threading import Thread
from typing import Any

HANDLE = next((name for name in ("_os_thread_handle", "_handle") if hasattr(Thread(), name)), "")
"""Where a Thread keeps the thread of the system that runs it; nowhere before Python 3.13."""

_BLANK = dict(vars(Thread(daemon=False)))


class Life:
    """What a Thread is while its code runs in a thread under control: started, alive, and the current one there."""

    def __init__(self, thread: Thread, name: str, ident: int, native_id: int) -> None:
        """``name`` is what the suite calls it."""
        self.is_over = False
        self.name = name
        self._thread = thread
        about: Any = thread
        about._ident, about._native_id = ident, native_id
        about._started._flag = True
        if HANDLE:
            setattr(thread, HANDLE, _thread._make_thread_handle(ident))  # type: ignore[attr-defined]
        thread.__dict__["stingy_life"] = self
        threading._active[ident] = thread  # type: ignore[attr-defined]

    def end(self) -> None:
        """From now on it is like a Thread that has ended, to whoever joins it when all is over, as pools do."""
        if self.is_over:
            return
        self.is_over = True
        threading._active.pop(self._thread.ident, None)  # type: ignore[attr-defined]
        if HANDLE:
            getattr(self._thread, HANDLE)._set_done()
        else:
            self._thread._is_stopped = True  # type: ignore[attr-defined]


def life_of(thread: Thread) -> Life | None:
    """None for a Thread that was never started under control."""
    life: Life | None = thread.__dict__.get("stingy_life")
    return life


def plain_thread(name: str) -> Thread:
    """A Thread of this name, for a thread that no code of the candidate has started. To make one in the usual way takes longer."""
    thread = Thread.__new__(Thread)
    thread.__dict__.update(_BLANK, _name=name)
    return thread
