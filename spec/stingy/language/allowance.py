"""Tolerance for a known defect, so that the rules which build on the broken rule can be judged."""

from __future__ import annotations

from dataclasses import dataclass

from stingy.contract import SECOND, Nanoseconds
from stingy.language.session import PATIENCE
from stingy.language.values import format_span


@dataclass(frozen=True)
class Allowance:
    """A known defect that is tolerated while a rule about something else is judged."""

    late: Nanoseconds = 0
    """Tolerated lateness in nanoseconds, beyond the one second that every candidate is allowed."""
    counted: int = 0
    """Offset of NumRequeues: the number returned for an item that has never failed."""

    def __bool__(self) -> bool:
        return self != NOTHING

    def __str__(self) -> str:
        late = f"what is due comes up to {format_span(PATIENCE + self.late)} late" if self.late else ""
        counted = f"failures are counted from {self.counted}" if self.counted else ""
        return " and ".join(filter(None, (late, counted)))

    @property
    def amply(self) -> Allowance:
        """The same allowance with twice the lateness.

        The lateness was measured in a few examples, which rarely show the longest delay.
        """
        return Allowance(2 * self.late, self.counted)

    def and_also(self, other: Allowance) -> Allowance:
        """Return an allowance for both defects: the larger lateness, and the larger offset."""
        return Allowance(max(self.late, other.late), max(self.counted, other.counted, key=abs))


NOTHING = Allowance()

LADDER = (
    *(Allowance(late=seconds * SECOND) for seconds in (1, 2, 4)),
    *(Allowance(counted=failures) for failures in (1, -1)),
)
"""Allowances to try, smallest first.

More lateness than this would come close to the spans that rules test.
"""
