"""Detection of code without scheduling points that runs during a race.

No thread can be interrupted in such code, so orders that differ only there are never run.
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
"""Methods of these containers that touch nothing shared: they fill a new object or a default."""


def may_be_unseen(frame: FrameType) -> bool:
    """Return True if the frame's code may have no scheduling points, so each call is checked."""
    return frame.f_code.co_filename in _CONTAINERS or bool(_describe(frame))


def note_unseen(frame: FrameType) -> None:
    """Record the code that was just called, if it is the first found without scheduling points."""
    scheduler = engine.active
    if scheduler is not None and not scheduler.record.unseen:
        scheduler.record.unseen = _describe(frame)


def _describe(frame: FrameType) -> str:
    """Return name and file of code just called that needs scheduling points; else "".

    The suite, and methods that a decorator has generated, need no scheduling points. Neither does
    the standard library, which is as thread-safe as documented, except for its containers that are
    written in Python, if a candidate calls them.
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
    """Return True if dataclass, namedtuple or attrs generated the frame's code.

    Such code touches only the object that it belongs to.
    """
    return (
        frame.f_code.co_qualname.startswith("__create_fn__")
        or str(frame.f_globals.get("__name__")).startswith("namedtuple_")
        or frame.f_code.co_filename.startswith("<attrs generated")
    )
