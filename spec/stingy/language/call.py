"""A call that a lane made, with the stamps of its beginning and its end."""

from __future__ import annotations

from msgspec import Struct

from stingy.ops import OPS, upstream
from stingy.testimony import show

NEVER = float("inf")


class Call(Struct, frozen=True):
    """One call of one lane. ``end`` is None when it had not returned when all was quiet."""

    lane: str
    op: str
    item: str | None
    start: int
    end: int | None
    result: object = None
    """The item of a Get, or None with ``shutdown``; the value of anything else."""
    shutdown: bool = False
    raised: str | None = None
    how: str = ""
    """What was said besides the item."""
    early: object = None
    """A copy of the result, made as it was returned, where that could be altered later."""

    @property
    def did(self) -> str:
        said = ["" if self.item is None else repr(self.item), self.how]
        return f"{upstream(self.op)}({', '.join(filter(None, said))})"

    @property
    def outcome(self) -> str:
        """What came of it; nothing where that is no news."""
        if self.end is None:
            return "waits"
        if self.raised:
            return f"raises {self.raised}"
        if OPS[self.op].result is not None:
            return "shutdown" if self.shutdown else show(self.result)
        return ""

    @property
    def fault(self) -> str:
        """What is wrong with a call that should just have returned; nothing if it has."""
        return f"raises {self.raised}" if self.raised else "does not return" if self.end is None else ""

    @property
    def as_returned(self) -> object:
        """The result as it was when it was returned."""
        return self.result if self.early is None else self.early

    @property
    def over(self) -> float:
        return NEVER if self.end is None else self.end
