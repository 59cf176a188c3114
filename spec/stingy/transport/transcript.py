"""What is said to a driver and what it says, taken down, so that a test can say it again."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Transcript:
    lines: list[bytes] = field(default_factory=list)
    """Requests and answers as they were sent, in the order in which they came."""
    data_race: bool = False
    """Whether a rule was broken by what no answer tells."""
