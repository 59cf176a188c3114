"""What the machine has run out of while a candidate was judged: threads, or memory. That is no fault of the candidate's.

Only when it happens can it be told from a candidate that asks for too much, or raises the like for reasons of its own.
"""

from __future__ import annotations

import _thread
import mmap
import sys

PLENTY = 1 << 30
"""Bytes: where so many more can be had, memory is not scarce."""

_start_new_thread = _thread.start_new_thread

_lacking: list[str] = []


def begins() -> None:
    """Nothing has been lacking so far."""
    _lacking.clear()


def lacking() -> str:
    """What has been lacking since, in a sentence; nothing if there was enough of all."""
    return _lacking[-1] if _lacking else ""


def no_thread() -> None:
    """A thread could not be started."""
    _note(
        f"the machine starts no more threads for it than the {len(sys._current_frames()):,} it has: "
        "raise what it may have, by ulimit -u and -v, or the pids of its container"
    )


def look_at(error: BaseException) -> None:
    """Somebody has raised this: see whether it is for want of something."""
    if isinstance(error, RuntimeError) and "can't start new thread" in str(error) and not _has_a_thread():
        no_thread()
    if isinstance(error, MemoryError) and not _has_plenty():
        _note(
            "the machine has no more memory for it: raise what it may have, by ulimit -v, or that of its container"
        )


def _note(what: str) -> None:
    _lacking[:] = [what]


def _has_a_thread() -> bool:
    try:
        _start_new_thread(int, ())
    except RuntimeError:
        return False
    return True


def _has_plenty() -> bool:
    try:
        mmap.mmap(-1, PLENTY).close()
    except (OSError, MemoryError):
        return False
    return True
