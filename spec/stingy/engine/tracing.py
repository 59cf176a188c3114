"""Scheduling points inside the candidate's own code, wherever it touches what others could touch too.

``sys.settrace`` on Python 3.11; from 3.12 on ``sys.monitoring``, which costs less and leaves the trace
function to debuggers and coverage.
"""

from __future__ import annotations

import dis
import gc
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any, Protocol

from stingy.engine import scheduler as engine
from stingy.engine.access import Access, Names, accesses, codes_within
from stingy.engine.scheduler import find_caller
from stingy.engine.task import get_ident
from stingy.engine.using import with_what_they_use

Trace = Callable[[FrameType, str, Any], Any]
Usual = Callable[[FrameType, str, Any], Trace | None]


class Tracer(Protocol):
    """Makes scheduling points in the files of one candidate."""

    files: frozenset[str]

    def on(self) -> None:
        """For the thread that calls."""

    def off(self) -> None: ...

    def thin(self) -> None:
        """The turn of the thread that calls is long: make no more points in its loops, where that can be done."""


@cache
def tracer(files: frozenset[str]) -> Tracer:
    """What makes scheduling points in all functions that stand in these files."""
    return Monitor(files) if sys.version_info >= (3, 12) else Settrace(files)


class Settrace:
    def __init__(self, files: frozenset[str]) -> None:
        self.files = files
        self._names = Names.of(_codes(files))
        # By identity, for to hash a code is to hash its bytes; the code is kept, so that it stays the only one.
        self._traces: dict[int, tuple[CodeType, Trace | None]] = {}
        self._points: dict[int, Mapping[int, Access]] = {}

    def on(self) -> None:
        sys.settrace(self._call)

    def off(self) -> None:
        sys.settrace(None)
        sys.setprofile(None)

    def thin(self) -> None:
        if engine.active is not None and sys.gettrace() is not None:
            LongTurn(engine.active, self.files, self._points, self._call).begins()

    def _call(self, frame: FrameType, event: str, arg: Any) -> Trace | None:  # noqa: ARG002
        code = frame.f_code
        known = self._traces.get(id(code))
        if known is None:
            ours = code.co_filename in self.files
            if ours:
                self._points[id(code)] = accesses(code, self._names)
            known = self._traces[id(code)] = code, _trace(self._points[id(code)]) if ours else None
        trace = known[1]
        if trace is not None:
            frame.f_trace_opcodes = True
            frame.f_trace_lines = False
        return trace


def _trace(points: Mapping[int, Access]) -> Trace:
    """What is called at every opcode of a code."""

    def trace(frame: FrameType, event: str, arg: Any) -> Trace:  # noqa: ARG001
        if event == "opcode" and (access := points.get(frame.f_lasti)) is not None:
            _point(access)
            return frame.f_trace or trace  # it may be another one by now
        return trace

    return trace


class LongTurn:
    """A long turn of a thread: a loop over what is there already makes points for its first rounds only.

    Nobody has come between for so long, and nobody will learn more from a later round. It makes points again with the first
    call that was not made in the loop, with a lock, or when its function returns.
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
        self._number = scheduler.turn
        self._passed: dict[tuple[int, int], int] = {}
        self._loop: FrameType | None = None
        self._codes: set[int] = set()
        """What has been passed while it went round."""

    def begins(self) -> None:
        sys.settrace(self._call)
        frame: FrameType | None = sys._getframe()
        while frame is not None:
            if frame.f_trace is not None and id(frame.f_code) in self._points:
                frame.f_trace = self._trace
            frame = frame.f_back

    def _call(self, frame: FrameType, event: str, arg: Any) -> Trace | None:
        usual = self._usual(frame, event, arg)
        if self._scheduler.turn == self._number:
            return usual and self._trace
        sys.settrace(self._usual)
        return usual

    def _trace(self, frame: FrameType, event: str, arg: Any) -> Trace | None:
        points = self._points[id(frame.f_code)]
        if event != "opcode" or (access := points.get(frame.f_lasti)) is None:
            return self._trace
        _point(access)
        if self._scheduler.turn != self._number:
            return self._call(frame, "call", arg)
        place = id(frame.f_code), frame.f_lasti
        passed = self._passed[place] = self._passed.get(place, 0) + 1
        if passed > ROUNDS and frame.f_code.co_code[frame.f_lasti] == _FOR_ITER:
            self._loop, self._codes = frame, {code for code, _ in self._passed}
            sys.settrace(None)
            sys.setprofile(self._listen)
        return self._trace

    def _listen(self, frame: FrameType, event: str, arg: Any) -> None:
        """Make points again with what is none of the loop's."""
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
        return code.co_filename in self._files or code.co_filename.startswith(_HERE)

    def _goes_on(self) -> None:
        self._passed.clear()
        self._loop = None
        sys.setprofile(None)
        sys.settrace(self._call)


ROUNDS = 30
"""So many times a long turn comes by the head of a loop, until no more is made of it."""
_FOR_ITER = dis.opmap["FOR_ITER"]
_HERE = str(Path(__file__).parent) + os.sep


class Monitor:
    """One tool for all candidates: what is instrumented stays so, and is nobody's business outside a run."""

    def __init__(self, files: frozenset[str]) -> None:
        self.files = files
        codes = list(_codes(files))
        names = Names.of(codes)
        monitoring, tool = sys.monitoring, _tool()  # type: ignore[attr-defined, unused-ignore]
        for code in codes:
            _POINTS[id(code)] = code, accesses(code, names)
            monitoring.set_local_events(tool, code, monitoring.events.INSTRUCTION)

    def on(self) -> None: ...

    def off(self) -> None: ...

    def thin(self) -> None: ...


_POINTS: dict[int, tuple[CodeType, Mapping[int, Access]]] = {}


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
        if running is not None and running.traced:
            _point(access)
        return None

    monitoring.register_callback(tool, monitoring.events.INSTRUCTION, at_instruction)
    return tool


def _point(access: Access) -> None:
    scheduler = engine.active
    if scheduler is None or (task := scheduler.current) is None or task.ident != get_ident():
        find_caller()  # a thread that has been given up ends here
        return
    # Most points are passed over: this is the most frequent thing of all.
    scheduler.points += 1
    if scheduler.points >= scheduler.stop:
        scheduler.at_point(task, access)


def _codes(files: frozenset[str]) -> Iterator[CodeType]:
    """All code that stands in these files, as far as it has been made into functions."""
    seen: set[int] = set()
    for function in gc.get_objects():
        if type(function) is FunctionType and function.__code__.co_filename in files:
            for code in codes_within(function.__code__):
                if id(code) not in seen:
                    seen.add(id(code))
                    yield code


def files_of(kind: type) -> frozenset[str]:
    """The files that a candidate's own code stands in.

    Those of its class and the classes that it is made of, and what these take from their own packages;
    nothing of the standard library.
    """
    names = {base.__module__ for base in kind.__mro__}
    return _files_of(frozenset((name, _file(name)) for name in names))


@cache
def _files_of(places: frozenset[tuple[str, str]]) -> frozenset[str]:
    """Of modules, by their names and where each stands: it may be executed anew, and what it makes is new then."""
    ours = {name for name, _ in places if _is_ours(name)}
    packages = {name.partition(".")[0] for name in ours}
    files = map(_file, with_what_they_use(ours, packages))
    return frozenset(file for file in files if file)


def _file(module: str) -> str:
    return getattr(sys.modules.get(module), "__file__", None) or ""


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] not in sys.stdlib_module_names
