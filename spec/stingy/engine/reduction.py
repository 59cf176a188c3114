"""Systematic search through all orders of a race, except those that are equivalent to another.

A step of a thread goes from one scheduling point to its next. Steps of two threads conflict if both
touch the same thing and one of them changes it. Two orders are equivalent if one becomes the other
by swapping neighbouring steps that do not conflict, so it is enough to run one of them.

Two steps race if they conflict and no happens-before relation orders them. After a run, each race
is marked, so that a later run takes the two steps in the other order (Flanagan and Godefroid,
*Dynamic partial-order reduction*, 2005). That order may have to begin with a third thread. One of
the threads with which it can begin is tried, unless one of them is tried anyway: the threads tried
at a point are a source set (Abdulla, Aronis, Jonsson and Sagonas, *Optimal dynamic partial order
reduction*, 2014). Threads whose next step would only repeat an order are put to sleep (Godefroid,
1996).

A history also tells which calls ended before others began. Two calls that overlap may take effect
in either order. If one ends before the other begins, it takes effect first. So a history without
the overlap shows every fault that one with the overlap shows, and more. If a call begins before
another one ends, the search therefore also tries to end the other one first. It does not try the
reverse.

The runs are the leaves of a tree, and its inner nodes are choices. The next leaf is drawn at
random, so that the runs cover all parts of the tree if there is no time for all of them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from random import Random
from typing import Any, Protocol

from msgspec import Struct, field

FEW = 6
"""Runs after which the search's estimate of how many runs it needs is good enough to use."""
STEPS_A_RUN = 150
"""The most steps of a run of a small program; with more, the search would not finish."""

Thing = int | tuple[str, int | str | None]
"""Something that a step can touch: a number, or a kind with a number or name; None is all of that kind."""

Clock = list[int]
"""A vector clock, with an entry for each thread, by the thread's number.

It tells which steps happened before: those of thread ``t`` with a number below ``clock[t]``.
"""


class Touch(Protocol):
    """The shared things that one step of a thread touches."""

    @property
    def reads(self) -> Collection[Any]:
        """The things that the step only reads."""

    @property
    def changes(self) -> Collection[Any]:
        """The things that the step changes."""

    @property
    def acquires(self) -> Collection[Any]:
        """The locks that the step takes."""

    @property
    def begins(self) -> bool:
        """True if a call to the candidate begins with this step."""

    @property
    def ends(self) -> bool:
        """True if a call to the candidate ends with this step."""

    def covers(self, other: Any) -> bool:
        """Return True if this step before ``other`` shows all that the reverse order shows."""


class Walk(Protocol):
    """One run of the search, in this order: steps of an earlier run, one new step, any other steps."""

    @property
    def common(self) -> int:
        """Number of steps at the start of the run that are those of an earlier run."""

    @property
    def lost(self) -> bool:
        """True if the run is useless: it departed from the earlier run, or had too many steps."""

    @property
    def redirected(self) -> bool:
        """True if the last choice has to be made again, by another run.

        From that choice on, this run continued with a thread that other runs cover, so it showed
        nothing new.
        """

    @property
    def waits(self) -> Collection[int]:
        """Numbers of steps before which virtual time passed: all earlier steps happened before them."""

    @property
    def released(self) -> Mapping[int, Sequence[tuple[str, Any]]]:
        """By step number: the locks released just before the step, each with the thread that did so."""

    @property
    def woken(self) -> Mapping[int, Sequence[str]]:
        """By step number: the threads that could not run before the step, and can because of it."""

    @property
    def never_made(self) -> Mapping[str, Touch]:
        """By thread that was still blocked at the end of the run: what its next step touches."""


class Branch(Struct):
    """A choice that has been tried: which thread takes the next step, and in which way."""

    then: Clock
    """The step's vector clock: the steps that happened before it, and the step itself."""
    next: Node | None = None
    """The next choice; None if there is none, or if nothing after it is left to run."""


Way = tuple[str, int]
"""The name of a thread, and the number of one of its ways to take its step.

A ``select`` of Go with several ready cases has several ways.
"""


class Node(Struct):
    """A point of a run at which a thread is chosen: those that can run, and what they touch next."""

    touches: dict[str, Any]
    """Things that the next step touches, by thread; None if nothing, or if unknown until it is taken."""
    asleep: dict[str, Any]
    """The sleep set: threads that other runs cover, and what the next step of each touches."""
    chosen: str
    """The thread that runs next, in the current run or the last one."""
    to_try: set[str] = field(default_factory=set)
    """Threads that have to be chosen here, each in some run."""
    way: int = 0
    """The number of the way in which the chosen thread takes its step (see ``Way``)."""
    ways: int = 1
    """How many ways the chosen thread has; all of them are tried."""
    branches: dict[Way, Branch] = field(default_factory=dict)
    """The choices that have been tried here, and what follows each."""
    share: float = 0.0
    """An estimate of the part of all runs from here on that is done, from 0 to 1.

    It assumes that all branches are equally large (Knuth, 1975).
    """
    more_ways: dict[str, int] = field(default_factory=dict)
    """The threads that have several ways of taking their step, and how many."""
    points: dict[str, int] = field(default_factory=dict)
    """The number of scheduling points in the step of each thread; empty if they are not counted."""

    def choose(self, way: Way) -> Branch | None:
        """Make ``way`` the choice at this point; return its branch, or None if it was not tried yet."""
        self.chosen, self.way = way
        self.ways = self.more_ways.get(self.chosen, 1)
        return self.branches.get(way)

    def fall_asleep(self) -> dict[str, Any]:
        """Return the sleep set of the next node: threads that need not be tried there.

        Other runs take their step before the step chosen here, and show the same.
        """
        if not (self.asleep or self.branches):
            return {}
        step = self.touches[self.chosen]
        sleepy = {**self.asleep, **{name: self.touches[name] for name, _ in self.branches}}
        return {
            name: access
            for name, access in sleepy.items()
            if name != self.chosen and (access is None or step is None or access.covers(step))
        }

    def record_step(self, then: Clock, following: Node | None) -> None:
        """Record that the chosen thread has taken its step.

        ``then`` is the vector clock of the step; ``following`` is the next choice, None at the end.
        """
        if self.ways > 1:
            self.more_ways[self.chosen] = self.ways
        way = (self.chosen, self.way)
        branch = self.branches.get(way)
        if branch is None:
            branch = self.branches[way] = Branch(then)
        share = 1.0 if following is None else following.share
        branch.then, branch.next = then, following if share < 1 else None
        if len(self.to_try) > 1 or self.more_ways:
            shares = [1.0 if it.next is None else it.next.share for it in self.branches.values()]
            untried = len(self.untried())
            share = 1.0 if not untried and min(shares) == 1 else sum(shares) / (len(shares) + untried)
        self.share = share

    def untried(self) -> list[Way]:
        """Return the choices that still have to be tried at this point.

        A thread that has been tried is tried in all of its ways before another one.
        """
        if len(self.branches) == len(self.to_try) and not self.more_ways:
            return []
        ways = [(name, way) for name, ways in self.more_ways.items() for way in range(ways)]
        left = [way for way in ways if way not in self.branches]
        if left:
            return left
        names = sorted(self.to_try - self.asleep.keys())
        return [(name, 0) for name in names if (name, 0) not in self.branches]

    def left(self) -> list[Way]:
        """Return the choices at this point from which some run is still to be made."""
        if len(self.branches) == 1 == len(self.to_try) and not self.more_ways:
            return [*self.branches]
        return [*self.untried(), *[way for way, branch in self.branches.items() if branch.next is not None]]


class Seen:
    """Numbers of the steps of a run that have touched one thing so far."""

    __slots__ = ("read_since", "written")

    def __init__(self) -> None:
        self.written: Sequence[int] = ()
        """Number of the last step that changed the thing, as a sequence; empty if none did."""
        self.read_since: list[int] = []
        """Numbers of the steps that have read the thing since then."""


class Traces:
    """The things that the steps of a run have touched so far.

    A thing is a number, or a kind and a number; a kind and None are all things of that kind.
    """

    def __init__(self) -> None:
        self._seen: dict[Thing, Seen] = {}
        self._kinds: dict[str, list[Seen]] = {}
        self.begun: list[int] = []
        """Numbers of the steps with which calls began."""

    def note(self, step: int, touch: Touch) -> None:
        for thing in touch.reads:
            seen = self._seen.get(thing) or self._add(thing)
            seen.read_since.append(step)
        for thing in touch.changes:
            seen = self._seen.get(thing) or self._add(thing)
            seen.written, seen.read_since = (step,), []
        if touch.begins:
            self.begun.append(step)

    def conflicting(self, reads: Iterable[Thing], changes: Iterable[Thing]) -> list[int]:
        """Return the numbers of steps that conflict with these reads and changes.

        Of a thing that was changed, those before the last change are left out: they happened before.
        """
        steps: list[int] = []
        for thing in reads:
            for seen in self._related(thing):
                steps += seen.written
        for thing in changes:
            for seen in self._related(thing):
                steps += seen.written
                steps += seen.read_since
        return steps

    def _add(self, thing: Thing) -> Seen:
        seen = self._seen[thing] = Seen()
        if type(thing) is tuple:
            self._kinds.setdefault(thing[0], []).append(seen)
        return seen

    def _related(self, thing: Thing) -> Iterable[Seen]:
        """Return the records of steps that may have touched this thing.

        They are those of the thing and of its whole kind. If the thing is a whole kind, they are
        those of all things of that kind.
        """
        seen = self._seen.get(thing)
        if type(thing) is tuple:
            if thing[1] is None:
                return self._kinds.get(thing[0], ())
            whole = self._seen.get((thing[0], None))
            if whole is not None:
                return (whole,) if seen is None else (seen, whole)
        return () if seen is None else (seen,)


class Reduction:
    """The search through all orders of a race: what it has learned, and the choices of its next run."""

    def __init__(self, seed: str = "") -> None:
        self.nodes: list[Node] = []
        """The choices of the next run. After them, the run takes steps in any order."""
        self._random = Random(seed)  # noqa: S311 - an order is no secret
        self._numbers: dict[str, int] = {}
        """Numbers of the threads, by name."""
        self._whose: list[int] = []
        """For each step, the number of the thread that takes it."""
        self._then: list[Clock] = []
        """The vector clock of each step: the steps that happened before it, and the step itself."""
        self.runs = 0
        self.open = True
        """True until all orders are covered, or a run cannot be used (see ``learn``)."""
        self.complete = False
        """True if every order has been run, or one that is equivalent to it."""
        self.share = 0.0
        """An estimate of the part of the search that is done, from 0 to 1."""

    def is_near_its_end(self, orders: float, few: float) -> bool:
        """Return True if the search can continue, and seems to need at most ``orders`` runs in all.

        Before ``few`` runs have been made, there is no good estimate of the number, and only the
        first condition counts.
        """
        return self.open and (self.runs < few or self.runs <= orders * self.share)

    def learn(self, walk: Walk, *, exact: bool) -> None:
        """Mark the choices that have to be tried because of this run, and choose the next run.

        ``exact``: True if the same choices would surely give the same run. If not, the search ends.
        """
        self.runs += 1
        if walk.lost or not exact:
            self.open = False
            return
        self._mark_races(walk)
        following = self.nodes[-1] if walk.redirected else None
        for node, then in reversed(
            [*zip(self.nodes[: len(self.nodes) - walk.redirected], self._then, strict=False)]
        ):
            node.record_step(then, following)
            following = node
        if walk.redirected:
            return
        self.share = self.nodes[0].share if self.nodes else 1.0
        if self.share < 1:
            self._choose_next_run()
        else:
            self.nodes, self.open, self.complete = [], False, True

    def _choose_next_run(self) -> None:
        """Choose the next run at random, among the choices from which some run is still to be made."""
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
        """Mark the races between steps of this run; earlier runs marked those of the common steps."""
        self._number_threads(walk.common)
        clocks = [[0] * len(self._numbers) for _ in self._numbers]
        released: dict[Thing, Clock] = {}
        """The vector clock of the last release of each lock."""
        traces = Traces()
        for n, node in enumerate(self.nodes):
            if n in walk.waits:
                clocks = _join_all(clocks)
            for name, lock in walk.released.get(n, ()):
                released[lock] = clocks[self._numbers[name]]
            thread, touch = self._whose[n], node.touches[node.chosen]
            if n >= walk.common:
                self._then.append(self._after(n, touch, clocks[thread], traces, released))
            clocks[thread] = self._then[n]
            for name in walk.woken.get(n, ()):
                woken = self._numbers.get(name)
                if woken is not None:
                    clocks[woken] = _join(clocks[woken], self._then[n])
            if touch is not None:
                traces.note(n, touch)
        for name, touch in walk.never_made.items():
            if name in self._numbers:
                racing = traces.conflicting(touch.reads, touch.changes)
                self._join_racing(racing, name, len(self.nodes), clocks[self._numbers[name]])

    def _after(
        self, n: int, touch: Touch | None, clock: Clock, traces: Traces, released: Mapping[Thing, Clock]
    ) -> Clock:
        """Return the vector clock of step ``n``, and mark its races with earlier steps.

        ``touch``: what the step touches. ``clock``: the vector clock of its thread before the step.
        ``released``: the vector clock of each lock's last release.
        """
        if touch is not None:
            thread, reads, changes = self.nodes[n].chosen, touch.reads, touch.changes
            acquires = touch.acquires
            if acquires and (locks := [lock for lock in acquires if lock in released]):
                racing = traces.conflicting(_among(reads, locks), _among(changes, locks))
                clock = self._join_racing(racing, thread, n, clock)
                clock = _join(clock, *[released[lock] for lock in locks])
                reads, changes = _not_among(reads, locks), _not_among(changes, locks)
            # The clock now has the steps that other threads took with these locks held: no race.
            clock = self._join_racing(traces.conflicting(reads, changes), thread, n, clock)
            if touch.ends:
                # This call could also have ended before those calls began. The clock leaves out
                # this order: a run in which a call begins later shows all that this run shows.
                for step in traces.begun:
                    if clock[self._whose[step]] <= step:
                        self._mark_race(step, thread, n, clock)
        clock = list(clock)
        clock[self._whose[n]] = n + 1
        return clock

    def _join_racing(self, racing: Iterable[int], thread: str, n: int, clock: Clock) -> Clock:
        """Mark the races of step ``n`` of ``thread``; return ``clock`` joined with the racing steps' clocks.

        A step that happened before another racing step, or before the time of ``clock``, does not race.
        """
        for step in sorted(racing, reverse=True):
            if clock[self._whose[step]] <= step:
                self._mark_race(step, thread, n, clock)
                clock = _join(clock, self._then[step])
        return clock

    def _number_threads(self, common: int) -> None:
        """Give each thread a number, and drop the vector clocks of all but the first ``common`` steps."""
        del self._then[common:]
        for node in self.nodes[common:]:
            for name in node.touches:
                self._numbers.setdefault(name, len(self._numbers))
        self._whose = [self._numbers[node.chosen] for node in self.nodes]
        if self._then and len(self._then[-1]) < len(self._numbers):
            for clock in self._then:
                clock.extend([0] * (len(self._numbers) - len(clock)))

    def _mark_race(self, step: int, thread: str, n: int, clock: Clock) -> None:
        """Mark a thread that has to be tried before ``step``, so that step ``n`` of ``thread`` precedes it.

        ``clock`` has what happened before step ``n``. Nothing is marked if a thread that is tried
        there, or that other runs cover, leads to such an order.
        """
        node = self.nodes[step]
        covered = node.to_try | node.asleep.keys()
        if covered >= node.touches.keys():
            return
        initials = self._initials(step, thread, n, clock)
        if initials & covered:
            return
        able = initials & node.touches.keys()
        if able:
            node.to_try.add(thread if thread in able else min(able))
        else:
            node.to_try |= node.touches.keys()

    def _initials(self, step: int, thread: str, n: int, clock: Clock) -> set[str]:
        """Return the threads with which an order can begin that reverses the race of two steps.

        Instead of ``step``, that order takes the later steps that did not happen after it, up to step
        ``n`` of ``thread``. It can begin with those of them that happened after none of the others.
        A call that began after another one had ended has to stay after it.
        """
        initials: set[str] = set()
        met: set[int] = set()
        racing, ended = self._whose[step], False
        for between in range(step + 1, n):
            then, whose = self._then[between], self._whose[between]
            if then[racing] > step:
                continue
            node = self.nodes[between]
            touch = node.touches[node.chosen]
            if whose not in met:
                met.add(whose)
                if sum(steps > step for steps in then) == 1 and not (ended and _begins(touch)):
                    initials.add(node.chosen)
            ended = ended or (touch is not None and touch.ends)
        if self._numbers[thread] not in met and max(clock) <= step:
            # A step that was never made may begin a call: what it would begin is unknown.
            begins = n == len(self.nodes) or _begins(self.nodes[n].touches[thread])
            if not (ended and begins):
                initials.add(thread)
        return initials


def _begins(touch: Touch | None) -> bool:
    return touch is not None and touch.begins


def _among(things: Iterable[Thing], some: Collection[Thing]) -> list[Thing]:
    return [thing for thing in things if thing in some]


def _not_among(things: Iterable[Thing], some: Collection[Thing]) -> list[Thing]:
    return [thing for thing in things if thing not in some]


def _join(clock: Clock, *others: Clock) -> Clock:
    """Return the vector clock of all steps that any of these vector clocks includes."""
    return [*map(max, clock, *others)] if others else clock


def _join_all(clocks: Sequence[Clock]) -> list[Clock]:
    """Return the vector clocks after time has passed: every earlier step happened before.

    The reason is that time passes only when no thread can run.
    """
    together = [max(steps) for steps in zip(*clocks, strict=True)]
    return [list(together) for _ in clocks]
