"""The call of a recorded story before which a debugger is entered, once the story is replayed."""

from __future__ import annotations

import os
import sys
import sysconfig
from collections import Counter
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

from stingy.contract.testimony import in_a_line
from stingy.engine.frames import SUITE
from stingy.language.account import Line
from stingy.language.story import Story

_STANDARD = tuple(sysconfig.get_path(kind) + os.sep for kind in ("stdlib", "platstdlib"))
_PACKAGES = tuple(sysconfig.get_path(kind) + os.sep for kind in ("purelib", "platlib"))

Enter = Callable[[FrameType], Any]
"""Enters a debugger in a frame that is being called; returns the frame's trace function."""


class Stop:
    """Finds the call of a story while the story happens again, and enters a debugger there, once."""

    def __init__(self, lines: Sequence[Line], enter: Enter) -> None:
        """Stop at the call of the first wrong line of the story, or else at the last call before it."""
        self._lines = lines
        self._enter = enter
        self.wrong = next((n for n, line in enumerate(lines) if line.expected), len(lines) - 1)
        """Index of the first wrong line; of the last line if none is marked as wrong."""
        calls = [n for n in range(self.wrong + 1) if lines[n].op and not _ends(lines, n)]
        self.at = calls[-1] if calls else self.wrong
        """Index of the line of the call to stop at."""
        self.reached = False
        self._story: Story | None = None
        self._made: Counter[tuple[int, str]] = Counter()

    def follow(self, story: Story) -> None:
        """Compare this story, which is empty so far, with the recorded one."""
        self._story = story
        self._made.clear()

    def on_the_way(self, call: Callable[[], Any]) -> Callable[[], Any]:
        """Return ``call``, which the rule makes next; if it is the one, it enters the debugger."""
        if self._is_told() != self.at:
            return call

        def stopping() -> Any:
            self._enter_at_the_next_call()
            return call()

        return stopping

    def comes_to(self, lane: str) -> None:
        """Enter the debugger in the calling thread, which runs a lane, if its next call is the one."""
        told, lane = self._is_told(), lane.replace("_", " ")
        if told is None or lane != self._lines[self.at].lane:
            return
        before = self._made[told, lane]
        self._made[told, lane] += 1
        ops = bool(self._lines[self.at].op)
        own = [line for line in self._lines[told : self.at] if line.lane == lane and bool(line.op) == ops]
        if before == len(own):
            self._enter_at_the_next_call()

    def _is_told(self) -> int | None:
        """Return how many lines of the story have happened again; None if it is another story."""
        if self.reached or self._story is None:
            return None
        again = [(in_a_line(step.who), in_a_line(step.did)) for step in self._story.steps]
        known = [(line.lane, line.did) for line in self._lines[: len(again)]]
        return len(again) if again == known and len(again) <= self.at else None

    def _enter_at_the_next_call(self) -> None:
        """Enter the debugger as the calling thread next calls a function of the candidate."""

        def trace(frame: FrameType, event: str, _: object) -> Any:
            if self.reached or event != "call" or not _is_a_candidates(frame.f_code.co_filename):
                return None
            self.reached = True
            sys.settrace(None)
            return self._enter(frame)

        sys.settrace(trace)


current: Stop | None = None
"""The call to stop at in this process; None to stop nowhere."""


def _ends(lines: Sequence[Line], row: int) -> bool:
    """Return True if the line is the end of a call that an earlier line shows as waiting."""
    lane = [line for line in lines[:row] if line.lane == lines[row].lane and line.op]
    return bool(lane) and (lane[-1].did, lane[-1].outcome) == (lines[row].did, "waits")


def _is_a_candidates(file: str) -> bool:
    if file.startswith((SUITE, "<frozen ")):
        return False
    return file.startswith(_PACKAGES) or not file.startswith(_STANDARD)
