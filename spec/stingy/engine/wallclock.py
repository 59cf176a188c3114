"""Readings of a candidate's clocks at virtual time 0."""

from __future__ import annotations

from typing import Protocol

from stingy.contract import SECOND, Nanoseconds


class Passing(Protocol):
    """A source of virtual time that knows the steps of the wall clock."""

    @property
    def now(self) -> Nanoseconds: ...

    @property
    def stepped(self) -> Nanoseconds:
        """Nanoseconds by which the wall clock has been set forward since virtual time 0."""


MONOTONIC_ORIGIN: Nanoseconds = 1_000 * SECOND
"""The reading of the monotonic clock at virtual time 0."""


class WallClock:
    """The wall clock, in virtual time, that the candidate reads."""

    origin: Nanoseconds = 1_700_000_000 * SECOND
    """The clock's reading at virtual time 0, in nanoseconds since 1970."""

    @classmethod
    def reading(cls, time: Passing) -> Nanoseconds:
        """Return the clock's reading now, in nanoseconds since 1970."""
        return cls.origin + time.now + time.stepped
