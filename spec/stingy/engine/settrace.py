"""Scheduling points by ``sys.settrace``, for Python 3.11, which has no ``sys.monitoring``."""

from __future__ import annotations

import dis
import sys
from collections.abc import Callable, Mapping
from types import CodeType, FrameType
from typing import Any

from stingy.engine import scheduler as engine
from stingy.engine.access import Names, accesses
from stingy.engine.codes import codes_in
from stingy.engine.frames import ENGINE, outwards
from stingy.engine.places import Access
from stingy.engine.points import ROUNDS, come_to, note_returned
from stingy.engine.unseen import may_be_unseen, note_unseen

Trace = Callable[[FrameType, str, Any], Any]
Usual = Callable[[FrameType, str, Any], Trace | None]


class Settrace:
    """Makes scheduling points in a candidate's code, by a trace function for each code object."""

    def __init__(self, files: frozenset[str]) -> None:
        self.files = files
        self._names = Names.of(codes_in(files))
        # By id, because hashing a code object hashes its bytes. The code object is kept, so that
        # no other one gets its id.
        self._traces: dict[int, tuple[CodeType, Trace | None, bool]] = {}
        self._points: dict[int, Mapping[int, Access]] = {}

    def on(self) -> None:
        for frame in outwards(sys._getframe(1)):
            if frame.f_code.co_filename in self.files:
                frame.f_trace = self._call(frame, "call", None)
        sys.settrace(self._call)  # last, or the lines above would be traced

    def off(self) -> None:
        sys.settrace(None)
        sys.setprofile(None)

    def trace_beside_lines(self, frame: FrameType) -> Trace | None:
        """Return the trace function for this frame, if it has scheduling points.

        The frame's lines are traced as well, for a debugger that calls this function.
        """
        trace = self._call(frame, "call", None)
        frame.f_trace_lines = True
        return trace

    def thin(self) -> None:
        """Make fewer scheduling points until the thread's turn is over, unless it is debugged."""
        is_ours = sys.gettrace() == self._call
        if engine.active is not None and is_ours:
            LongTurn(engine.active, self.files, self._points, self._call).begins()

    def thicken(self) -> None: ...

    def _call(self, frame: FrameType, event: str, arg: Any) -> Trace | None:  # noqa: ARG002
        code = frame.f_code
        known = self._traces.get(id(code))
        if known is None:
            ours = code.co_filename in self.files
            if ours:
                self._points[id(code)] = accesses(code, self._names)
            trace = _trace(self._points[id(code)]) if ours else None
            known = self._traces[id(code)] = code, trace, not ours and may_be_unseen(frame)
        _, trace, unseen = known
        if trace is not None:
            frame.f_trace_opcodes = True
            frame.f_trace_lines = False
        elif unseen:
            note_unseen(frame)
        return trace


def _trace(points: Mapping[int, Access]) -> Trace:
    """Return the trace function for code that has these scheduling points, by offset."""

    def trace(frame: FrameType, event: str, arg: Any) -> Trace:
        if event == "opcode":
            if (access := points.get(frame.f_lasti)) is not None:
                come_to(access, frame)
                return frame.f_trace or trace  # a long turn may have replaced it
        elif event == "return":
            note_returned(frame, arg)
        return trace

    return trace


class LongTurn:
    """Makes fewer scheduling points in a long turn: a loop makes them only in its first rounds.

    No other thread has run for long, so further rounds would show nothing new. Points are made
    again when the thread calls something that it has not called in the loop, when it uses a lock,
    or when the function with the loop returns.
    """

    def __init__(
        self,
        scheduler: engine.Scheduler,
        files: frozenset[str],
        points: Mapping[int, Mapping[int, Access]],
        usual: Usual,
    ) -> None:
        self._scheduler = scheduler
        self._files = files
        self._points = points
        self._usual = usual
        self._number = scheduler.lineup.turn
        self._passed: dict[tuple[int, int], int] = {}
        self._loop: FrameType | None = None
        self._codes: set[int] = set()
        """``id`` of the code objects whose points the turn has passed so far."""

    def begins(self) -> None:
        sys.settrace(self._call)
        frame: FrameType | None = sys._getframe()
        while frame is not None:
            if frame.f_trace is not None and id(frame.f_code) in self._points:
                frame.f_trace = self._trace
            frame = frame.f_back

    def _call(self, frame: FrameType, event: str, arg: Any) -> Trace | None:
        usual = self._usual(frame, event, arg)
        if self._scheduler.lineup.turn == self._number:
            return usual and self._trace
        sys.settrace(self._usual)
        return usual

    def _trace(self, frame: FrameType, event: str, arg: Any) -> Trace | None:
        points = self._points[id(frame.f_code)]
        if event != "opcode" or (access := points.get(frame.f_lasti)) is None:
            return self._trace
        come_to(access, frame)
        if self._scheduler.lineup.turn != self._number:
            return self._call(frame, "call", arg)
        place = id(frame.f_code), frame.f_lasti
        passed = self._passed[place] = self._passed.get(place, 0) + 1
        if passed > ROUNDS and frame.f_code.co_code[frame.f_lasti] == _FOR_ITER:
            self._loop, self._codes = frame, {code for code, _ in self._passed}
            sys.settrace(None)
            sys.setprofile(self._listen)
        return self._trace

    def _listen(self, frame: FrameType, event: str, arg: Any) -> None:
        """Make all scheduling points again once the thread does something outside its loop.

        It is a profile function, as ``sys.setprofile`` takes.
        """
        code, points = frame.f_code, self._points.get(id(frame.f_code), {})
        match event:
            case "call" if self._is_ours(code) and id(code) not in self._codes:
                self._goes_on()
                frame.f_trace = self._call(frame, event, arg)
            case "c_call" if frame.f_lasti in points and (id(code), frame.f_lasti) not in self._passed:
                self._goes_on()
            case "return" if frame is self._loop:
                self._goes_on()

    def _is_ours(self, code: CodeType) -> bool:
        return code.co_filename in self._files or code.co_filename.startswith(ENGINE)

    def _goes_on(self) -> None:
        self._passed.clear()
        self._loop = None
        sys.setprofile(None)
        sys.settrace(self._call)


_FOR_ITER = dis.opmap["FOR_ITER"]
