"""Every order of a race, less those that nobody could tell apart.

Two neighbouring steps of two threads may change places, unless both touch the same thing and one writes
it. So it is enough to run one order of each class: after a run, every two steps that raced – that touch the
same, with nothing between them that puts them in order – are marked to be tried the other way round
(Flanagan and Godefroid, *Dynamic partial-order reduction*, 2005), and what would only repeat an order is
put to sleep (Godefroid, 1996). A thread's step goes from one scheduling point to its next.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from stingy.engine.access import ANY_LOCK, HEAP, Access, Holdable
from stingy.engine.scheduler import Fair, Scheduler
from stingy.engine.task import State, Task

STEPS_A_RUN = 150
"""A run of more steps than that is none of a small program: there will be no end to it."""

Clock = list[int]
"""How many of the steps of each thread have surely come before, by the numbers of the threads."""


@dataclass
class Node:
    """One choice of a run: who could go on, and would touch what."""

    touches: Mapping[str, Access | None]
    asleep: Mapping[str, Access | None]
    chosen: str
    to_try: set[str] = field(default_factory=set)
    tried: set[str] = field(default_factory=set)

    def fall_asleep(self) -> dict[str, Access | None]:
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

    def in_the_way(self, access: Access) -> list[int]:
        """The steps that this access conflicts with, but for those that surely come before one of these."""
        writes = [] if self.written is None else [self.written]
        return [*writes, *self.read_since] if access.writes else writes

    def note(self, access: Access, step: int) -> None:
        if access.writes:
            self.written, self.read_since = step, []
        else:
            self.read_since.append(step)


class Reduction:
    """The search, and the run of it that comes next."""

    def __init__(self) -> None:
        self._nodes: list[Node] = []
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

    def _reckon_share(self) -> float:
        over, size = 0.0, 1.0
        for node in self._nodes:
            branches = len(node.tried | (node.to_try - node.asleep.keys()))
            over += size * len(node.tried - {node.chosen}) / branches
            size /= branches
        return over

    def turns(self) -> Systematic:
        """The turns of the next run."""
        return Systematic(self._nodes)

    def learn(self, turns: Systematic, *, exact: bool) -> None:
        """Mark what has to be tried because of this run, and go on to the next."""
        self.runs += 1
        if turns.lost or not exact:
            self.open = False
            return
        self._mark_races(turns)
        while self._nodes:
            node = self._nodes[-1]
            node.tried.add(node.chosen)
            left = node.to_try - node.tried - node.asleep.keys()
            if left:
                node.chosen = min(left)
                self.share = self._reckon_share()
                return
            self._nodes.pop()
        self.open, self.complete = False, True

    def _mark_races(self, turns: Systematic) -> None:
        """What comes of steps that this run has in common with the one before is known since then."""
        self._number_threads(turns.common)
        clocks = [[0] * len(self._numbers) for _ in self._numbers]
        released: dict[int, Clock] = {}
        """What had come before a lock was released last."""
        seen: defaultdict[int, Seen] = defaultdict(Seen)
        for n, node in enumerate(self._nodes):
            if n in turns.waits:
                clocks = _all_have_seen_all(clocks)
            for name, lock in turns.released.get(n, ()):
                released[lock] = clocks[self._numbers[name]]
            who, access = self._numbers[node.chosen], node.touches[node.chosen]
            if n >= turns.common:
                self._then.append(self._after(n, clocks[who], seen, released))
            clocks[who] = self._then[n]
            if access is not None:
                for bit in access.bits:
                    seen[bit].note(access, n)
        for name, access in turns.never_made.items():
            if name in self._numbers:
                self._mark_race(_in_the_way(access, seen), name, clocks[self._numbers[name]])

    def _after(self, n: int, clock: Clock, seen: Mapping[int, Seen], released: Mapping[int, Clock]) -> Clock:
        """What has come before a step, and itself; marks what it races with. ``clock``: what had come before its thread's last."""
        node = self._nodes[n]
        access = node.touches[node.chosen]
        clock = list(clock)
        if access is not None:
            before = _in_the_way(access, seen)
            self._mark_race(before, node.chosen, clock)
            locked = released.get(access.places & ~HEAP) if access.lock is not None else None
            for other in (*(self._then[step] for step in before), *([locked] if locked else [])):
                clock = [*map(max, clock, other)]
        clock[self._numbers[node.chosen]] = n + 1
        return clock

    def _number_threads(self, common: int) -> None:
        """See to it that every thread has a number, and keep what has come before the steps that are the same as before."""
        del self._then[common:]
        known = len(self._numbers)
        for node in self._nodes[common:]:
            for name in node.touches:
                self._numbers.setdefault(name, len(self._numbers))
        for clock in self._then:
            clock.extend([0] * (len(self._numbers) - known))

    def _mark_race(self, before: Collection[int], who: str, clock: Clock) -> None:
        """Find the last of these steps that could as well have come after this one; let this one go first."""
        numbers = self._numbers
        racing = [step for step in before if clock[numbers[self._nodes[step].chosen]] <= step]
        if not racing:
            return
        step = max(racing)
        node = self._nodes[step]
        if who in node.touches:
            node.to_try.add(who)
            return
        first = {name for name in node.touches if clock[numbers[name]] > step + 1}
        if not first:
            node.to_try |= node.touches.keys()
        elif not first & node.to_try:
            node.to_try.add(min(first))


class Systematic(Fair):
    """One run of the search: the steps it has in common with the run before, one other, and then as it comes."""

    stop = 0

    def __init__(self, nodes: list[Node]) -> None:
        self._nodes = nodes
        self._known = len(nodes)
        self.common = max(len(nodes) - 1, 0)
        """So many steps are those of the run before."""
        self._made = 0
        self._repeats = False
        """Whether only what has been seen before can follow."""
        self.lost = False
        """Whether the run did not go as the one before."""
        self.waits: set[int] = set()
        """Before which steps time has passed: all that was done earlier surely came before."""
        self.released: dict[int, list[tuple[str, int]]] = {}
        """Before which step who released which lock."""
        self.never_made: dict[str, Access] = {}
        """What threads wanted to do when all was over."""

    def at_point(self, scheduler: Scheduler, current: Task) -> Task:
        return current if current.access is None else self._choose(scheduler.ready(), current)

    def when_blocked(self, scheduler: Scheduler, ready: Sequence[Task]) -> Task:  # noqa: ARG002
        return self._choose(ready, None)

    def released_by(self, task: Task, lock: Holdable) -> None:
        if lock.access.places != ANY_LOCK:
            self.released.setdefault(self._made, []).append((task.name, lock.access.places))

    def time_passes(self) -> None:
        self.waits.add(self._made)

    def over(self, scheduler: Scheduler) -> None:
        for task in scheduler.tasks:
            access = _next_access(task)
            if task.state is State.WANTS_LOCK and access is not None:
                self.never_made[task.name] = access

    def _choose(self, ready: Sequence[Task], current: Task | None) -> Task:
        able = {task.name: task for task in ready if _is_able(task)}
        if not able or self._repeats or self.lost:
            return current or ready[0]
        if self._made < self._known:
            chosen = self._nodes[self._made].chosen
            self.lost = chosen not in able
        else:
            chosen = self._new_node(able, current)
        if self.lost or self._repeats:
            return current or ready[0]
        self._made += 1
        self.lost = self._made > STEPS_A_RUN
        return able[chosen]

    def _new_node(self, able: Mapping[str, Task], current: Task | None) -> str:
        asleep = self._nodes[-1].fall_asleep() if self._nodes else {}
        awake = [name for name in able if name not in asleep]
        if not awake:
            self._repeats = True
            return ""
        chosen = current.name if current is not None and current.name in awake else awake[0]
        touches = {name: _next_access(task) for name, task in able.items()}
        self._nodes.append(Node(touches, asleep, chosen, {chosen}))
        return chosen


def _next_access(task: Task) -> Access | None:
    return task.wants.access if task.state is State.WANTS_LOCK and task.wants is not None else task.access


def _is_able(task: Task) -> bool:
    access = _next_access(task)
    return access is None or access.lock is None or not access.lock.held


def _in_the_way(access: Access, seen: Mapping[int, Seen]) -> set[int]:
    """The steps that this access conflicts with."""
    return {step for bit in access.bits for step in seen[bit].in_the_way(access)}


def _all_have_seen_all(clocks: Sequence[Clock]) -> list[Clock]:
    """Time passes only when nobody can go on: so whatever comes then comes after all that was done."""
    together = [max(steps) for steps in zip(*clocks, strict=True)]
    return [list(together) for _ in clocks]
