"""What saves time while a candidate is judged, and is no ground to accuse it on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass
class Shortcuts:
    """Those that may be taken, and those that have been."""

    may_jump: bool = True
    """Time may jump over looks that would be in vain."""
    jumped: bool = False
    """It has, since that was last denied."""
    may_inherit: bool = True
    """A session may begin with what earlier ones have left in the candidate's modules, where these are dear to execute."""
    inherited: bool = False
    """One has."""

    @contextmanager
    def on_foot(self) -> Iterator[None]:
        """While time does not jump."""
        before, self.may_jump = self.may_jump, False
        try:
            yield
        finally:
            self.may_jump = before

    @contextmanager
    def inheriting_nothing(self) -> Iterator[None]:
        """While each session begins with modules of its own, whatever that costs."""
        before, self.may_inherit = self.may_inherit, False
        try:
            yield
        finally:
            self.may_inherit = before


def none_to_take() -> Shortcuts:
    """For whoever is not in this process."""
    return Shortcuts(may_jump=False, may_inherit=False)
