"""Races of a driver that can be told in which order its lanes go on.

Every order is run, where the driver tells what its steps have to do with and that does not take long; elsewhere the driver
runs many by itself. Each history that differs from the others is then run once more, in the order that it came of, on the
candidate that the rule looks at. So what a rule is told has happened to just that candidate.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, count
from typing import Any, Literal, Protocol
from zlib import crc32

import msgspec
from msgspec.structs import replace

from stingy.engine.exploration import Keeps
from stingy.engine.shrinking import shortest
from stingy.forms import Service
from stingy.language.order import Aside, Attempt, Budget, Explored, Order, Turn
from stingy.ops import OPS, upstream
from stingy.transport import footprints, protocol
from stingy.transport.protocol import Choice, History, Rest, Schedule, Spot, Steps, Waits

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
EVERY = BATCH * BATCHES
"""Every order is run where these are no more."""
Strategy = Literal["fair", "random", "pct", "sparse"]
STRATEGIES: tuple[Strategy, ...] = ("pct", "random")

Asked = list[Any]
"""A step: an op, and what it goes with."""
Burst = Callable[[Schedule], History]
"""Runs a burst by a schedule."""


class Search(Protocol):
    """Many runs, and the turns of those that have shown something."""

    runs: int
    found: list[list[Choice]]

    @property
    def complete(self) -> bool:
        """Whether every order has been run, or one that nobody could tell apart from it."""

    def schedule(self, burst: Burst, then: Steps) -> Schedule:
        """Of the first history that was found; the runs are made when this is asked for the first time."""


@dataclass
class Everything:
    """The search through every order, as long as it looks as if so many runs will do."""

    most: int
    runs: int = 0
    found: list[list[Choice]] = field(default_factory=list)
    races: int = 0
    search: footprints.Search = field(default_factory=footprints.Search)

    @property
    def complete(self) -> bool:
        return self.search.complete and self.races == 1

    def schedule(self, burst: Burst, then: Steps) -> Schedule:
        self.races += 1
        if not self.runs:
            seen = Seen()
            while self.search.is_near_its_end(self.most):
                asked = Schedule(choices=self.search.choices(), footprints=True, runs=1, most=1, then=then)
                told = burst(asked).histories[0]
                seen.note(told)
                self.search.learn(told.footprints or protocol.Footprints([]))
            self.runs, self.found = self.search.runs, seen.choices()
        return Schedule(choices=self.found[0])


class Seen:
    """The different histories, without those that order fewer calls than one that is otherwise alike: it shows all they show."""

    def __init__(self) -> None:
        self._alike: dict[bytes, list[tuple[int, list[Choice]]]] = {}

    def note(self, history: History) -> None:
        calls = sorted(history.calls, key=lambda call: (call.lane, call.start))
        answers = [replace(call, start=0, end=call.end and 0) for call in calls]
        alike = self._alike.setdefault(msgspec.json.encode((answers, history.waiting, history.left)), [])
        pairs = (one.end is not None and one.end < other.start for one in calls for other in calls)
        before = sum(1 << n for n, is_before in enumerate(pairs) if is_before)
        if not any(before & had == before for had, _ in alike):
            alike[:] = [each for each in alike if each[0] & ~before]
            alike.append((before, history.choices))

    @property
    def answers(self) -> Mapping[bytes, Sequence[int]]:
        """By what the calls answered and was left, which of the pairs of them were in order, a bit for each."""
        return {answers: sorted(before for before, _ in alike) for answers, alike in self._alike.items()}

    def choices(self) -> list[list[Choice]]:
        return [choices for alike in self._alike.values() for _, choices in alike]


@dataclass
class Batch:
    """Many runs by one strategy; what they have shown, once they have been made."""

    complete = False

    strategy: Strategy
    seed: int
    wanted: int
    most: int
    runs: int = 0
    found: list[list[Choice]] = field(default_factory=list)

    def schedule(self, burst: Burst, then: Steps) -> Schedule:
        """Of the first history that was found."""
        if not self.runs:
            many = Schedule(
                strategy=self.strategy, seed=self.seed, runs=self.wanted, most=self.most, then=then
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


def explore(
    attempt: Attempt, seed: int, budget: Budget, keeps: Keeps | None, *, tells_steps: bool
) -> Explored:
    """Run a race in many orders until one fails; that is made short, if it is known how."""
    runs = 0
    every = [Everything(SMALL if budget.small else EVERY)] if tells_steps else []
    for number, search in enumerate(chain(every, _batches(seed, budget)), start=1 - len(every)):
        for order in orders_of(search):
            failure = attempt(order)
            if failure is not None:
                if keeps is not None:
                    order, failure = shortest(attempt, CHOICES, keeps, order, failure, str(seed))  # noqa: PLW2901
                return Explored(runs + search.runs, failure=failure, token=order.token)
        runs += search.runs
        if search.complete:
            return Explored(runs, exhaustive=True)
        if number and _is_enough(budget, number, runs):
            return Explored(runs)
    raise AssertionError("count() does not end")


def _batches(seed: int, budget: Budget) -> Iterator[Search]:
    wanted, most = (SMALL, FEW) if budget.small else (BATCH, MOST)
    for number in count():
        yield Batch(STRATEGIES[number % len(STRATEGIES)], (seed * 1000 + number) * BATCH, wanted, most)


def _is_enough(budget: Budget, batches: int, runs: int) -> bool:
    if budget.small:
        return True
    return budget.spent(runs) if budget.timed else batches >= BATCHES


def orders_of(search: Search) -> Iterator[Order]:
    """Those in which a rule is asked: the first has the runs made, and each of the others is one that has shown something else."""
    yield Order(1, search)
    for choices in search.found[1:]:
        yield Order(1, Again(choices))


def what_tells_apart(ops: Collection[str], programs: Mapping[str, Sequence[Asked]]) -> list[Asked]:
    """What is asked to tell the states apart in which a race of these programs may leave what has these ops."""
    if "checkout" in ops:
        return [["checkout"]]
    steps = list(chain.from_iterable(programs.values()))
    if "compute" in ops:
        return [_look_for(*step) for step in steps]
    items = sorted(set(_items(steps)))
    told: list[Asked] = [[op] for op in sorted(ops) if OPS[op].told]
    told += [[op, item] for op in ("num_requeues", "when") if op in ops for item in items]
    for get in sorted(op for op in ops if OPS[op].hands_out):
        told += [["len"], *(["done", item] for item in items), [get], *[["done"], [get]] * len(items)]
    return told


def _look_for(op: str, about: Any) -> Asked:
    """A sync of the Service that the step is about: of one that is known, nothing as early as this is a trigger."""
    if op == "compute":
        return [op, about]
    early = Service(about["name"], created=1, labels={}, annotations={}, ports=[], resource_version="")
    return ["compute", {"namespace": about["namespace"], "service": early, "pods": []}]


def _items(steps: Sequence[Asked]) -> Iterator[str]:
    """Those that are spoken of."""
    for op, *rest in steps:
        for about in rest:
            if OPS[op].takes_item:
                yield about if isinstance(about, str) else about["item"]


def read_race(burst: Burst, order: Order, then: Steps) -> History:
    """Run a burst in this order, and fill in how it went. ``then``: what tells apart how it may have left the candidate."""
    wanted: Schedule = order.turns.schedule(burst, then)
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
