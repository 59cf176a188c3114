"""What a tool says of one fault."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Found:
    found: bool
    seconds: float
    """Until it was found, or until the search was given up."""
    schedules: int
    """How many runs that took."""
    note: str = ""
    """In words, where it is neither found nor simply not found."""
    cpu: float = 0.0
    """Seconds of processor time, which a busy machine changes less."""
