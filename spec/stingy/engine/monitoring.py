"""Scheduling points by ``sys.monitoring``, for Python 3.12 and later.

It costs less than ``sys.settrace``, and leaves the trace function to debuggers and coverage tools.
"""

from __future__ import annotations

import atexit
import sys
from collections.abc import Callable, Mapping
from functools import cache
from types import CodeType
from typing import Any

from stingy.engine import scheduler as engine
from stingy.engine.access import Names, accesses
from stingy.engine.carrier import HAS_THREADS
from stingy.engine.codes import codes_in
from stingy.engine.places import Access
from stingy.engine.points import ROUNDS, come_to, note_returned
from stingy.engine.unseen import may_be_unseen, note_unseen


class Monitor:
    """Makes scheduling points in a candidate's code, by a ``sys.monitoring`` tool that all share.

    Code stays instrumented after a run. Its events have no effect until a run of the same files.
    """

    def __init__(self, files: frozenset[str]) -> None:
        self.files = files
        codes = list(codes_in(files))
        names = Names.of(codes)
        monitoring, tool = sys.monitoring, _tool()  # type: ignore[attr-defined, unused-ignore]
        for code in codes:
            _POINTS[id(code)] = code, accesses(code, names)
            monitoring.set_local_events(
                tool, code, monitoring.events.INSTRUCTION | monitoring.events.PY_RETURN
            )
        if HAS_THREADS:  # Pyodide does not always survive it
            monitoring.restart_events()  # what touched nothing of another candidate may touch this one

    def on(self) -> None: ...

    def off(self) -> None: ...

    def thin(self) -> None:
        _LONG_TURN.begins()

    def thicken(self) -> None:
        _LONG_TURN.ends()


class LongTurn:
    """Makes fewer scheduling points in a long turn: instructions that ran often make no more.

    No other thread has run for long, so further rounds of a loop would show nothing new. All
    instructions make points again when the thread comes to one that is new in this turn, or when
    another thread runs.
    """

    def __init__(self) -> None:
        self.lasts = False
        self._passed: dict[tuple[int, int], int] = {}
        self._thinned = False

    def begins(self) -> None:
        self.lasts = True

    def ends(self) -> None:
        self.lasts = False
        self._restore_points()

    def is_enough(self, code: CodeType, offset: int) -> bool:
        """Count one run of the instruction; return True if it ran more than ROUNDS times in this turn."""
        place = id(code), offset
        passed = self._passed[place] = self._passed.get(place, 0) + 1
        if passed == 1 and self._thinned:
            self._restore_points()
        self._thinned |= passed > ROUNDS
        return passed > ROUNDS

    def _restore_points(self) -> None:
        self._passed.clear()
        if self._thinned:
            self._thinned = False
            sys.monitoring.restart_events()  # type: ignore[attr-defined, unused-ignore]


_LONG_TURN = LongTurn()
_POINTS: dict[int, tuple[CodeType, Mapping[int, Access]]] = {}
"""By ``id`` of a code object: the code, and what its instructions touch, by their offsets."""


@cache
def _tool() -> int:
    monitoring = sys.monitoring  # type: ignore[attr-defined, unused-ignore]
    tool = next(number for number in (3, 4, 2, 1) if monitoring.get_tool(number) is None)
    monitoring.use_tool_id(tool, "stingy")

    def at_instruction(code: CodeType, offset: int) -> Any:
        known = _POINTS.get(id(code))
        access = known[1].get(offset) if known else None
        if access is None:
            return monitoring.DISABLE
        running = engine.active
        if running is None or running.tracer is None or code.co_filename not in running.tracer.files:
            return None
        come_to(access)
        return monitoring.DISABLE if _LONG_TURN.lasts and _LONG_TURN.is_enough(code, offset) else None

    def at_return(code: CodeType, offset: int, value: object) -> None:  # noqa: ARG001
        note_returned(sys._getframe(1), value)

    def at_start(code: CodeType, offset: int) -> Any:  # noqa: ARG001
        if id(code) in _POINTS or not may_be_unseen(frame := sys._getframe(1)):
            return monitoring.DISABLE
        if engine.active is not None and engine.active.tracer is not None:
            note_unseen(frame)
        return None

    events = monitoring.events
    callbacks: dict[int, Callable[..., Any]] = {
        events.INSTRUCTION: at_instruction,
        events.PY_RETURN: at_return,
    }
    if HAS_THREADS:  # under Pyodide this event makes CPython access memory out of bounds
        callbacks[events.PY_START] = at_start
        monitoring.set_events(tool, events.PY_START)
    for event, callback in callbacks.items():
        monitoring.register_callback(tool, event, callback)
        # Finalizers still run at the exit, when this module is empty.
        atexit.register(monitoring.register_callback, tool, event, None)
    return tool
