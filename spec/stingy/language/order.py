"""One run of a race: which operations are left out, and how its lanes take turns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, Protocol

from stingy.language.call import Call
from stingy.language.conflict import Conflict, Cut, Touch, find_conflict
from stingy.language.story import Aside, Step

Place = tuple[str, int]
"""An operation of a race's programs: its lane, and its index in that lane's program."""

BEFORE = "before"
"""Lane, in a ``Place``, of the steps that come before a race."""

Turn = tuple[str, int | None]
"""A thread's name, and the number of scheduling points until another thread runs.

The number is None if the thread runs until it blocks or ends.
"""


@dataclass(frozen=True)
class Played:
    """A race's program that was run on a fresh candidate, and the calls that it made."""

    before: str
    at_once: str
    calls: Sequence[Call]
    steps: Callable[[], Sequence[Step]]
    """Returns the story up to the end of the program."""


@dataclass
class Order:
    """The schedule of one run of a race; after the run, also the record of what was run."""

    number: int
    """Number of the run; a driver gets it as the seed of its burst."""
    turns: Any = None
    """The schedule, in the transport's own form.

    None: switch threads only when one blocks, to the one that has waited longest.
    """
    without: frozenset[Place] = frozenset()
    """The operations that are left out."""
    aloud: bool = False
    """True to record in ``asides`` where threads are preempted and where they wait."""
    straight: bool = False
    """True to let virtual time pass for as long as lanes still make progress."""
    step: bool = False
    """True for a single call before a race: time passes only until the call returns."""
    operations: list[Place] = field(default_factory=list)
    """All operations of the programs, also those left out, in the order of ``keeps`` calls."""
    trail: Sequence[Turn] = ()
    """The turns that threads took in this run."""
    exact: bool = False
    """True if repeating the turns repeats the run: the engine neither guessed nor skipped."""
    unseen: str = ""
    """Description of code that ran and in which no thread can be preempted; empty if none."""
    asides: list[Aside] = field(default_factory=list)
    touches: Sequence[Touch] = ()
    """The data that threads touched in a run ``aloud``, as far as that is certain."""
    cuts: Sequence[Cut] = ()
    """The ends of turns within calls of a run ``aloud``: interruptions, and waits for a lock."""
    played: Played | None = None
    """The program that ran; None if something else had happened on the stage before."""
    story: Sequence[Step] = ()
    """The story of this run, if the rule failed in it."""
    stuck: str = ""
    """Text about a call that never returns but has to at once, with the cause; else empty."""

    def keeps(self, lane: str, number: int) -> bool:
        """Return True if this operation of the lane is to run; record it in ``operations`` as well."""
        self.operations.append((lane, number))
        return (lane, number) not in self.without

    @property
    def interruptions(self) -> int:
        return sum(points is not None for _, points in self.trail)

    @property
    def conflict(self) -> Conflict | None:
        """The conflict that explains the failure of a run ``aloud``; None if none is certain."""
        return find_conflict(self.touches, self.cuts, [who for who, _ in self.trail])

    @property
    def token(self) -> str:
        """The order as one word, to repeat it: the operations left out, a slash, the turns."""
        out = ",".join(f"{_word(lane)}.{n}" for lane, n in sorted(self.without))
        turns = ",".join(_word(who) if n is None else f"{_word(who)}:{n}" for who, n in self.trail)
        return f"{out}/{turns}"


def parse_order(token: str) -> tuple[frozenset[Place], tuple[Turn, ...]]:
    """Return the operations that an order's token leaves out, and its turns.

    Raises ValueError if ``token`` is not the token of an order.
    """
    out, stroke, turns = token.partition("/")
    if not stroke:
        raise ValueError(
            f"{token!r} is not an order: it has no stroke between what is left out and the turns"
        )
    return frozenset(map(_place, filter(None, out.split(",")))), tuple(
        map(_turn, filter(None, turns.split(",")))
    )


def _place(text: str) -> Place:
    lane, _, number = text.rpartition(".")
    return _name(lane), int(number)


def _turn(text: str) -> Turn:
    who, colon, points = text.partition(":")
    return _name(who), int(points) if colon else None


def _word(name: str) -> str:
    return name.replace(" ", "-")


def _name(word: str) -> str:
    return word.replace("-", " ")


@dataclass(frozen=True)
class Failure:
    """The AssertionError that a run of a rule raised, and the rule's line that raised it."""

    error: AssertionError
    line: int
    """The rule's line that raised it. Two failures of the same line count as the same failure."""


Attempt = Callable[[Order], Failure | None]
"""Runs a rule in one order; returns the failure, or None."""


@dataclass(frozen=True)
class Budget:
    """Limit on the runs of a race: a number of orders, or a time of the real clock to stop at."""

    orders: int
    end: float | None = None
    """A reading of ``perf_counter``; None if orders are counted."""
    small: bool = False
    """True for one of many small programs, each of which has only a few orders."""

    @property
    def timed(self) -> bool:
        """True if the budget is a time, False if it is a number of orders."""
        return self.end is not None

    def spent(self, made: float) -> bool:
        """Return True if the budget is used up after ``made`` orders, or if its time is over."""
        return made >= self.orders if self.end is None else perf_counter() >= self.end


def within(runs: int, share: float | None, *, small: bool = False) -> Budget:
    """Return a budget of ``runs`` orders, or of ``share`` seconds from now if there is a share.

    ``small``: True for one of many small programs that share their time. Its orders are counted,
    because the caller watches the time of all.
    """
    return Budget(runs, None if share is None or small else perf_counter() + share, small)


@dataclass(frozen=True)
class Explored:
    """The result of running one race in many orders."""

    runs: int
    exhaustive: bool = False
    """True if no order is missing, except those equivalent to one that was run."""
    failure: Failure | None = None
    """The shortest failure found."""
    token: str = ""
    """Token of the order that failed."""
    by_chance: bool = False
    """True if the orders were left to chance, so that the next exploration runs others."""
    unseen: str = ""
    """Code in which no thread could be preempted; orders that differ only there were not run."""


class Explorer(Protocol):
    def __call__(self, attempt: Attempt, runs: int, *, small: bool = False) -> Explored:
        """Run a race in up to ``runs`` orders, or in as many as there is time for.

        Stops at the first failure. ``small``: True for one of many programs with few orders each.
        The caller then watches the time of all.
        """
