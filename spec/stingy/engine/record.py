"""Record of the turns that threads take, from which the same run can be repeated."""

from __future__ import annotations

from stingy.language.order import Turn


class Record:
    """The turns of a run since the scheduler began to use a strategy, and how far they can be trusted."""

    def __init__(self) -> None:
        self.trail: list[Turn] = []
        """The turns that are over."""
        self.exact = True
        """True if the same choices would surely lead to the same run again."""
        self.unseen = ""
        """The first code without scheduling points that ran; "" if none did."""
        self._since = 0
        """The scheduling point at which the current turn began."""

    def end_turn(self, name: str, point: int, *, blocked: bool) -> None:
        """Add the turn of the thread ``name``, which blocked or was interrupted at ``point``."""
        self.trail.append((name, None if blocked else point - self._since))
        self._since = point
