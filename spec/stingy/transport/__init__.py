"""How a candidate is reached: in this process under control, in this process as it is, or in another."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from itertools import count
from typing import Protocol

from stingy.contract import Profile
from stingy.language.order import Attempt, Budget, Explored, Explorer, Order, within
from stingy.language.session import NO_OPTIONS, Options, Session
from stingy.request import HELLO, Limits
from stingy.testimony import in_lines
from stingy.transport.shortcuts import Shortcuts

GRACE = 0.03
"""Enough to see what is wrong, most of the time."""
GRACE_BEFORE_ACCUSING = 0.5
"""Enough for a busy machine: nobody is accused after less."""


SMALL = 2
"""How often a small program is run where its orders cannot be chosen: the next one tells more."""


class TargetError(Exception):
    """What was named as the candidate cannot be reached; the message says what to write instead."""

    def __init__(self, says: str) -> None:
        super().__init__(in_lines(says))


class Reached(Protocol):
    """An implementation under test, wherever it is judged."""

    @property
    def target(self) -> str: ...

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    kubernetes: str
    """Whose ways it claims to have, as in ``1.30``; empty for the newest."""

    share: float | None
    """Seconds for each race to be run in one order after the other; None for a fixed number of orders."""

    def close(self) -> None:
        """Leave nothing behind."""


class Candidate(Reached, Protocol):
    """One that can be called from here."""

    @property
    def controlled(self) -> bool:
        """Whether its lanes are driven exactly, so that what is seen is no matter of waiting."""

    def held(self) -> AbstractContextManager[None]:
        """Meanwhile, what is done for each of its sessions may stay done between them: nobody else touches it."""

    def open(self, profile: Profile, options: Options = NO_OPTIONS) -> Session:
        """Set out a fresh one; NotOffered if it has nothing of this profile."""

    @property
    def files(self) -> Sequence[str]:
        """What it stands in, as far as that is known."""

    grace: float
    """Real seconds to wait for what must not happen, where that cannot be known."""

    shrinks: bool
    """True if an example or an order that breaks a rule is made as short as can be before it is told."""

    @property
    def shortcuts(self) -> Shortcuts:
        """What may be done to save time, and has been."""

    def explorer(self, profile: Profile, seed: int, order: str = "") -> Explorer:
        """What chooses the orders in which the lanes of a race run; or only this one, given as a token."""

    def release_control(self) -> bool:
        """Go on without control where there was some; False where there is nothing to fall back to."""


def in_turn(first: int, most: int, share: float | None) -> Explorer:
    """For lanes whose turns cannot be chosen: they run so often, each time by another number."""

    def explore(attempt: Attempt, runs: int, *, small: bool = False) -> Explored:
        budget = Budget(SMALL) if small else within(min(runs, most), share)
        for made in count(1):
            failure = attempt(Order(first + made - 1))
            if failure is not None or budget.spent(made):
                return Explored(made, failure=failure, by_chance=True)
        raise AssertionError("count() does not end")

    return explore


def is_driver(target: str) -> bool:
    """Whether a TARGET names a driver, which is another process."""
    return target.startswith(("cmd:", "attach:"))


def locate(
    target: str,
    seed: int = 0,
    start: float | None = None,
    limits: Limits | None = None,
) -> Candidate:
    """The candidate that a TARGET names; TargetError if there is none.

    ``seed`` salts its clock; ``start`` is how many seconds a driver may take to say hello, and ``limits`` what it may use.
    """
    if is_driver(target):
        from stingy.transport.driver import DriverCandidate

        return DriverCandidate(target, start or HELLO, limits=limits)
    from stingy.transport.inprocess import InProcess

    return InProcess(target, seed)
