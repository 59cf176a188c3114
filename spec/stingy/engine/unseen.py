"""Code that runs while lanes race, and in which no scheduling points are made: orders that only it tells apart are not run."""

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
"""Of the standard library: what is written in Python, keeps things, and has no lock."""
_TOUCHES_NOTHING_SHARED = {"__init__", "__missing__"}
"""Of these containers: the object is new, or only asked for a default."""


def may_be_unseen(frame: FrameType) -> bool:
    """Return whether the code that has just been called is to be looked at each time."""
    return frame.f_code.co_filename in _CONTAINERS or bool(_describe(frame))


def note_unseen(frame: FrameType) -> None:
    """The code has just been called, and no points are made in it."""
    scheduler = engine.active
    if scheduler is not None and not scheduler.unseen:
        scheduler.unseen = _describe(frame)


def _describe(frame: FrameType) -> str:
    """Return where the code that has just been called stands; nothing if it is of no account.

    Of no account are the suite, what a decorator of the standard library has written,
    and the standard library, as it keeps its promises to threads: except for its containers, if a candidate calls them.
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
    """Return whether dataclass, namedtuple or attrs have written it: it only touches the object that it is called on."""
    return (
        frame.f_code.co_qualname.startswith("__create_fn__")
        or str(frame.f_globals.get("__name__")).startswith("namedtuple_")
        or frame.f_code.co_filename.startswith("<attrs generated")
    )
