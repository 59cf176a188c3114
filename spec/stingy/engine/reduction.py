"""Every order of a race, less those that nobody could tell apart.

Two neighbouring steps of two threads may change places, unless both touch the same thing and one writes
it. So it is enough to run one order of each class: after a run, every two steps that raced – that touch the
same, with nothing between them that puts them in order – are marked to be tried the other way round
(Flanagan and Godefroid, *Dynamic partial-order reduction*, 2005), and what would only repeat an order is
put to sleep (Godefroid, 1996). A thread's step goes from one scheduling point to its next.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

FEW = 6
"""So many orders of the search tell how many there may be."""
STEPS_A_RUN = 150
"""A run of more steps than that is none of a small program: there will be no end to it."""

Clock = list[int]
"""How many of the steps of each thread have surely come before, by the numbers of the threads."""


class Touch(Protocol):
    """What a step has to do with that others may have to do with, too."""

    @property
    def reads(self) -> Collection[int]:
        """The bits of what it only reads, one for each thing."""

    @property
    def changes(self) -> Collection[int]:
        """The bits of what it writes."""

    @property
    def acquires(self) -> Collection[int]:
        """The bits of the locks that it takes."""

    def conflicts(self, other: Any) -> bool:
        """Whether it matters which comes first."""


class Walk(Protocol):
    """One run of the search: the steps it has in common with the run before, one other, and then as it came."""

    @property
    def common(self) -> int:
        """So many steps are those of the run before."""

    @property
    def lost(self) -> bool:
        """Whether the run did not go as the one before."""

    @property
    def redirected(self) -> bool:
        """Whether its last choice is still to be made: the run went on with what has been seen without it."""

    @property
    def waits(self) -> Collection[int]:
        """Before which steps time has passed: all that was done earlier surely came before."""

    @property
    def released(self) -> Mapping[int, Sequence[tuple[str, int]]]:
        """Before which step who released which lock, by its bit."""

    @property
    def woken(self) -> Mapping[int, Sequence[str]]:
        """After which step who could go on only because of it."""

    @property
    def never_made(self) -> Mapping[str, Touch]:
        """What threads wanted to do when all was over."""


@dataclass
class Node:
    """One choice of a run: who could go on, and would touch what."""

    touches: dict[str, Any]
    """None for nothing, or for what is not known before the step is taken."""
    asleep: Mapping[str, Any]
    chosen: str
    to_try: set[str] = field(default_factory=set)
    tried: set[str] = field(default_factory=set)
    way: int = 0
    """In which of its ways the chosen one takes the step."""
    ways: int = 1
    """So many there are; all of them are tried."""

    def take_another_way(self) -> bool:
        """Whether there is one left."""
        if self.way + 1 == self.ways:
            return False
        self.way += 1
        return True

    def choose(self, name: str) -> None:
        self.chosen, self.way, self.ways = name, 0, 1

    def fall_asleep(self) -> dict[str, Any]:
        """Who need not be tried right after this step: what they would do has been seen without it."""
        step = self.touches[self.chosen]
        sleepy = {**self.asleep, **{name: self.touches[name] for name in self.tried}}
        return {
            name: access
            for name, access in sleepy.items()
            if name != self.chosen and not (access and step and access.conflicts(step))
        }


@dataclass
class Seen:
    """What has been done to one place so far, by the numbers of the steps."""

    written: int | None = None
    read_since: list[int] = field(default_factory=list)

    def note_write(self, step: int) -> None:
        self.written, self.read_since = step, []


class Reduction:
    """The search, and the run of it that comes next."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        """The choices of the next run; what follows them is as it comes."""
        self._numbers: dict[str, int] = {}
        """Of the threads, by their names."""
        self._then: list[Clock] = []
        """What had come before each step, and itself."""
        self.runs = 0
        self.open = True
        """Whether there are orders left to run."""
        self.complete = False
        """Whether every order has been run, or one that nobody could tell apart from it."""

        self.share = 0.0
        """About how much of the search is over, from 0 to 1: as if all branches of a node were of one size (Knuth, 1975)."""

    def is_near_its_end(self, orders: float, few: float) -> bool:
        """Whether so many orders in all look as if they will do; after a few it is known well enough to tell."""
        return self.open and (self.runs < few or self.runs <= orders * self.share)

    def _reckon_share(self) -> float:
        over, size = 0.0, 1.0
        for node in self.nodes:
            if node.ways == 1 and len(node.to_try) == 1:
                continue  # there is only one branch
            size /= len(node.tried | {node.chosen} | (node.to_try - node.asleep.keys()))
            over += size * len(node.tried - {node.chosen})
            size /= node.ways
            over += size * node.way
        return over

    def learn(self, walk: Walk, *, exact: bool) -> None:
        """Mark what has to be tried because of this run, and go on to the next."""
        self.runs += 1
        if walk.lost or not exact:
            self.open = False
            return
        self._mark_races(walk)
        if walk.redirected:
            return
        while self.nodes:
            node = self.nodes[-1]
            if node.take_another_way():
                self.share = self._reckon_share()
                return
            node.tried.add(node.chosen)
            left = node.to_try - node.tried - node.asleep.keys()
            if left:
                node.choose(min(left))
                self.share = self._reckon_share()
                return
            self.nodes.pop()
        self.open, self.complete = False, True

    def _mark_races(self, walk: Walk) -> None:
        """What comes of steps that this run has in common with the one before is known since then."""
        self._number_threads(walk.common)
        clocks = [[0] * len(self._numbers) for _ in self._numbers]
        released: dict[int, Clock] = {}
        """What had come before a lock was released last."""
        seen: dict[int, Seen] = {}
        for n, node in enumerate(self.nodes):
            if n in walk.waits:
                clocks = _all_have_seen_all(clocks)
            for name, lock in walk.released.get(n, ()):
                released[lock] = clocks[self._numbers[name]]
            who, access = self._numbers[node.chosen], node.touches[node.chosen]
            if n >= walk.common:
                self._then.append(self._after(n, clocks[who], seen, released))
            clocks[who] = self._then[n]
            for name in walk.woken.get(n, ()):
                woken = self._numbers[name]
                clocks[woken] = _join(clocks[woken], self._then[n])
            if access is not None:
                for bit in access.reads:
                    seen.setdefault(bit, Seen()).read_since.append(n)
                for bit in access.changes:
                    seen.setdefault(bit, Seen()).note_write(n)
        for name, access in walk.never_made.items():
            if name in self._numbers:
                before = _in_the_way(access.reads, access.changes, seen)
                self._mark_race(before, name, clocks[self._numbers[name]])

    def _after(self, n: int, clock: Clock, seen: Mapping[int, Seen], released: Mapping[int, Clock]) -> Clock:
        """What has come before a step, and itself; marks what it races with. ``clock``: what had come before its thread's last."""
        node = self.nodes[n]
        access = node.touches[node.chosen]
        clock = list(clock)
        if access is not None:
            reads, changes, before = access.reads, access.changes, set[int]()
            locks = [lock for lock in access.acquires if lock in released]
            if locks:
                before = _in_the_way(_among(reads, locks), _among(changes, locks), seen)
                self._mark_race(before, node.chosen, clock)
                clock = _join(clock, *(released[lock] for lock in locks))
                reads, changes = _not_among(reads, locks), _not_among(changes, locks)
            others = _in_the_way(reads, changes, seen)
            self._mark_race(others, node.chosen, clock)  # what is done with a lock in hand is in order
            clock = _join(clock, *(self._then[step] for step in before | others))
        clock[self._numbers[node.chosen]] = n + 1
        return clock

    def _number_threads(self, common: int) -> None:
        """See to it that every thread has a number, and keep what has come before the steps that are the same as before."""
        del self._then[common:]
        known = len(self._numbers)
        for node in self.nodes[common:]:
            for name in node.touches:
                self._numbers.setdefault(name, len(self._numbers))
        for clock in self._then:
            clock.extend([0] * (len(self._numbers) - known))

    def _mark_race(self, before: Collection[int], who: str, clock: Clock) -> None:
        """Find the last of these steps that could as well have come after this one; let this one go first."""
        numbers = self._numbers
        racing = [step for step in before if clock[numbers[self.nodes[step].chosen]] <= step]
        if not racing:
            return
        step = max(racing)
        node = self.nodes[step]
        if who in node.touches:
            node.to_try.add(who)
            return
        first = {name for name in node.touches if clock[numbers[name]] > step + 1}
        if not first:
            node.to_try |= node.touches.keys()
        elif not first & node.to_try:
            node.to_try.add(min(first))


def _in_the_way(reads: Iterable[int], changes: Iterable[int], seen: Mapping[int, Seen]) -> set[int]:
    """The steps that it conflicts with to read or write these things, but for those that surely come before one of them."""
    steps = set()
    for bit in (*reads, *changes):
        if bit in seen and (written := seen[bit].written) is not None:
            steps.add(written)
    for bit in changes:
        if bit in seen:
            steps.update(seen[bit].read_since)
    return steps


def _among(bits: Iterable[int], some: Collection[int]) -> list[int]:
    return [bit for bit in bits if bit in some]


def _not_among(bits: Iterable[int], some: Collection[int]) -> list[int]:
    return [bit for bit in bits if bit not in some]


def _join(clock: Clock, *others: Clock) -> Clock:
    """What has come before one or another."""
    return [*map(max, clock, *others)] if others else clock


def _all_have_seen_all(clocks: Sequence[Clock]) -> list[Clock]:
    """Time passes only when nobody can go on: so whatever comes then comes after all that was done."""
    together = [max(steps) for steps in zip(*clocks, strict=True)]
    return [list(together) for _ in clocks]
