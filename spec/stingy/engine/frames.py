"""Stack frames of a thread, from the inside out, and their local variables."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import FrameType
from typing import Any

from stingy.engine.cpython import LOCALS_ARE_WRITTEN_BACK

SUITE = str(Path(__file__).parent.parent) + os.sep
"""The folder of the suite's own code, with a separator at its end."""

ENGINE = str(Path(__file__).parent) + os.sep
"""The folder of the engine's own code, with a separator at its end."""


def outwards(frame: FrameType | None) -> Iterator[FrameType]:
    """Yield the frame and its callers, innermost first."""
    while frame is not None:
        yield frame
        frame = frame.f_back


def find_raiser(error: BaseException) -> FrameType | None:
    """Return the frame whose code raised an error; None if it was not raised."""
    raised = error.__traceback__
    while raised is not None and raised.tb_next is not None:
        raised = raised.tb_next
    return raised.tb_frame if raised else None


def outside_engine() -> FrameType | None:
    """Return the innermost frame of the calling thread that is not in the engine's code, or None."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(ENGINE):
        frame = frame.f_back
    return frame


def look_at_locals(frame: FrameType) -> Mapping[str, Any]:
    """Return the current local variables of a frame by name, without side effects.

    Where locals are written back after a trace function, that would undo what other threads have
    assigned meanwhile to variables that they share with the frame. So the values are written back at
    once if it shares any.
    """
    found, code = frame.f_locals, frame.f_code
    if LOCALS_ARE_WRITTEN_BACK and (code.co_cellvars or code.co_freevars):
        _put_back(frame, 0)
    return found


if LOCALS_ARE_WRITTEN_BACK:
    _put_back = ctypes.pythonapi.PyFrame_LocalsToFast
    _put_back.argtypes, _put_back.restype = (ctypes.py_object, ctypes.c_int), None
