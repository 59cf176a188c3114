"""What the clocks of a candidate show when its virtual time is at 0."""

from __future__ import annotations

from typing import Protocol

from stingy.contract import SECOND, Nanoseconds


class Passing(Protocol):
    """Virtual time."""

    @property
    def now(self) -> Nanoseconds: ...

    @property
    def stepped(self) -> Nanoseconds:
        """By how much the wall clock has been set forward since."""


MONOTONIC_ORIGIN: Nanoseconds = 1_000 * SECOND


class WallClock:
    """The wall clock of the candidate's machine."""

    origin: Nanoseconds = 1_700_000_000 * SECOND
    """Where it stands when virtual time is at 0."""

    @classmethod
    def reading(cls, time: Passing) -> Nanoseconds:
        return cls.origin + time.now + time.stepped
