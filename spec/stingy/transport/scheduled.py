"""Races in a driver that lets stingy choose the order in which lanes run.

If the driver reports what its steps touch, and few runs are enough, every order is run. Otherwise
the driver makes many runs by itself, and reports those whose histories differ. Each of these is
repeated, in the same order, on the candidate that the rule calls. So everything that the rule
observes has happened to that very candidate.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, count
from typing import Any, Literal, Protocol
from zlib import crc32

import msgspec
from msgspec.structs import replace

from stingy.contract.forms import Service
from stingy.contract.ops import OPS, upstream
from stingy.engine.exploration import Keeps
from stingy.engine.shrinking import shortest
from stingy.language.order import Attempt, Budget, Explored, Order, Turn
from stingy.language.story import Aside
from stingy.transport import footprints, protocol
from stingy.transport.protocol import Choice, History, Rest, Schedule, Steps, Waits

BATCH = 200
"""Number of runs that the driver makes for one request."""
BATCHES = 2
"""Batches of runs for each race: one by each strategy."""
MOST = 20
"""Maximum number of histories of a batch for which the rule is run."""
SMALL = 40
"""Number of runs of a small program; few, because other programs reveal more than further runs."""
FEW = 3
"""Maximum number of histories of a small program for which the rule is run."""
EVERY = BATCH * BATCHES
"""Every order of a race is run if about this many runs are enough for that."""
Strategy = Literal["fair", "random", "pct", "sparse"]
STRATEGIES: tuple[Strategy, ...] = ("pct", "random")

Asked = list[Any]
"""A step of a program: an op, and its item or an object of its arguments."""
Burst = Callable[[Schedule], History]
"""A function that runs a burst by a schedule, and returns the history."""


class Search(Protocol):
    """Many runs of a race by a driver; ``found`` has the turns of runs with different histories."""

    runs: int
    found: list[list[Choice]]

    @property
    def complete(self) -> bool:
        """True if every order of the race was run, or an order that is equivalent to it."""

    def schedule(self, burst: Burst, then: Steps) -> Schedule:
        """Return the schedule that repeats the first history found; the first call makes all runs."""


@dataclass
class Everything:
    """A search through every order of a race; it gives up if ``most`` runs seem too few."""

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
    """Collects histories of a race; drops each one that shows nothing that others do not show.

    Two histories may have the same answers, and differ only in which calls ended before others
    began. If one has all such pairs of the other, it shows everything that the other one shows.
    """

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
        """The orderings that were seen, by outcome: the answers and the state left, as JSON.

        An ordering is a number with a bit for each pair of calls: 1 if one ended before the other
        began.
        """
        return {answers: sorted(before for before, _ in alike) for answers, alike in self._alike.items()}

    def choices(self) -> list[list[Choice]]:
        return [choices for alike in self._alike.values() for _, choices in alike]


@dataclass
class Batch:
    """Many runs of a race by one random strategy; ``found`` is filled once they have been made."""

    complete = False

    strategy: Strategy
    seed: int
    wanted: int
    most: int
    runs: int = 0
    found: list[list[Choice]] = field(default_factory=list)

    def schedule(self, burst: Burst, then: Steps) -> Schedule:
        """Return the schedule that repeats the first history found; the first call makes all runs."""
        if not self.runs:
            many = Schedule(
                strategy=self.strategy, seed=self.seed, runs=self.wanted, most=self.most, then=then
            )
            told = burst(many)
            self.runs, self.found = max(told.runs, 1), [history.choices for history in told.histories]
        return Schedule(choices=self.found[0]) if self.found else Schedule()


@dataclass(frozen=True)
class Again:
    """A schedule that repeats the turns of an earlier run."""

    choices: Sequence[Choice]

    def schedule(self, *_: object) -> Schedule:
        return Schedule(choices=list(self.choices))


@dataclass(frozen=True)
class Drawn:
    """A random schedule with about ``interruptions`` preemptions; with 0, the fair schedule."""

    seed: str
    interruptions: float

    def schedule(self, *_: object) -> Schedule:
        if not self.interruptions:
            return Schedule()
        return Schedule(strategy="sparse", seed=crc32(self.seed.encode()), interruptions=self.interruptions)


class Choices:
    """Source of schedules for a driver: random ones, or the turns of an earlier run."""

    def draw(self, seed: str, interruptions: float) -> Drawn:
        return Drawn(seed, interruptions)

    def again(self, trail: Sequence[Turn]) -> Again:
        return Again(trail)


CHOICES = Choices()


def explore(
    attempt: Attempt, seed: int, budget: Budget, keeps: Keeps | None, *, tells_steps: bool
) -> Explored:
    """Run a race in many orders until one fails, then shorten that order; return what was found.

    ``keeps`` returns whether a correct queue keeps the rule if some operations are left out; if it
    is None, nothing is shortened. ``tells_steps``: the driver reports what each step touches.
    """
    runs = 0
    every = [Everything(SMALL if budget.small else EVERY)] if tells_steps else []
    for number, search in enumerate(chain(every, _batches(seed, budget)), start=1 - len(every)):
        for order in orders_of(search):
            failure = attempt(order)
            if failure is not None:
                if keeps is not None:
                    order, failure = shortest(attempt, CHOICES, keeps, order, failure)  # noqa: PLW2901
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
    """Yield the orders in which to run a rule's race.

    When the first is run, the search makes all of its runs. Each further order repeats one of these
    runs, whose history differs from the others.
    """
    yield Order(1, search)
    for choices in search.found[1:]:
        yield Order(1, Again(choices))


def what_tells_apart(ops: Collection[str], programs: Mapping[str, Sequence[Asked]]) -> list[Asked]:
    """Return calls to make after a race, whose answers show in which state it left the candidate.

    ``ops`` are the ops that the candidate has; ``programs`` are those of the race.
    """
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
    """Return a ``compute`` that shows whether the candidate knows the Service of a step.

    It has the Service as if it was created at the epoch. That instant counts as a trigger time only
    if the candidate does not know the Service. A step that is a ``compute`` is returned unchanged.
    """
    if op == "compute":
        return [op, about]
    early = Service(about["name"], created=1, labels={}, annotations={}, ports=[], resource_version="")
    return ["compute", {"namespace": about["namespace"], "service": early, "pods": []}]


def _items(steps: Sequence[Asked]) -> Iterator[str]:
    """Yield the items that the steps name."""
    for op, *rest in steps:
        for about in rest:
            if OPS[op].takes_item:
                yield about if isinstance(about, str) else about["item"]


def read_race(burst: Burst, order: Order, then: Steps) -> History:
    """Run a burst in this order and return its history; store the turns that were taken in ``order``.

    ``then`` are calls to make after a run, whose answers show in which state it left the candidate.
    """
    wanted: Schedule = order.turns.schedule(burst, then)
    history = burst(replace(wanted, aloud=order.aloud))
    order.trail = tuple(history.choices)
    if order.aloud:
        order.asides.extend(_aside(turn.who, turn.rest) for turn in history.trail if turn.rest)
        order.asides.sort(key=lambda aside: aside.at)
    return history


def _aside(who: str, rest: Rest) -> Aside:
    doing = "is interrupted" if rest.cut else f"waits for {rest.for_}" if rest.for_ else "waits"
    return Aside(rest.stamp, who, f"{doing} {_whereabouts(rest)}")


def _whereabouts(rest: Rest) -> str:
    if not rest.at:
        return f"before {upstream(rest.line)}"
    where = "at" if not rest.cut else "after" if rest.after else "before"
    return f"{where} {rest.line} ({rest.at}, {rest.within})"


def keepers(waiting: Sequence[Waits]) -> str:
    """Describe which threads wait where, and which locks they hold."""
    return "; ".join(_waits(each) for each in waiting)


def _waits(waits: Waits) -> str:
    said = f"{waits.who.replace('_', ' ')} waits"
    if waits.for_:
        said += f" for {waits.for_}"
    said += f" at {waits.at}, {waits.within}" if waits.at else ""
    held = ", ".join(f"{held.at}, {held.within}" for held in waits.holds)
    return said + (f", and holds the lock taken at {held}" if held else "")
