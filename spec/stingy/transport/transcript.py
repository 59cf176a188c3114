"""A record of what is sent to a driver and what it answers, so that a test can repeat it."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Transcript:
    """The record of the requests to one driver and its answers."""

    lines: list[bytes] = field(default_factory=list)
    """Requests and answers as sent, in the order in which they came."""
    data_race: bool = False
    """True if the driver reported a data race, which none of the recorded answers shows."""
