"""How a candidate is reached: in this process, with or without control, or through a driver."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from itertools import count
from typing import Protocol

from stingy.contract import Profile
from stingy.contract.testimony import in_lines
from stingy.language.order import Attempt, Budget, Explored, Explorer, Order, within
from stingy.language.session import NO_OPTIONS, Options, Session
from stingy.request import HELLO, Limits
from stingy.transport.shortcuts import Shortcuts

GRACE = 0.03
"""Real seconds to wait for an event before saying that it does not happen.

Used only where the transport cannot tell that nothing moves any more. It is enough most of the
time; a failure is confirmed with ``GRACE_BEFORE_ACCUSING``.
"""
GRACE_BEFORE_ACCUSING = 0.5
"""Real seconds of that wait when a failure is confirmed: long enough for a busy machine."""


SMALL = 2
"""Runs of each small program whose order cannot be chosen.

There are few, because another program shows more than another run of this one.
"""


class TargetError(Exception):
    """The TARGET cannot be reached; the message says what to write instead."""

    def __init__(self, says: str) -> None:
        super().__init__(in_lines(says))


class Reached(Protocol):
    """An implementation under test, in whichever process it is judged."""

    @property
    def target(self) -> str: ...

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    kubernetes: str
    """Kubernetes version whose behaviour it claims, as in ``1.30``; empty for the newest."""

    share: float | None
    """Seconds to spend on the orders of each race; None for a fixed number of orders."""

    def close(self) -> None:
        """Release its processes, threads and connections."""


class Candidate(Reached, Protocol):
    """A candidate that this process can call, directly or through a driver."""

    @property
    def controlled(self) -> bool:
        """True if it is known when nothing moves any more, so no finding depends on waiting."""

    def held(self) -> AbstractContextManager[None]:
        """Hold the candidate for one rule: until the block ends, only that rule's sessions use it.

        In this process, set-up that each session needs is then done once. A driver's limits of time
        and memory count from the beginning of the block.
        """

    def open(self, profile: Profile, options: Options = NO_OPTIONS) -> Session:
        """Create a fresh candidate; NotOffered if it has nothing of this profile."""

    @property
    def files(self) -> Sequence[str]:
        """Files that contain its code, as far as they are known."""

    grace: float
    """Real seconds to wait where it is unknown when nothing moves: ``GRACE``, or more."""

    shrinks: bool
    """True if a failing example or order is made as short as possible before it is reported."""

    @property
    def shortcuts(self) -> Shortcuts:
        """The shortcuts that are allowed, and those that have been taken."""

    def explorer(self, profile: Profile, seed: int, order: str = "") -> Explorer:
        """Return what runs a race in many orders; with ``order``, a token, only in that one."""

    def release_control(self) -> bool:
        """Continue with less control after it was lost; False if there was none to give up."""


def in_turn(first: int, most: int, share: float | None) -> Explorer:
    """Return an explorer for lanes whose order cannot be chosen: it repeats the race.

    The runs are numbered from ``first``. There are at most ``most`` of them, or as many as fit into
    ``share`` seconds if that is not None.
    """

    def explore(attempt: Attempt, runs: int, *, small: bool = False) -> Explored:
        budget = Budget(SMALL) if small else within(min(runs, most), share)
        for made in count(1):
            failure = attempt(Order(first + made - 1))
            if failure is not None or budget.spent(made):
                return Explored(made, failure=failure, by_chance=True)
        raise AssertionError("count() does not end")

    return explore


def is_driver(target: str) -> bool:
    """Return True if a TARGET names a driver, which is another process."""
    return target.startswith(("cmd:", "attach:"))


def locate(
    target: str,
    seed: int = 0,
    start: float | None = None,
    limits: Limits | None = None,
) -> Candidate:
    """Return the candidate that a TARGET names; TargetError if there is none.

    ``seed`` decides what the candidate's clock shows at first. For a driver, ``start`` is how many
    seconds it may take to answer ``hello``, and ``limits`` is the time and memory that it may use.
    """
    if is_driver(target):
        from stingy.transport.driver import DriverCandidate

        return DriverCandidate(target, start or HELLO, limits=limits)
    from stingy.transport.inprocess import InProcess

    return InProcess(target, seed)
