"""Races of a driver that can be told in which order its lanes go on.

The driver runs them many times by itself and tells the histories that differ; each is then run once more, in the order
that it came of, on the candidate that the rule looks at. So what a rule is told has happened to just that candidate.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Literal
from zlib import crc32

from msgspec.structs import replace

from stingy.engine.exploration import Keeps
from stingy.engine.shrinking import shortest
from stingy.language.order import Aside, Attempt, Budget, Explored, Order, Turn
from stingy.ops import upstream
from stingy.transport.protocol import Choice, History, Rest, Schedule, Spot, Waits

BATCH = 200
"""So many runs are made by the driver before it tells of them."""
BATCHES = 2
"""So many batches are made of each race: one by either strategy."""
MOST = 20
"""So many histories of a batch are looked at."""
SMALL = 40
"""So many runs of a small program: the next one tells more."""
FEW = 3
"""So many histories of them are looked at."""
Strategy = Literal["fair", "random", "pct", "sparse"]
STRATEGIES: tuple[Strategy, ...] = ("pct", "random")

Burst = Callable[[Schedule], History]
"""Runs a burst by a schedule."""


@dataclass
class Search:
    """Many runs by one strategy; what they have shown, once they have been made."""

    strategy: Strategy
    seed: int
    wanted: int
    most: int
    runs: int = 0
    found: list[list[Choice]] = field(default_factory=list)

    def schedule(self, burst: Burst, items: Collection[str]) -> Schedule:
        """Of the first history that was found."""
        if not self.runs:
            many = Schedule(
                strategy=self.strategy, seed=self.seed, runs=self.wanted, most=self.most, then=_then(items)
            )
            told = burst(many)
            self.runs, self.found = max(told.runs, 1), [history.choices for history in told.histories]
        return Schedule(choices=self.found[0]) if self.found else Schedule()


@dataclass(frozen=True)
class Again:
    """The turns of an earlier run."""

    choices: Sequence[Choice]

    def schedule(self, *_: object) -> Schedule:
        return Schedule(choices=list(self.choices))


@dataclass(frozen=True)
class Drawn:
    """Turns at random, with about so many interruptions."""

    seed: str
    interruptions: float

    def schedule(self, *_: object) -> Schedule:
        if not self.interruptions:
            return Schedule()
        return Schedule(strategy="sparse", seed=crc32(self.seed.encode()), interruptions=self.interruptions)


class Choices:
    """How the lanes of such a driver can take turns."""

    def draw(self, seed: str, interruptions: float) -> Drawn:
        return Drawn(seed, interruptions)

    def again(self, trail: Sequence[Turn]) -> Again:
        return Again(trail)


CHOICES = Choices()


def explore(attempt: Attempt, seed: int, budget: Budget, keeps: Keeps | None) -> Explored:
    """Run a race in many orders until one fails; that is made short, if it is known how."""
    runs, (wanted, most) = 0, (SMALL, FEW) if budget.small else (BATCH, MOST)
    for number in count():
        search = Search(STRATEGIES[number % len(STRATEGIES)], (seed * 1000 + number) * BATCH, wanted, most)
        for order in _orders(search):
            failure = attempt(order)
            if failure is not None:
                if keeps is not None:
                    order, failure = shortest(attempt, CHOICES, keeps, order, failure, str(seed))  # noqa: PLW2901
                return Explored(runs + search.runs, failure=failure, token=order.token)
        runs += search.runs
        if _is_enough(budget, number + 1, runs):
            return Explored(runs)
    raise AssertionError("count() does not end")


def _is_enough(budget: Budget, batches: int, runs: int) -> bool:
    if budget.small:
        return True
    return budget.spent(runs) if budget.end is not None else batches >= BATCHES


def _orders(search: Search) -> Iterator[Order]:
    yield Order(1, search)
    for choices in search.found[1:]:
        yield Order(1, Again(choices))


def _then(items: Collection[str]) -> list[list[Any]]:
    """What tells the states of a queue apart in which a race with these items may leave it."""
    return [["len"], *(["done", item] for item in items), ["get"], *[["done"], ["get"]] * len(items)]


def read_race(burst: Burst, order: Order, items: Collection[str]) -> History:
    """Run a burst with these items in this order, and fill in how it went."""
    wanted: Schedule = order.turns.schedule(burst, items)
    history = burst(replace(wanted, aloud=order.aloud))
    order.trail = tuple(history.choices)
    if order.aloud:
        order.asides.extend(_aside(turn.who, turn.rest) for turn in history.trail if turn.rest)
        order.asides.sort(key=lambda aside: aside.at)
    return history


def _aside(who: str, rest: Rest) -> Aside:
    doing = "is interrupted" if rest.cut else f"waits for {rest.for_}" if rest.for_ else "waits"
    return Aside(rest.stamp, who, f"{doing} {_beside(rest)}")


def _beside(spot: Spot) -> str:
    if not spot.at:
        return f"before {upstream(spot.line)}"
    return f"{'after' if spot.after else 'before'} {spot.line} ({spot.at}, {spot.within})"


def keepers(waiting: Sequence[Waits]) -> str:
    """Who waits where, and who holds what."""
    return "; ".join(_waits(each) for each in waiting)


def _waits(waits: Waits) -> str:
    said = f"{waits.who.replace('_', ' ')} waits"
    if waits.for_:
        said += f" for {waits.for_}"
    said += f" at {waits.at}, {waits.within}" if waits.at else ""
    held = ", ".join(f"{held.at}, {held.within}" for held in waits.holds)
    return said + (f", and holds the lock taken at {held}" if held else "")
