"""Scheduling points inside the candidate's own code, wherever it touches what others could touch too.

``sys.settrace`` on Python 3.11; from 3.12 on ``sys.monitoring``, which costs less and leaves the trace
function to debuggers and coverage.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any, Protocol

from stingy.engine import scheduler as engine
from stingy.engine.access import Access, Names, accesses, codes_within
from stingy.engine.scheduler import controlled
from stingy.engine.task import get_ident

Trace = Callable[[FrameType, str, Any], Any]


class Tracer(Protocol):
    """Makes scheduling points in the files of one candidate."""

    files: frozenset[str]

    def on(self) -> None:
        """For the thread that calls."""

    def off(self) -> None: ...


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

    def on(self) -> None:
        sys.settrace(self._call)

    def off(self) -> None:
        sys.settrace(None)

    def _call(self, frame: FrameType, event: str, arg: Any) -> Trace | None:  # noqa: ARG002
        code = frame.f_code
        known = self._traces.get(id(code))
        if known is None:
            ours = code.co_filename in self.files
            known = self._traces[id(code)] = code, _trace(accesses(code, self._names)) if ours else None
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
        return trace

    return trace


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
        controlled()  # a thread that has been given up ends here
        return
    # Most points are passed over: this is the most frequent thing of all.
    scheduler.points += 1
    if scheduler.points >= scheduler.stop:
        scheduler.at_point(task, access)


def _codes(files: frozenset[str]) -> Iterator[CodeType]:
    """All code that stands in these files, as far as it has been made into functions."""
    seen: set[int] = set()
    for function in gc.get_objects():
        if isinstance(function, FunctionType) and function.__code__.co_filename in files:
            for code in codes_within(function.__code__):
                if id(code) not in seen:
                    seen.add(id(code))
                    yield code


@cache
def files_of(kind: type) -> frozenset[str]:
    """The files that a candidate's own code stands in.

    Those of its class and the classes that it is made of, and what these take from their own packages;
    nothing of the standard library.
    """
    modules = {base.__module__ for base in kind.__mro__}
    waiting = [sys.modules[name] for name in modules if _is_ours(name) and name in sys.modules]
    packages = {module.__name__.partition(".")[0] for module in waiting}
    while waiting:
        for name in _taken_from(waiting.pop()):
            if name not in modules and name in sys.modules and name.partition(".")[0] in packages:
                modules.add(name)
                waiting.append(sys.modules[name])
    files = (getattr(sys.modules.get(name), "__file__", None) for name in modules if _is_ours(name))
    return frozenset(file for file in files if file)


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] not in sys.stdlib_module_names


def _taken_from(module: ModuleType) -> set[str]:
    """The modules whose things this one uses."""
    return {
        thing.__name__ if isinstance(thing, ModuleType) else str(getattr(thing, "__module__", ""))
        for name, thing in list(vars(module).items())
        if not _is_put_there(name, thing, module)
    }


def _is_put_there(name: str, thing: object, package: ModuleType) -> bool:
    """Whether Python has put a module into its package, for somebody else has imported it, and not the package."""
    if not isinstance(thing, ModuleType) or thing.__name__ != f"{package.__name__}.{name}":
        return False
    loader: Any = getattr(package.__spec__, "loader", None)
    code = loader.get_code(package.__name__) if hasattr(loader, "get_code") else None
    return code is not None and _names(code).isdisjoint((name, thing.__name__))


def _names(code: CodeType) -> set[str]:
    """All that this code speaks of."""
    inner = (const for const in code.co_consts if isinstance(const, CodeType))
    return {*code.co_names, *code.co_varnames}.union(*map(_names, inner))
