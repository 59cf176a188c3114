"""One run of a race: what is left out of its programs, and how its lanes take turns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, Protocol

from msgspec import Struct

from stingy.language.call import Call
from stingy.language.story import Step

Place = tuple[str, int]
"""An operation of a race's programs: the lane, and the how-manieth of its own it is."""

BEFORE = "before"
"""The lane, for ``Place``, of the steps that come before a race, one after the other."""

Turn = tuple[str, int | None]
"""A thread's name, and after how many scheduling points another one goes on; None where it blocks or ends."""


class Aside(Struct, frozen=True):
    """What the lanes' calls do not tell: where a thread was interrupted, or waits."""

    at: int
    """The stamp it follows."""
    who: str
    what: str


@dataclass(frozen=True)
class Played:
    """A program that is written down, run on a fresh stage, and what came of it."""

    before: str
    at_once: str
    calls: Sequence[Call]
    steps: Callable[[], Sequence[Step]]
    """Of the story, to the end of the program."""


@dataclass
class Order:
    """How one run is to go; filled in, when it is over, with how it went."""

    number: int
    turns: Any = None
    """The transport's own: who goes next. None: who has waited longest, once nobody else can."""
    without: frozenset[Place] = frozenset()
    aloud: bool = False
    """Whether asides are wanted."""
    straight: bool = False
    """Whether its lanes do not wait for each other: they are waited for while they go on, however long that takes."""
    step: bool = False
    """Whether the order is of one call before a race: no more time passes than that call needs, and nothing becomes due."""
    operations: list[Place] = field(default_factory=list)
    """The operations that there were."""
    trail: Sequence[Turn] = ()
    """The turns that were taken."""
    exact: bool = False
    """Whether the same turns could not have gone otherwise: nothing was only tried."""
    unseen: str = ""
    """Code that has run, and in which nobody can be interrupted."""
    asides: list[Aside] = field(default_factory=list)
    played: Played | None = None
    """What was run, where nothing had been done before."""
    stuck: str = ""
    """What cannot go on any more though nothing that it waits for may keep it; nothing, as a rule."""

    def keeps(self, lane: str, number: int) -> bool:
        """Whether this operation is to be made; notes that there is one."""
        self.operations.append((lane, number))
        return (lane, number) not in self.without

    @property
    def interruptions(self) -> int:
        return sum(points is not None for _, points in self.trail)

    @property
    def token(self) -> str:
        """The run in one word: what is left out, a stroke, the turns."""
        out = ",".join(f"{_word(lane)}.{n}" for lane, n in sorted(self.without))
        turns = ",".join(_word(who) if n is None else f"{_word(who)}:{n}" for who, n in self.trail)
        return f"{out}/{turns}"


def parse_order(token: str) -> tuple[frozenset[Place], tuple[Turn, ...]]:
    """What a token leaves out, and its turns; ValueError if it is none."""
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
    """What a run showed to be broken."""

    error: AssertionError
    line: int
    """The line of the rule that said so: two failures are of one kind if it is the same."""


Attempt = Callable[[Order], Failure | None]
"""Runs a rule in one order."""


@dataclass(frozen=True)
class Budget:
    """How often a race is run: in so many orders, or until a reading of the real clock."""

    orders: int
    end: float | None = None
    """A reading of ``perf_counter``; None where the orders are counted."""
    small: bool = False
    """Whether it is for one of many programs, which has hardly more orders than these."""

    @property
    def timed(self) -> bool:
        """Whether it is of time."""
        return self.end is not None

    def spent(self, made: float) -> bool:
        """Whether it was enough, after so many."""
        return made >= self.orders if self.end is None else perf_counter() >= self.end


def within(runs: int, share: float | None, *, small: bool = False) -> Budget:
    """So many runs of races, or as many as there is time for, where they have a share of time: seconds from now.

    ``small``: it is for one of many programs, which have their time together, and somebody else looks at that.
    """
    return Budget(runs, None if share is None or small else perf_counter() + share, small)


@dataclass(frozen=True)
class Explored:
    """What many orders of one race have shown."""

    runs: int
    exhaustive: bool = False
    """Whether these were all, but for those that nobody could tell apart from one that was run."""
    failure: Failure | None = None
    """The shortest that was found."""
    token: str = ""
    """The order it was found in."""
    by_chance: bool = False
    """Whether nobody has chosen these orders: they are others the next time."""
    unseen: str = ""
    """Code in which nobody could be interrupted: there are other orders, which only it tells apart."""


class Explorer(Protocol):
    def __call__(self, attempt: Attempt, runs: int, *, small: bool = False) -> Explored:
        """Attempt up to so many orders, or as many as the budget has it; stop at the first that fails.

        ``small``: it is one of many programs that have few orders each. The budget is for all of them, and somebody else's.
        """
