"""Every order of a race, less those that nobody could tell apart.

Two neighbouring steps of two threads may change places, unless both touch the same thing and one writes
it. So it is enough to run one order of each class: after a run, every two steps that raced – that touch the
same, with nothing between them that puts them in order – are marked to be tried the other way round
(Flanagan and Godefroid, *Dynamic partial-order reduction*, 2005), and what would only repeat an order is
put to sleep (Godefroid, 1996). A thread's step goes from one scheduling point to its next.

A history also tells which call was over before which began. The stricter of two such orders shows more: of calls that
overlap nothing is wrong that would be right if they did not. So an end is tried before a begin that came first, and not the
other way round.

The runs are the leaves of a tree, and its nodes are choices. Which leaf comes next is drawn, so that those that there is time for,
where there is none for all, lie all over the tree.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from random import Random
from typing import Any, Protocol

from msgspec import Struct, field

FEW = 6
"""So many orders of the search tell how many there may be."""
STEPS_A_RUN = 150
"""A run of more steps than that is none of a small program: there will be no end to it."""

Thing = int | tuple[str, int | str | None]

Clock = list[int]
"""How many of the steps of each thread have surely come before, by the numbers of the threads."""


class Touch(Protocol):
    """What a step has to do with that others may have to do with, too."""

    @property
    def reads(self) -> Collection[Any]:
        """The things that it only reads."""

    @property
    def changes(self) -> Collection[Any]:
        """Those that it changes."""

    @property
    def acquires(self) -> Collection[Any]:
        """The locks that it takes."""

    @property
    def begins(self) -> bool:
        """Whether a call begins with it."""

    @property
    def ends(self) -> bool:
        """Whether a call ends with it."""

    def covers(self, other: Any) -> bool:
        """Whether nothing more can be seen where the other comes first, and this right after it, than the other way round."""


class Walk(Protocol):
    """One run of the search: the steps it has in common with some run before, one other, and then as it came."""

    @property
    def common(self) -> int:
        """So many steps are those of an earlier run."""

    @property
    def lost(self) -> bool:
        """Whether they did not go as in that run."""

    @property
    def redirected(self) -> bool:
        """Whether its last choice is still to be made: the run went on with what has been seen without it."""

    @property
    def waits(self) -> Collection[int]:
        """Before which steps time has passed: all that was done earlier surely came before."""

    @property
    def released(self) -> Mapping[int, Sequence[tuple[str, Any]]]:
        """Before which step who released which lock."""

    @property
    def woken(self) -> Mapping[int, Sequence[str]]:
        """After which step who could go on only because of it."""

    @property
    def never_made(self) -> Mapping[str, Touch]:
        """What threads wanted to do when all was over."""


class Branch(Struct):
    """What follows when somebody takes a step in one of its ways."""

    then: Clock
    """What has come before the step, and itself."""
    next: Node | None = None
    """The next choice; None where there is none, or all that follows has been run."""


Way = tuple[str, int]
"""Who goes on, and in which of its ways."""


class Node(Struct):
    """One choice of a run: who could go on, and would touch what."""

    touches: dict[str, Any]
    """None for nothing, or for what is not known before the step is taken."""
    asleep: dict[str, Any]
    """Who need not be tried, and what they would touch: what comes of it is seen without it."""
    chosen: str
    """Who goes on in the run that is made, or has been made last."""
    to_try: set[str] = field(default_factory=set)
    way: int = 0
    """In which of its ways the chosen one takes the step."""
    ways: int = 1
    """So many there are; all of them are tried."""
    branches: dict[Way, Branch] = field(default_factory=dict)
    """What has been tried."""
    share: float = 0.0
    """About how much of what follows has been run, from 0 to 1: as if all branches were of one size (Knuth, 1975)."""
    more_ways: dict[str, int] = field(default_factory=dict)
    """Who has other ways of taking the step, and how many there are of them all."""
    points: dict[str, int] = field(default_factory=dict)
    """How many scheduling points the step of each takes, where they are counted."""

    def choose(self, way: Way) -> Branch | None:
        """Go this way next; what follows, if it has been tried."""
        self.chosen, self.way = way
        self.ways = self.more_ways.get(self.chosen, 1)
        return self.branches.get(way)

    def fall_asleep(self) -> dict[str, Any]:
        """Who need not be tried right after this step: what they would do has been seen without it, or is to be."""
        step = self.touches[self.chosen]
        sleepy = {**self.asleep, **{name: self.touches[name] for name, _ in self.branches}}
        return {
            name: access
            for name, access in sleepy.items()
            if name != self.chosen and (access is None or step is None or access.covers(step))
        }

    def is_taken(self, then: Clock, following: Node | None) -> None:
        """The chosen one has taken the step, and this is what came of it."""
        if self.ways > 1:
            self.more_ways[self.chosen] = self.ways
        branch = self.branches.setdefault((self.chosen, self.way), Branch(then))
        share = 1.0 if following is None else following.share
        branch.then, branch.next = then, following if share < 1 else None
        if len(self.to_try) > 1 or self.more_ways:
            shares = [1.0 if it.next is None else it.next.share for it in self.branches.values()]
            untried = len(self.untried())
            share = 1.0 if not untried and min(shares) == 1 else sum(shares) / (len(shares) + untried)
        self.share = share

    def untried(self) -> list[Way]:
        """What is to be run, and begins here. Whoever has been tried has to be in all ways before another one is."""
        ways = [(name, way) for name, ways in self.more_ways.items() for way in range(ways)]
        left = [it for it in ways if it not in self.branches]
        tried = {name for name, _ in self.branches}
        return left or [(name, 0) for name in sorted(self.to_try - tried - self.asleep.keys())]

    def left(self) -> list[Way]:
        """Where there is something left to be run."""
        if len(self.branches) == 1 == len(self.to_try) and not self.more_ways:
            return [*self.branches]
        return [*self.untried(), *[way for way, branch in self.branches.items() if branch.next is not None]]


class Seen:
    """What has been done to one thing so far, by the numbers of the steps."""

    __slots__ = ("read_since", "written")

    def __init__(self) -> None:
        self.written: Sequence[int] = ()
        """When it was changed last, if ever."""
        self.read_since: list[int] = []


class Traces:
    """What steps have done to things so far. A thing may be a number, or a kind and a number; a kind without one is all of that kind."""

    def __init__(self) -> None:
        self._seen: dict[Thing, Seen] = {}
        self._begun: list[int] = []
        """The steps with which calls have begun."""
        self._kinds: dict[str, list[Seen]] = {}

    def note(self, step: int, touch: Touch) -> None:
        for thing in touch.reads:
            seen = self._seen.get(thing) or self._add(thing)
            seen.read_since.append(step)
        for thing in touch.changes:
            seen = self._seen.get(thing) or self._add(thing)
            seen.written, seen.read_since = (step,), []
        if touch.begins:
            self._begun.append(step)

    def begun(self, clock: Clock, whose: Sequence[int]) -> list[int]:
        """The steps with which calls have begun, but for those that surely come before."""
        return [step for step in self._begun if clock[whose[step]] <= step]

    def racing(
        self, reads: Iterable[Thing], changes: Iterable[Thing], clock: Clock, whose: Sequence[int]
    ) -> list[int]:
        """The steps with which it conflicts to do this, but for those that surely come before: before one of them, or by the clock."""
        steps: list[int] = []
        for thing in reads:
            for seen in self._related(thing):
                steps += seen.written
        for thing in changes:
            for seen in self._related(thing):
                steps += seen.written
                steps += seen.read_since
        return [step for step in steps if clock[whose[step]] <= step]

    def _add(self, thing: Thing) -> Seen:
        seen = self._seen[thing] = Seen()
        if type(thing) is tuple:
            self._kinds.setdefault(thing[0], []).append(seen)
        return seen

    def _related(self, thing: Thing) -> Iterable[Seen]:
        """Of whatever is the same thing, or one of these, or all of these."""
        seen = self._seen.get(thing)
        if type(thing) is tuple:
            if thing[1] is None:
                return self._kinds.get(thing[0], ())
            whole = self._seen.get((thing[0], None))
            if whole is not None:
                return (whole,) if seen is None else (seen, whole)
        return () if seen is None else (seen,)


class Reduction:
    """The search, and the run of it that comes next."""

    def __init__(self, seed: str = "") -> None:
        self.nodes: list[Node] = []
        """The choices of the next run; what follows them is as it comes."""
        self._random = Random(seed)  # noqa: S311 - an order is no secret
        self._numbers: dict[str, int] = {}
        """Of the threads, by their names."""
        self._whose: list[int] = []
        """The number of the thread that takes each step."""
        self._then: list[Clock] = []
        """What had come before each step, and itself."""
        self.runs = 0
        self.open = True
        """Whether there are orders left to run."""
        self.complete = False
        """Whether every order has been run, or one that nobody could tell apart from it."""
        self.share = 0.0
        """About how much of the search is over, from 0 to 1."""

    def is_near_its_end(self, orders: float, few: float) -> bool:
        """Whether so many orders in all look as if they will do; after a few it is known well enough to tell."""
        return self.open and (self.runs < few or self.runs <= orders * self.share)

    def learn(self, walk: Walk, *, exact: bool) -> None:
        """Mark what has to be tried because of this run, and go on to the next."""
        self.runs += 1
        if walk.lost or not exact:
            self.open = False
            return
        self._mark_races(walk)
        following = self.nodes[-1] if walk.redirected else None
        for node, then in reversed(
            [*zip(self.nodes[: len(self.nodes) - walk.redirected], self._then, strict=False)]
        ):
            node.is_taken(then, following)
            following = node
        if walk.redirected:
            return
        self.share = self.nodes[0].share if self.nodes else 1.0
        if self.share < 1:
            self._go_elsewhere()
        else:
            self.nodes, self.open, self.complete = [], False, True

    def _go_elsewhere(self) -> None:
        """To a part of the tree that has not been run, whichever."""
        node = self.nodes[0]
        del self.nodes[1:], self._then[:]
        while True:
            left = node.left()
            branch = node.choose(left[0] if len(left) == 1 else self._random.choice(left))
            if branch is None:
                return
            assert branch.next is not None, "it has been run to its end"
            self._then.append(branch.then)
            node = branch.next
            self.nodes.append(node)

    def _mark_races(self, walk: Walk) -> None:
        """What comes of steps that this run has in common with the one before is known since then."""
        self._number_threads(walk.common)
        clocks = [[0] * len(self._numbers) for _ in self._numbers]
        released: dict[Thing, Clock] = {}
        """What had come before a lock was released last."""
        traces = Traces()
        for n, node in enumerate(self.nodes):
            if n in walk.waits:
                clocks = _all_have_seen_all(clocks)
            for name, lock in walk.released.get(n, ()):
                released[lock] = clocks[self._numbers[name]]
            who, touch = self._whose[n], node.touches[node.chosen]
            if n >= walk.common:
                self._then.append(self._after(n, touch, clocks[who], traces, released))
            clocks[who] = self._then[n]
            for name in walk.woken.get(n, ()):
                woken = self._numbers.get(name)
                if woken is not None:
                    clocks[woken] = _join(clocks[woken], self._then[n])
            if touch is not None:
                traces.note(n, touch)
        for name, touch in walk.never_made.items():
            if name in self._numbers:
                clock = clocks[self._numbers[name]]
                self._mark_race(traces.racing(touch.reads, touch.changes, clock, self._whose), name, clock)

    def _after(
        self, n: int, touch: Touch | None, clock: Clock, traces: Traces, released: Mapping[Thing, Clock]
    ) -> Clock:
        """What has come before a step, and itself; marks what it races with. ``clock``: what had come before its thread's last."""
        clock = list(clock)
        if touch is not None:
            reads, changes = touch.reads, touch.changes
            locks = [lock for lock in touch.acquires if lock in released]
            if locks:
                clock = self._join_raced(n, _among(reads, locks), _among(changes, locks), clock, traces)
                clock = _join(clock, *[released[lock] for lock in locks])
                reads, changes = _not_among(reads, locks), _not_among(changes, locks)
            # What is done with a lock in hand is in order.
            clock = self._join_raced(n, reads, changes, clock, traces)
            if touch.ends:
                # The call could be over before these begin. That they have begun puts nothing in order: where they begin
                # later, all can be seen that is seen here.
                for step in traces.begun(clock, self._whose):
                    self._mark_race([step], self.nodes[n].chosen, clock)
        clock[self._whose[n]] = n + 1
        return clock

    def _join_raced(
        self, n: int, reads: Collection[Thing], changes: Collection[Thing], clock: Clock, traces: Traces
    ) -> Clock:
        """What has come before with that which it races with, to do this; marks it."""
        racing = traces.racing(reads, changes, clock, self._whose)
        if not racing:
            return clock
        self._mark_race(racing, self.nodes[n].chosen, clock)
        return _join(clock, *[self._then[step] for step in racing])

    def _number_threads(self, common: int) -> None:
        """See to it that every thread has a number, and keep what has come before the steps that are the same as before."""
        del self._then[common:]
        for node in self.nodes[common:]:
            for name in node.touches:
                self._numbers.setdefault(name, len(self._numbers))
        self._whose = [self._numbers[node.chosen] for node in self.nodes]
        for clock in self._then:
            clock.extend([0] * (len(self._numbers) - len(clock)))

    def _mark_race(self, racing: Collection[int], who: str, clock: Clock) -> None:
        """The last of these steps could as well have come after this one: let this one go first."""
        if not racing:
            return
        step = max(racing)
        node = self.nodes[step]
        if who in node.touches:
            node.to_try.add(who)
            return
        first = {name for name in node.touches if clock[self._numbers[name]] > step + 1}
        if not first:
            node.to_try |= node.touches.keys()
        elif not first & node.to_try:
            node.to_try.add(min(first))


def _among(things: Iterable[Thing], some: Collection[Thing]) -> list[Thing]:
    return [thing for thing in things if thing in some]


def _not_among(things: Iterable[Thing], some: Collection[Thing]) -> list[Thing]:
    return [thing for thing in things if thing not in some]


def _join(clock: Clock, *others: Clock) -> Clock:
    """What has come before one or another."""
    return [*map(max, clock, *others)] if others else clock


def _all_have_seen_all(clocks: Sequence[Clock]) -> list[Clock]:
    """Time passes only when nobody can go on: so whatever comes then comes after all that was done."""
    together = [max(steps) for steps in zip(*clocks, strict=True)]
    return [list(together) for _ in clocks]
