"""Ways to make sessions faster; a failure that was found with one is confirmed without it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass
class Shortcuts:
    """Ways to save time in sessions of a candidate: which are allowed, and which were used."""

    may_jump: bool = True
    """True if virtual time may skip a candidate's polls that would find nothing new."""
    jumped: bool = False
    """True if that shortcut has been used since this was last set to False."""
    may_inherit: bool = True
    """True if a session may start with state that earlier ones left in the candidate's modules.

    This is used only if it takes long to execute the modules anew.
    """
    inherited: bool = False
    """True once a session has started with such state."""

    @contextmanager
    def on_foot(self) -> Iterator[None]:
        """Forbid virtual time to skip polls until the block ends."""
        before, self.may_jump = self.may_jump, False
        try:
            yield
        finally:
            self.may_jump = before

    @contextmanager
    def inheriting_nothing(self) -> Iterator[None]:
        """Until the block ends, forbid sessions to start with module state of earlier ones."""
        before, self.may_inherit = self.may_inherit, False
        try:
            yield
        finally:
            self.may_inherit = before


def none_to_take() -> Shortcuts:
    """Return the shortcuts of a candidate in another process: none is allowed."""
    return Shortcuts(may_jump=False, may_inherit=False)
