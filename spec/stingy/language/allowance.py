"""What a candidate does otherwise than a rule says that it breaks, made good: so that others can be judged all the same."""

from __future__ import annotations

from dataclasses import dataclass

from stingy.contract import SECOND, Nanoseconds
from stingy.language.session import PATIENCE
from stingy.language.values import format_span


@dataclass(frozen=True)
class Allowance:
    """How far a candidate may be off in what is not asked."""

    late: Nanoseconds = 0
    """What is due may come so much later than a second after its time, which is nobody's fault."""
    counted: int = 0
    """So many failures are told of an item that has never failed."""

    def __bool__(self) -> bool:
        return self != NOTHING

    def __str__(self) -> str:
        late = f"what is due comes up to {format_span(PATIENCE + self.late)} late" if self.late else ""
        counted = f"failures are counted from {self.counted}" if self.counted else ""
        return " and ".join(filter(None, (late, counted)))

    @property
    def amply(self) -> Allowance:
        """Twice as late: the examples that it was measured by seldom have the worst among them."""
        return Allowance(2 * self.late, self.counted)

    def and_also(self, other: Allowance) -> Allowance:
        """Both of them; the larger one of a kind."""
        return Allowance(max(self.late, other.late), max(self.counted, other.counted, key=abs))


NOTHING = Allowance()

LADDER = (
    *(Allowance(late=seconds * SECOND) for seconds in (1, 2, 4)),
    *(Allowance(counted=failures) for failures in (1, -1)),
)
"""What is tried, the least first. A lateness beyond these comes near the times that rules ask about."""
