"""Ways to reach a candidate: in this process, with or without control, or through a driver."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from itertools import count
from typing import Protocol

from stingy.contract import Profile
from stingy.contract.testimony import in_lines
from stingy.language.deadline import Deadline
from stingy.language.order import Attempt, Budget, Explored, Explorer, Order, within
from stingy.language.session import NO_OPTIONS, Options, Session
from stingy.request import HELLO, Limits
from stingy.transport.shortcuts import Shortcuts

GRACE = 0.03
"""Real seconds to wait for an event before the suite concludes that it does not happen.

Used only where a transport cannot detect that all threads are idle or blocked. A busy machine may
need longer, so a rule that fails is run again with ``GRACE_BEFORE_ACCUSING``.
"""
GRACE_BEFORE_ACCUSING = 0.5
"""Real seconds of the same wait while a failure is confirmed: long enough for a busy machine."""


SMALL = 2
"""Number of runs of a small program if the order of its lanes cannot be chosen.

They are few, because a run of another program reveals more than another run of the same one.
"""


class TargetError(Exception):
    """A TARGET cannot be imported, started or connected to; the message says what to write instead."""

    def __init__(self, says: str) -> None:
        super().__init__(in_lines(says))


class MachineError(TargetError):
    """The machine lacks what a candidate's process needs, such as processes; none is to blame."""


class Reached(Protocol):
    """An implementation under test, wherever it is judged: in this process or in another."""

    @property
    def target(self) -> str: ...

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    kubernetes: str
    """Kubernetes version whose behaviour it claims, as in ``1.30``; empty for the newest."""

    share: float | None
    """Seconds to spend on running one race in many orders; None for a fixed number of orders."""

    limit: float
    """Seconds that one rule may take with all attempts to judge it, beside the shares of its races.

    Infinite where nothing limits it.
    """

    def close(self) -> None:
        """Release the candidate's processes, threads and connections."""


class Candidate(Reached, Protocol):
    """A candidate that this process can call, directly or through a driver."""

    @property
    def controlled(self) -> bool:
        """True if the suite can detect that all threads are idle, so no finding relies on real time."""

    def held(self, deadline: Deadline) -> AbstractContextManager[None]:
        """Reserve the candidate for one rule: until the block ends, only its sessions use it.

        In this process, set-up that every session needs is then done only once. For a driver, the
        deadline and the limit of memory apply to the block.
        """

    def open(self, profile: Profile, options: Options = NO_OPTIONS) -> Session:
        """Create a fresh candidate of this profile, and return a session that calls it.

        Raises NotOffered if the candidate does not have this profile.
        """

    @property
    def files(self) -> Sequence[str]:
        """Files that contain the candidate's code, as far as they are known."""

    def place(self, op: str) -> str:
        """Return where the candidate's method for this op begins, as in ``queue.py:17``.

        Empty if that is unknown, as for a driver.
        """

    grace: float
    """Real seconds to wait for an event where idleness cannot be detected: ``GRACE`` or more."""

    shrinks: bool
    """True if a failing example or order is made as short as possible before it is reported."""

    @property
    def shortcuts(self) -> Shortcuts:
        """Ways to save time, such as jumps of virtual time: which are allowed, and which were used."""

    def explorer(self, profile: Profile, seed: int, order: str = "") -> Explorer:
        """Return a function that runs a race in many orders, which ``seed`` determines.

        ``order`` is the token of one order: if it is not empty, only that order is run.
        """

    def release_control(self) -> bool:
        """Give up some control of the candidate's threads after it was lost.

        Returns True if the rule can be run again with the control that is left, False if none was
        left.
        """


def in_turn(first: int, most: int, share: float | None) -> Explorer:
    """Return an explorer that repeats a race, for a candidate whose lanes cannot be scheduled.

    It numbers the runs from ``first``. It makes at most ``most`` runs or, if ``share`` is not None,
    as many as fit into that number of seconds.
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
    """Return True if a TARGET names a driver, so that the candidate is in another process."""
    return target.startswith(("cmd:", "attach:"))


def locate(
    target: str,
    seed: int = 0,
    start: float | None = None,
    limits: Limits | None = None,
    *,
    timed: bool = False,
) -> Candidate:
    """Import or start the candidate that a TARGET names, and return it.

    ``seed`` determines the first reading of the candidate's clock. Two arguments are for drivers:
    ``start``, the seconds until ``hello`` must be answered, and ``limits``, the time and memory
    that a driver may use for one rule. ``timed``: judge a candidate in this process on real threads. Raises TargetError if there is no such candidate.
    """
    if is_driver(target):
        from stingy.transport.driver import DriverCandidate

        return DriverCandidate(target, start or HELLO, limits=limits)
    from stingy.transport.inprocess import InProcess

    return InProcess(target, seed, timed=timed)
