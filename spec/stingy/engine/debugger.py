"""pdb in a controlled thread, which still makes its scheduling points while it is debugged."""

from __future__ import annotations

import _thread
import bdb
import os
import pdb  # noqa: T100 - it is a debugger
import sys
import sysconfig
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any

from stingy.engine import scheduler as engine
from stingy.engine.carrier import get_ident
from stingy.engine.frames import SUITE
from stingy.engine.settrace import Settrace, Trace
from stingy.engine.task import Task

_STANDARD = tuple(sysconfig.get_path(kind) + os.sep for kind in ("stdlib", "platstdlib"))
_PACKAGES = tuple(sysconfig.get_path(kind) + os.sep for kind in ("purelib", "platlib"))


Stack = list[tuple[FrameType, int]]

SKIPPED = ("stingy.*",)
"""Modules in which no debugger stops."""


class Stepper(bdb.Bdb):
    """Debugger of the calling thread, which lets go of it when its call of the candidate is over.

    Before Python 3.12, it shares the trace function of a thread with the scheduling points. Without
    these, the thread could not be preempted while it is debugged, which would change the order.
    """

    def set_trace(self, frame: FrameType | None = None, **more: Any) -> None:
        """Stop at the next line of this frame."""
        super().set_trace(frame or sys._getframe(1), **more)
        while frame is not None:
            frame.f_trace_lines = True
            frame = frame.f_back

    def trace_dispatch(self, frame: FrameType, event: str, arg: Any) -> Any:
        trace = _find_trace(frame)
        if trace is not None and event in ("opcode", "return"):
            trace(frame, event, arg)
        if event == "opcode" and not hasattr(self, "dispatch_opcode"):
            return self.trace_dispatch
        kept = super().trace_dispatch(frame, event, arg)
        if sys.gettrace() != self.trace_dispatch:
            return frame.f_trace  # the user has let the thread continue
        return self.trace_dispatch if trace is not None else kept

    def user_return(self, frame: FrameType, return_value: Any) -> None:
        super().user_return(frame, return_value)
        if frame.f_back is None or frame.f_back.f_code.co_filename.startswith(SUITE):
            self.set_continue()  # the call is over: only code of the suite is left to step through

    def set_continue(self) -> None:
        super().set_continue()
        task = _find_task()
        if not self.breaks and task is not None and task.tracer is not None:
            task.tracer.on()


class Debugger(Stepper, pdb.Pdb):
    """pdb that stops only outside the suite, and whose ``q`` interrupts the run."""

    def __init__(self) -> None:
        super().__init__(skip=SKIPPED, nosigint=True)
        self.stdout = sys.__stdout__ or self.stdout  # what is written to sys.stdout may be recorded
        # Without a terminal, input() would write the prompt to sys.stdout, as if the candidate printed it.
        self.use_rawinput = sys.stdin is not None and sys.stdin.isatty()

    def get_stack(self, f: FrameType | None, t: TracebackType | None) -> tuple[Stack, int]:
        """Return the frames that ``where`` shows, and the index of the current one.

        They begin with the candidate's first one after the suite has called it. Frames of the suite,
        and of the standard library in between, are left out.
        """
        stack, at = super().get_stack(f, t)
        files = [frame.f_code.co_filename for frame, _ in stack]
        called = max((n for n in range(at) if files[n].startswith(SUITE)), default=-1) + 1
        first = next((n for n in range(called, at) if is_a_candidates(files[n])), at)
        return stack[first:], at - first

    def do_quit(self, arg: str) -> bool:  # noqa: ARG002
        """Continue, and interrupt the run as Ctrl-C does."""
        self.set_continue()
        _thread.interrupt_main()
        return True

    do_q = do_exit = do_quit

    def do_EOF(self, arg: str) -> bool:  # noqa: N802 - the name that cmd.Cmd looks up
        self.message("")
        return self.do_quit(arg)


def stop_at_next_call(enter: Callable[[], Stepper]) -> None:
    """Stop as the calling thread next calls a function outside the suite and the standard library.

    ``enter`` returns the debugger. It is called just before the debugger stops.
    """

    def trace(frame: FrameType, event: str, _: object) -> Any:
        if event != "call" or not is_a_candidates(frame.f_code.co_filename):
            return None
        sys.settrace(None)
        debugger = enter()
        debugger.set_trace(frame)
        return debugger.trace_dispatch

    sys.settrace(trace)


def is_a_candidates(file: str) -> bool:
    """Return True if code from this file belongs neither to the suite nor to the standard library."""
    if file.startswith((SUITE, "<frozen ")):
        return False
    return file.startswith(_PACKAGES) or not file.startswith(_STANDARD)


def stop_here(*_: Any, **__: Any) -> None:
    """Stop in the function that calls ``breakpoint()``; a ``sys.breakpointhook``."""
    Debugger().set_trace(sys._getframe(1))


def _find_task() -> Task | None:
    running = engine.active
    task = running.current if running is not None else None
    return task if task is not None and task.ident == get_ident() else None


def _find_trace(frame: FrameType) -> Trace | None:
    """Return the function that makes scheduling points in this frame; None if no trace function does."""
    task = _find_task()
    tracer = task.tracer if task is not None else None
    return tracer.trace_beside_lines(frame) if isinstance(tracer, Settrace) else None
