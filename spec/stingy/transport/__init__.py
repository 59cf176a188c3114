"""How a candidate is reached: in this process under control, in this process as it is, or in another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from stingy.contract import Profile
from stingy.language.session import Session

GRACE = 0.03
"""Enough to see what is wrong, most of the time."""
GRACE_BEFORE_ACCUSING = 0.5
"""Enough for a busy machine: nobody is accused after less."""

DEFAULT_TARGET = "stingy_reference"


class TargetError(Exception):
    """What was named as the candidate cannot be reached; the message says what to write instead."""


class Candidate(Protocol):
    """An implementation under test."""

    @property
    def target(self) -> str: ...

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    @property
    def controlled(self) -> bool:
        """Whether its lanes are driven exactly, so that what is seen is no matter of waiting."""

    def open(self, profile: Profile) -> Session:
        """Set out a fresh one; NotOffered if it has nothing of this profile."""

    grace: float
    """Real seconds to wait for what must not happen, where that cannot be known."""

    def orders(self, seed: int) -> Iterator[Any]:
        """The orders in which the lanes of a race are to run, one a run; some follow from the runs before."""

    def release_control(self) -> bool:
        """Go on without control where there was some; False where there is nothing to fall back to."""

    def close(self) -> None:
        """Leave nothing behind."""


def locate(target: str, seed: int = 0) -> Candidate:
    """The candidate that a TARGET names; TargetError if there is none. ``seed`` salts its clock."""
    if target.startswith("cmd:"):
        from stingy.transport.driver import DriverCandidate

        return DriverCandidate(target)
    from stingy.transport.inprocess import InProcess

    return InProcess(target, seed)
