"""What the language needs of a transport: one fresh candidate, and lanes to call it on.

A *lane* is a logical process with at most one call running. Nothing here says thread, coroutine or
process: the transports do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from stingy.contract import MINUTE, Nanoseconds, Profile
from stingy.language.call import Call
from stingy.language.order import Order
from stingy.testimony import in_lines

Operation = tuple[Any, ...]
"""An operation of a program, and its arguments: ``("add", "a")``, ``("get",)``, ``("done",)`` …"""

PATIENCE: Nanoseconds = 1_000_000_000
"""How long, in the candidate's own time, a polling candidate may take to react."""

TO_BE_MADE: Nanoseconds = 10 * MINUTE
"""How long a constructor may take in virtual time: it may wait for somebody else, and that costs nothing."""


BEGINS_ANEW = "its clock begins anew with each candidate, so that none starts later than another"
CANNOT_CANCEL = "its Get cannot be cancelled"
CANNOT_PAUSE = "its lanes cannot pause in a burst"
CANNOT_SEE_ALARMS = "when its time-outs are due cannot be seen"
NOT_REREAD = "what it has handed over is told once, and cannot be read again"
OWN_COPIES = "what it is handed are copies of its own, which nobody shares"
CANNOT_STEP = "its clock cannot be stepped"
CANNOT_TELL_MEANWHILE = "it cannot be told of changes while it programs"
ONLY_TEXTS = "its items are texts"


class NotOffered(Exception):  # noqa: N818 - it is no error
    """The candidate has nothing of this profile; the message says what is missing."""


class CandidateError(Exception):
    """Nothing can be said about the rule: the candidate or its driver fell over."""

    def __init__(self, says: str) -> None:
        super().__init__(in_lines(says))


class Undecided(Exception):  # noqa: N818 - it is no error
    """The rule cannot be decided for this candidate, or not in the time given."""


class Limited(Undecided):
    """A limit of the suite's own was reached, which says nothing about the candidate; ``option`` lifts it."""

    def __init__(self, message: str, option: str) -> None:
        super().__init__(f"{message}: {option} lifts that limit")
        self.option = option.partition(" ")[0]


class Unsteady(Undecided):
    """The same calls have not always had the same answers."""


class Uncontrolled(Exception):  # noqa: N818 - it is no error
    """The candidate did something that this transport cannot follow; another one may."""


class Jumped(Exception):  # noqa: N818 - it is no error
    """What looks broken came after time had jumped over looks that seemed to be in vain: it has to be seen on foot."""


class Hangs(AssertionError):  # noqa: N818 - it is a verdict
    """The candidate keeps everybody from going on, for ever: what was asked of it cannot be kept."""


class DataRace(AssertionError):  # noqa: N818 - it is a verdict
    """Two of the candidate's threads touch the same thing, one of them writes it, and nothing puts them in order."""


class Pending(Protocol):
    """A call to the candidate, under way or over."""

    @property
    def returned(self) -> bool: ...

    @property
    def value(self) -> Any:
        """What it returned."""

    @property
    def raised(self) -> str | None:
        """What it raised instead, in words."""


class Session(Protocol):
    """One fresh candidate of one profile. Every method may raise CandidateError or Uncontrolled."""

    @property
    def timed(self) -> bool:
        """Whether "it still waits" only means that it has waited for a while."""

    @property
    def looks(self) -> int | None:
        """How often it has woken because something was due; None where nobody counts."""

    @property
    def shares(self) -> bool:
        """Whether the rule and the candidate hold the same objects, and not copies."""

    @property
    def deaths(self) -> Sequence[tuple[str, str]]:
        """Which of the candidate's own threads have been ended by what they raised, and that, as far as can be seen."""

    def call(self, lane: str, op: str, *args: Any) -> Pending:
        """Start a call on a lane that has none running."""

    def cancel(self, call: Any, turns: int = 0) -> None:
        """Cancel a call, after those that were started before it have run until they wait so many times.

        It may return all the same. NotOffered where a call cannot be cancelled.
        """

    def settle(self, awaiting: Pending | None = None, patience: Nanoseconds = 0) -> None:
        """Return when nothing moves any more, though up to ``patience`` of virtual time may pass for it.

        With ``awaiting``, a transport that cannot know waits for this call, and generously.
        """

    def advance(self, span: Nanoseconds) -> None:
        """Let virtual time pass; raises Undecided where there is none."""

    def now_ns(self) -> Nanoseconds:
        """The reading of the wall clock that the candidate sees."""

    def step(self, span: Nanoseconds) -> None:
        """Set that wall clock so much forward, or back, while no time passes; NotOffered where it cannot be."""

    def restart(self) -> None:
        """Put a fresh candidate in the place of this one, which is gone; on a clock of ours, time goes on."""

    def race(self, programs: Mapping[str, Sequence[Operation]], order: Order) -> Sequence[Call]:
        """Run a program on each lane, all at once, in this order if it can be chosen, until nothing moves."""

    def close(self) -> None:
        """Leave nothing behind."""


Options = Mapping[str, Any]
"""What a candidate is to be made with, by the names of the contract, in numbers, strings, lists and mappings:
times in nanoseconds, and for an object that it is handed what the suite's own is made with."""

NO_OPTIONS: Options = {}


class Opener(Protocol):
    def __call__(self, profile: Profile, options: Options = NO_OPTIONS) -> Session:
        """Set out a fresh candidate."""
