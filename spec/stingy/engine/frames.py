"""Where a thread is in the code, from the inside out, and what is known there by name."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import FrameType
from typing import Any

SUITE = str(Path(__file__).parent.parent) + os.sep
"""The folder that the suite's own code stands in."""


def outwards(frame: FrameType | None) -> Iterator[FrameType]:
    """The frame, and those that it was called from."""
    while frame is not None:
        yield frame
        frame = frame.f_back


def look_at_locals(frame: FrameType) -> Mapping[str, Any]:
    """The variables of a function by name, as they are now. To look changes nothing.

    Before Python 3.12, what a trace function has looked at is put back when it returns, over what others have assigned meanwhile to
    a variable that they share with this function. So it is put back at once.
    """
    found = frame.f_locals
    if _PUTS_BACK:
        _put_back(frame, 0)
    return found


_PUTS_BACK = sys.version_info < (3, 12)
if _PUTS_BACK:
    _put_back = ctypes.pythonapi.PyFrame_LocalsToFast
    _put_back.argtypes, _put_back.restype = (ctypes.py_object, ctypes.c_int), None
