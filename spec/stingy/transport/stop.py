"""The call of a recorded story before which a debugger is entered, once the story is replayed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from stingy.contract.testimony import in_a_line
from stingy.language.account import Line, find_wrong
from stingy.language.story import Story


class Stop:
    """A call of a recorded story; stops once, just before the call, while the story is replayed."""

    def __init__(self, lines: Sequence[Line], arrives: Callable[[], None]) -> None:
        """Stop at the call of the first wrong line of the story, or else at the last call before it.

        ``arrives`` is called in the thread that makes the call, just before it.
        """
        self.lines = lines
        self._arrives = arrives
        wrong = find_wrong(lines)
        self.wrong = len(lines) - 1 if wrong is None else wrong
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

    def wrap(self, call: Callable[[], Any]) -> Callable[[], Any]:
        """Return ``call``, which the rule makes next; it stops first if it is the recorded call."""
        if self._count_told() != self.at:
            return call

        def stopping() -> Any:
            self._arrive()
            return call()

        return stopping

    def before_call(self, lane: str) -> None:
        """Stop in the calling thread, which runs this lane, if its next call is the recorded one."""
        told, lane = self._count_told(), lane.replace("_", " ")
        if told is None or lane != self.lines[self.at].lane:
            return
        before = self._made[told, lane]
        self._made[told, lane] += 1
        ops = bool(self.lines[self.at].op)
        own = [line for line in self.lines[told : self.at] if line.lane == lane and bool(line.op) == ops]
        if before == len(own):
            self._arrive()

    def _count_told(self) -> int | None:
        """Return how many lines of the story have happened again; None if it is another story."""
        if self.reached or self._story is None:
            return None
        again = [(in_a_line(step.who), in_a_line(step.did)) for step in self._story.steps]
        known = [(line.lane, line.did) for line in self.lines[: len(again)]]
        return len(again) if again == known and len(again) <= self.at else None

    def _arrive(self) -> None:
        self.reached = True
        self._arrives()


current: Stop | None = None
"""The call to stop at in this process; None to stop nowhere."""


def _ends(lines: Sequence[Line], row: int) -> bool:
    """Return True if the line is the end of a call that an earlier line shows as waiting."""
    lane = [line for line in lines[:row] if line.lane == lines[row].lane and line.op]
    return bool(lane) and (lane[-1].did, lane[-1].outcome) == (lines[row].did, "waits")
