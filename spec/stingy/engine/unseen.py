"""Detection of code without scheduling points that runs during a race.

No thread can be interrupted in it, so orders that differ only there are never run.
"""

from __future__ import annotations

import os
import sysconfig
from pathlib import PurePath
from types import FrameType

from stingy.engine import scheduler as engine
from stingy.engine.frames import SUITE

_STANDARD = tuple(sysconfig.get_path(kind) + os.sep for kind in ("stdlib", "platstdlib"))
_PACKAGES = tuple(sysconfig.get_path(kind) + os.sep for kind in ("purelib", "platlib"))
_CONTAINERS = {
    "<frozen _collections_abc>",
    *(
        str(PurePath(folder, file))
        for folder in _STANDARD
        for file in (
            "_collections_abc.py",
            "collections/__init__.py",
            "weakref.py",
            "_weakrefset.py",
            "sched.py",
        )
    ),
}
"""Files of the standard library with containers that are written in Python and have no lock."""
_TOUCHES_NOTHING_SHARED = {"__init__", "__missing__"}
"""Methods of these containers that touch nothing shared: the object is new or gives a default."""


def may_be_unseen(frame: FrameType) -> bool:
    """Return whether calls of this code may go unseen, so that each one has to be checked."""
    return frame.f_code.co_filename in _CONTAINERS or bool(_describe(frame))


def note_unseen(frame: FrameType) -> None:
    """Record that code without scheduling points has just been called."""
    scheduler = engine.active
    if scheduler is not None and not scheduler.unseen:
        scheduler.unseen = _describe(frame)


def _describe(frame: FrameType) -> str:
    """Return the name and the file of code that has just been called; "" if it does not matter.

    The suite and what a decorator has generated do not matter. Neither does the standard library,
    which keeps its promises to threads, except for containers that a candidate calls.
    """
    code = frame.f_code
    file = code.co_filename
    if file.startswith(SUITE) or _is_written_by_a_decorator(frame):
        return ""
    if file in _CONTAINERS:
        caller = frame.f_back
        by = caller.f_code.co_filename if caller is not None else SUITE
        if code.co_name in _TOUCHES_NOTHING_SHARED or by.startswith(SUITE) or _is_standard(by):
            return ""
    elif _is_standard(file):
        return ""
    name = code.co_qualname.replace(".<locals>", "")
    return f"{name} of {'/'.join(PurePath(file).parts[-2:])}"


def _is_standard(file: str) -> bool:
    if file.startswith("<frozen "):
        return True
    return file.startswith(_STANDARD) and not file.startswith(_PACKAGES)


def _is_written_by_a_decorator(frame: FrameType) -> bool:
    """Return whether dataclass, namedtuple or attrs generated it: it touches only its object."""
    return (
        frame.f_code.co_qualname.startswith("__create_fn__")
        or str(frame.f_globals.get("__name__")).startswith("namedtuple_")
        or frame.f_code.co_filename.startswith("<attrs generated")
    )
