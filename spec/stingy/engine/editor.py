"""Debugger in an editor: debugpy talks to the editor, and bdb steps in a controlled thread.

debugpy has steps of its own, but they replace the trace function that makes scheduling points before
Python 3.12, and they run in threads that are under control. So its tracing is off. What is used of
it is the conversation with the editor while a thread is stopped.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import FrameType
from typing import Any

from stingy.engine import scheduler as engine
from stingy.engine.debugger import SKIPPED, Stepper, is_a_candidates

HOST = "127.0.0.1"

_TRACING = (
    "enable_tracing",
    "disable_tracing",
    "set_tracing_for_untraced_contexts",
    "set_trace_for_frame_and_parents",
    "patch_threads",
)
"""Methods of debugpy's ``PyDB`` that trace threads."""

# Numbers of commands in debugpy's protocol.
_BREAKPOINT = 111
_INTO = {107, 128, 144, 206}
_OVER = {108, 159}
_RETURN = {109, 160}


class Editor(Stepper):
    """Debugger of the calling thread that an attached editor commands.

    It stops only in code of the candidate. The editor's breakpoints stop it as well, but not other
    threads.
    """

    def __init__(self, server: Server) -> None:
        super().__init__(skip=SKIPPED)
        self._server = server
        self._reason = _BREAKPOINT

    def canonic(self, filename: str) -> str:
        return self._server.canonic(filename)

    def stop_here(self, frame: FrameType) -> bool:
        return is_a_candidates(frame.f_code.co_filename) and super().stop_here(frame)

    def break_here(self, frame: FrameType) -> bool:
        found = self._server.breaks_at(frame)
        if found:
            self._reason = _BREAKPOINT
        return found

    def user_line(self, frame: FrameType) -> None:
        self._reason = self._server.ask(frame, self._reason)
        self.breaks = self._server.breakpoints
        if self._reason in _INTO:
            self.set_step()
        elif self._reason in _OVER:
            self.set_next(frame)
        elif self._reason in _RETURN:
            self.set_return(frame)
        else:
            self.set_continue()


class Server:
    """The part of debugpy that an editor attaches to; there is one in a process."""

    def __init__(self, port: int) -> None:
        """Listen for an editor on this port, or on any free one if it is 0.

        ImportError if debugpy is not installed, RuntimeError if the port is not free.
        """
        os.environ.setdefault("PYDEVD_DISABLE_FILE_VALIDATION", "1")  # it warns of frozen modules
        self._debugpy = import_module("debugpy")
        import_module("debugpy.server")  # makes pydevd importable
        pydevd = import_module("pydevd")
        for name in _TRACING:
            setattr(pydevd.PyDB, name, lambda *_, **__: None)
        host, port = self._debugpy.listen((HOST, port))
        import_module("pydevd_tracing").restore_sys_set_trace_func()
        self.address = f"{host}:{port}"
        self._db = pydevd.get_global_debugger()
        self._canonical = import_module("pydevd_file_utils").canonical_normalized_path

    def wait(self) -> None:
        """Wait until an editor is attached."""
        self._debugpy.wait_for_client()

    def ask(self, frame: FrameType, reason: int) -> int:
        """Stop the calling thread in this frame until the editor lets it run; return its command.

        ``reason`` is the number of the command that led here. Return at once if the editor has gone.
        """
        thread = threading.current_thread()
        with uncontrolled():
            info = self._db.set_additional_thread_info(thread)
            if not self._db.is_attached():
                return 0
            self._db.set_suspend(thread, reason)
            self._db.do_wait_suspend(thread, frame, "line", None)
            command: int = info.pydev_step_cmd
            info.pydev_step_cmd = info.pydev_original_step_cmd = -1
            return command

    @property
    def breakpoints(self) -> dict[str, Any]:
        """The editor's breakpoints, by the canonical name of a file and the line."""
        found: dict[str, Any] = self._db.breakpoints
        return found

    def breaks_at(self, frame: FrameType) -> bool:
        """Return True if the editor has a breakpoint at the frame's line, whose condition is met."""
        point = self.breakpoints.get(self.canonic(frame.f_code.co_filename), {}).get(frame.f_lineno)
        if point is None or point.is_logpoint:
            return False
        with uncontrolled():
            info = self._db.set_additional_thread_info(threading.current_thread())
            return not point.has_condition or bool(self._db.handle_breakpoint_condition(info, point, frame))

    def canonic(self, file: str) -> str:
        """Return the name by which ``breakpoints`` has a file."""
        name: str = self._canonical(file)
        return name


@contextmanager
def uncontrolled() -> Iterator[None]:
    """Until the block ends, the calling thread uses real locks and clocks, as all others do.

    It is the only controlled thread that runs, so nothing else happens meanwhile. What the user
    evaluates makes no scheduling point.
    """
    running, engine.active = engine.active, None
    try:
        yield
    finally:
        if running is not None and not running.aborting:
            engine.active = running
