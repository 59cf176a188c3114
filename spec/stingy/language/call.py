"""A call that a lane made, with the stamps of its beginning and its end."""

from __future__ import annotations

from dataclasses import dataclass

from stingy.contract import Nanoseconds

NEVER = float("inf")


@dataclass(frozen=True)
class Call:
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
    delay: Nanoseconds | None = None

    @property
    def over(self) -> float:
        return NEVER if self.end is None else self.end
