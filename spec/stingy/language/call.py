"""A call made by a lane, with the stamps of its start and end."""

from __future__ import annotations

from msgspec import Struct

from stingy.contract.ops import OPS, upstream
from stingy.contract.testimony import show

NEVER = float("inf")


class Call(Struct, frozen=True):
    """One call on one lane. ``end`` is None if the call still waited at quiescence."""

    lane: str
    op: str
    item: str | None
    start: int
    end: int | None
    result: object = None
    """The item for a Get (None on shutdown); the return value for any other call."""
    shutdown: bool = False
    raised: str | None = None
    how: str = ""
    """Arguments other than the item, as text."""
    at: int | None = None
    """Reading of the candidate's clock at the start, in nanoseconds; None if that is unknown."""
    early: object = None
    """Copy of the result, taken on return; None if the candidate cannot alter the result later."""

    @property
    def did(self) -> str:
        said = ["" if self.item is None else repr(self.item), self.how]
        return f"{upstream(self.op)}({', '.join(filter(None, said))})"

    @property
    def outcome(self) -> str:
        """Result of the call as text; empty if the call returned and has no result."""
        if self.end is None:
            return "waits"
        if self.raised:
            return f"raises {self.raised}"
        if OPS[self.op].result is not None:
            return "shutdown" if self.shutdown else show(self.result)
        return ""

    @property
    def fault(self) -> str:
        """Says what is wrong with a call that has to return without an exception; empty if it did."""
        return f"raises {self.raised}" if self.raised else "does not return" if self.end is None else ""

    @property
    def as_returned(self) -> object:
        """The call's result as it was at its return, even if the object was changed later."""
        return self.result if self.early is None else self.early

    @property
    def over(self) -> float:
        return NEVER if self.end is None else self.end
