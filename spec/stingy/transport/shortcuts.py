"""Shortcuts that save time; a failure found under one is confirmed without it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass
class Shortcuts:
    """Which shortcuts are allowed, and which have been taken."""

    may_jump: bool = True
    """Virtual time may jump over polls that would find nothing new."""
    jumped: bool = False
    """Time has jumped since this was last set to False."""
    may_inherit: bool = True
    """A session may start with module state of earlier ones, if executing modules is slow."""
    inherited: bool = False
    """A session has done so."""

    @contextmanager
    def on_foot(self) -> Iterator[None]:
        """Forbid jumps of time until the block ends."""
        before, self.may_jump = self.may_jump, False
        try:
            yield
        finally:
            self.may_jump = before

    @contextmanager
    def inheriting_nothing(self) -> Iterator[None]:
        """Forbid sessions to start with state of earlier ones, until the block ends."""
        before, self.may_inherit = self.may_inherit, False
        try:
            yield
        finally:
            self.may_inherit = before


def none_to_take() -> Shortcuts:
    """Return the shortcuts of a candidate in another process: none is allowed."""
    return Shortcuts(may_jump=False, may_inherit=False)
