"""Where a thread is in the code, from the inside out."""

from __future__ import annotations

from collections.abc import Iterator
from types import FrameType


def outwards(frame: FrameType | None) -> Iterator[FrameType]:
    """The frame, and those that it was called from."""
    while frame is not None:
        yield frame
        frame = frame.f_back
