"""The interface that a transport offers to the language: a fresh candidate, and lanes to call it.

A *lane* is a logical process with at most one call running. This module does not know threads,
coroutines or processes; the transports do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from stingy.contract import MINUTE, Nanoseconds, Profile
from stingy.contract.testimony import in_lines
from stingy.language.call import Call
from stingy.language.order import Order

Operation = tuple[Any, ...]
"""An operation of a program, with its arguments: ``("add", "a")``, ``("get",)``, ``("done",)``."""

PATIENCE: Nanoseconds = 1_000_000_000
"""Virtual nanoseconds within which a polling candidate has to react: one second."""

TO_BE_MADE: Nanoseconds = 10 * MINUTE
"""Limit of virtual time for a constructor, which may wait; that costs no real time."""


BEGINS_ANEW = "its clock begins anew with each candidate, so that none starts later than another"
CANNOT_CANCEL = "its Get cannot be cancelled"
CANNOT_PAUSE = "its lanes cannot pause in a burst"
CANNOT_SEE_ALARMS = "when its time-outs are due cannot be seen"
NOT_REREAD = "what it has handed over is told once, and cannot be read again"
OWN_COPIES = "what it is handed are copies of its own, which nobody shares"
CANNOT_STEP = "its clock cannot be stepped"
CANNOT_TELL_MEANWHILE = "it cannot be told of changes while it programs"
ONE_AT_A_TIME = "its driver makes one candidate at a time"
ONLY_TEXTS = "its items are texts"


class NotOffered(Exception):  # noqa: N818 - not an error
    """The candidate does not offer what the profile needs; the message says what is missing."""


class CandidateError(Exception):
    """The candidate or its driver crashed, so the rule cannot be judged."""

    def __init__(self, says: str) -> None:
        super().__init__(in_lines(says))


class Undecided(Exception):  # noqa: N818 - not an error
    """It cannot be decided whether the candidate keeps the rule, or not in the time available."""


class Limited(Undecided):
    """A limit of the suite, such as a time-out, was reached, so the rule stays undecided.

    ``option``: the command-line option that raises the limit.
    """

    def __init__(self, message: str, option: str) -> None:
        super().__init__(f"{message}: {option} lifts that limit")
        self.option = option.partition(" ")[0]


class Unsteady(Undecided):
    """The same calls gave different results in different runs."""


class Uncontrolled(Exception):  # noqa: N818 - not an error
    """The candidate did something that this session cannot control, such as starting a process.

    A session with less control may still judge it.
    """


class Jumped(Exception):  # noqa: N818 - not an error
    """A failure appeared after virtual time had skipped polls that seemed idle.

    The rule has to run again without skipping.
    """


class Hangs(AssertionError):  # noqa: N818 - a verdict, not an error
    """A call that has to return blocks for ever."""


class Raised(AssertionError):  # noqa: N818 - a verdict, not an error
    """A call raised where an answer was expected: nothing is known of what the answer would have been."""

    def __init__(self, did: str, raised: str) -> None:
        super().__init__(f"{did} raises {raised}")


class DataRace(AssertionError):  # noqa: N818 - a verdict, not an error
    """A data race: two threads access the same object unordered, and at least one writes."""


class Pending(Protocol):
    """A call to the candidate, running or finished."""

    @property
    def returned(self) -> bool: ...

    @property
    def value(self) -> Any:
        """The return value of the call; meaningful only once the call has returned."""

    @property
    def raised(self) -> str | None:
        """The exception that the call raised, as text; None if it raised none."""


class Session(Protocol):
    """A fresh candidate of one profile, and calls to it.

    Every method may raise CandidateError or Uncontrolled.
    """

    @property
    def timed(self) -> bool:
        """True if a call counts as waiting just because it has not returned for some real time."""

    @property
    def looks(self) -> int | None:
        """How often the candidate woke because a deadline was due; None if wake-ups are not counted."""

    @property
    def shares(self) -> bool:
        """True if the rule and the candidate share the same objects; False if each has copies."""

    @property
    def deaths(self) -> Sequence[tuple[str, str]]:
        """The candidate's own threads that ended by an exception, each with the exception.

        Threads that the transport cannot observe are missing.
        """

    def call(self, lane: str, op: str, *args: Any) -> Pending:
        """Start a call of ``op`` on a lane on which no call is running, and return the call."""

    def cancel(self, call: Any, turns: int = 0, after: Nanoseconds = 0) -> None:
        """Cancel a call after ``turns`` turns of the event loop, in which other tasks can run.

        ``after``: virtual nanoseconds that pass before these turns. The call may return all the
        same. Raises NotOffered if calls cannot be cancelled.
        """

    def settle(self, awaiting: Pending | None = None, patience: Nanoseconds = 0) -> None:
        """Wait until all lanes and threads are idle or blocked; ``patience`` of virtual time may pass.

        ``awaiting``: the call that is waited for; once it has returned, no more time passes. A
        transport that cannot detect quiescence gives it a generous real time to return.
        """

    def advance(self, span: Nanoseconds) -> None:
        """Let ``span`` nanoseconds of virtual time pass.

        Raises Undecided if time is not virtual.
        """

    def now_ns(self) -> Nanoseconds:
        """Return the wall clock that the candidate reads, in nanoseconds."""

    def step(self, span: Nanoseconds) -> None:
        """Step the candidate's wall clock forward, or back if negative, while no time passes.

        Raises NotOffered if it cannot be stepped.
        """

    def restart(self) -> None:
        """Replace the candidate by a fresh one. A clock of the suite keeps its reading."""

    def another(self) -> Session:
        """Make another candidate with the same options, which lives as long as this one; return calls to it.

        Raises NotOffered if the transport makes one candidate at a time.
        """

    def race(self, programs: Mapping[str, Sequence[Operation]], order: Order) -> Sequence[Call]:
        """Run a program on each lane, all at once, until quiescence; return the calls.

        ``order`` decides the schedule, if the transport can choose one.
        """

    def close(self) -> None:
        """Release all resources of the session: threads, processes, files."""


Options = Mapping[str, Any]
"""Options to construct a candidate with, by the names of the contract.

The values are numbers, strings, lists and mappings; times are in nanoseconds. For an object that
the suite passes in, the value holds the options of the suite's own object.
"""

NO_OPTIONS: Options = {}


class Opener(Protocol):
    def __call__(self, profile: Profile, options: Options = NO_OPTIONS) -> Session:
        """Make a fresh candidate of this profile, and return the session that calls it."""
