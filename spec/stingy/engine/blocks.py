"""Exits of ``with`` blocks: the line of a ``with`` statement runs twice, on entry and on exit."""

from __future__ import annotations

import dis
from itertools import pairwise
from types import FrameType


def leaves_a_block(frame: FrameType) -> bool:
    """Return True if the frame is about to leave the ``with`` block that begins on its line.

    False for ``async with``, which may wait on its line several times.
    """
    entered = -1
    for step, following in pairwise(dis.get_instructions(frame.f_code)):
        if step.positions is not None and step.positions.lineno == frame.f_lineno:
            if step.opname == "BEFORE_WITH":
                entered = step.offset
            elif step.opname == "LOAD_SPECIAL" and "__enter__" in step.argrepr:  # from 3.14 on
                entered = following.offset
    return 0 <= entered < frame.f_lasti
