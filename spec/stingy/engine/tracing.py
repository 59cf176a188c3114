"""Scheduling points inside the candidate's own code: before each operation that can touch shared state.

Between two calls of a lock a thread may read a dict, and another may write it. So in the candidate's own
files every opcode that loads, stores, calls or iterates is a point at which another thread may go first.
"""

from __future__ import annotations

import dis
import sys
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any

from stingy.engine.scheduler import controlled

_TOUCH = (
    *("LOAD_ATTR", "LOAD_METHOD", "STORE_ATTR", "DELETE_ATTR", "STORE_GLOBAL", "LOAD_DEREF", "STORE_DEREF"),
    *("BINARY_SUBSCR", "STORE_SUBSCR", "DELETE_SUBSCR", "CONTAINS_OP", "FOR_ITER", "GET_ITER"),
    *("BINARY_OP", "BINARY_SLICE", "STORE_SLICE", "CALL"),
)
_INTRINSIC = "CALL_INTRINSIC"

Trace = Callable[[FrameType, str, Any], Any]


class Tracer:
    """Traces the files of one candidate."""

    def __init__(self, files: frozenset[str]) -> None:
        self._files = files
        self._traces: dict[CodeType, Trace | None] = {}

    def on(self) -> None:
        """Trace the thread that calls."""
        sys.settrace(self._call)

    @staticmethod
    def off() -> None:
        sys.settrace(None)

    def _call(self, frame: FrameType, event: str, arg: Any) -> Trace | None:  # noqa: ARG002
        code = frame.f_code
        if code not in self._traces:
            self._traces[code] = _points(code) if code.co_filename in self._files else None
        trace = self._traces[code]
        if trace is not None:
            frame.f_trace_opcodes = True
            frame.f_trace_lines = False
        return trace


def _points(code: CodeType) -> Trace:
    """What is called at every opcode of this code."""
    touches = {
        instruction.offset
        for instruction in dis.get_instructions(code)
        if instruction.opname.startswith(_TOUCH) and not instruction.opname.startswith(_INTRINSIC)
    }

    def trace(frame: FrameType, event: str, arg: Any) -> Trace:  # noqa: ARG001
        if event == "opcode" and frame.f_lasti in touches:
            inside = controlled()
            if inside is not None:
                scheduler, task = inside
                scheduler.point(task)
        return trace

    return trace
