"""Find a loop of the reader's code that does not end: nothing else in a page could say where it is."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from time import monotonic
from types import CodeType
from typing import Any

PATIENCE_S = 10.0
"""Seconds of real time that a call may spend in a loop."""
ROUNDS = 1 << 10
"""Rounds of a loop between two looks at the clock."""


class Watch:
    """Counts the rounds of the loop that runs, if it is in a file of the reader's.

    A loop has ended when its function returns, or another function loops.
    """

    def __init__(self, folder: str, tell: Callable[[str], object]) -> None:
        self._folder = folder
        self._tell = tell
        self._frame = 0
        """The ``id`` of the frame with the loop; 0 if there is none."""
        self._rounds = 0
        self._since = 0.0

    def is_about(self, code: CodeType) -> bool:
        return code.co_filename.startswith(self._folder)

    def jumped(self, code: CodeType) -> None:
        frame = sys._getframe(2)
        if id(frame) != self._frame:
            self._frame, self._rounds, self._since = id(frame), 0, monotonic()
        self._rounds += 1
        if self._rounds % ROUNDS == 0 and monotonic() - self._since > PATIENCE_S:
            told = {"kind": "endless", "line": frame.f_lineno, "within": code.co_qualname}
            self._tell(json.dumps(told))

    def returned(self) -> None:
        self._frame = 0


_watch: Watch | None = None


def watch(folder: str, tell: Callable[[str], object]) -> None:
    """Tell the page, from now on, of a loop in a file of this folder that runs for too long.

    The message, as JSON, has the ``line`` of the loop and the name of the function it is ``within``.
    """
    global _watch  # noqa: PLW0603 - callbacks of sys.monitoring are global
    if _watch is None:
        _listen()
    _watch = Watch(folder, tell)


def _listen() -> None:
    monitoring = getattr(sys, "monitoring", None)
    if monitoring is None:  # before Python 3.12, which only a test uses here: a page has a later one
        return
    monitoring.use_tool_id(monitoring.PROFILER_ID, "stingy's page")

    def at_jump(code: CodeType, *_: object) -> Any:
        if _watch is None or not _watch.is_about(code):
            return monitoring.DISABLE
        _watch.jumped(code)
        return None

    def at_return(code: CodeType, *_: object) -> Any:
        if _watch is None or not _watch.is_about(code):
            return monitoring.DISABLE
        _watch.returned()
        return None

    events = monitoring.events
    monitoring.register_callback(monitoring.PROFILER_ID, events.JUMP, at_jump)
    monitoring.register_callback(monitoring.PROFILER_ID, events.PY_RETURN, at_return)
    monitoring.set_events(monitoring.PROFILER_ID, events.JUMP | events.PY_RETURN)
