"""Searches through every order of a race, if the driver reports what each step touches.

The search chooses the orders in this process; the driver runs them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter

from stingy.engine.reduction import FEW, STEPS_A_RUN, Node, Reduction
from stingy.transport.protocol import WAY, Choice, Footprints, Step


@dataclass(frozen=True)
class Things:
    """The shared objects ("things") that a step of a thread touches, by their numbers."""

    reads: frozenset[int]
    changes: frozenset[int]
    known: int = 0
    """The highest number that stands for the same thing in every run."""
    begins: bool = False
    """True if a call begins with this step."""
    ends: bool = False
    """True if a call ends with this step."""

    @property
    def acquires(self) -> frozenset[int]:
        """Everything that this step touches, because each thing may be a lock that it takes.

        Things that are not locks do no harm here, because no step releases them.
        """
        return self.changes | self.reads

    def covers(self, other: Things) -> bool:
        """Return True if this step before ``other`` shows all that the reverse order shows."""
        if self.begins and other.ends:
            return False
        known = min(self.known, other.known)
        changes, reads, others, looks = (
            _at_large(things, known) for things in (self.changes, self.reads, other.changes, other.reads)
        )
        return changes.isdisjoint(others | looks) and reads.isdisjoint(others)

    def and_also(self, other: Things | None) -> Things:
        """Return the things that this step or ``other`` touches; ``other`` may be None."""
        if other is None:
            return self
        changes = self.changes | other.changes
        reads = (self.reads | other.reads) - changes
        return Things(reads, changes, self.known, self.begins or other.begins, self.ends or other.ends)


NEW = -1
"""Stands for every number above ``known``, because these differ from run to run."""


def _at_large(things: frozenset[int], known: int) -> frozenset[int]:
    if not things or max(things) <= known:
        return things
    return frozenset(thing if thing <= known else NEW for thing in things)


class Stretch:
    """Consecutive steps of one thread that no other thread can tell from a single step."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self.steps = list(steps)
        self.known = 0
        """Highest number that any thing had before this stretch."""
        self.contested: Collection[int] = ()
        """Numbers of the queues of waiting threads for which the order of joining matters."""

    @property
    def who(self) -> str:
        return self.steps[0].who

    @property
    def able(self) -> Sequence[str]:
        """Names of threads that could run at this point: first the one that did, then the others."""
        return [self.who, *self.steps[0].of]

    @property
    def late(self) -> bool:
        return self.steps[0].late

    def goes_on_with(self, step: Step) -> bool:
        """Return True if ``step`` is part of this stretch, False if it begins a new one."""
        if step.who != self.who or step.late:
            return False
        return self.begins or (_is_local(step) and not step.begins)

    @property
    def begins(self) -> bool:
        """True if the stretch so far only begins a call, and touches nothing.

        The thread's next step is then added to it, so that the call begins only when it first
        touches something.
        """
        return self.steps[0].begins and all(_is_local(step) for step in self.steps)

    @cached_property
    def touches(self) -> Things | None:
        reads: set[int] = set()
        changes: set[int] = set()
        begins = ends = False
        for step in self.steps:
            reads.update(step.reads)
            changes.update(step.writes)
            for line in step.joins:
                (changes if line in self.contested else reads).add(line)
            begins |= step.begins
            ends |= step.ends
        if not (reads or changes or begins or ends):
            return None
        return Things(frozenset(reads - changes), frozenset(changes), self.known, begins, ends)

    @property
    def way(self) -> tuple[int, int]:
        """The case of a Go ``select`` that was taken, counted from 0, and the number of ready cases."""
        return max(((step.way, step.ways) for step in self.steps), key=itemgetter(1))


def stretches(steps: Sequence[Step]) -> Iterator[Stretch]:
    """Divide the steps of a run into stretches (steps between which no switch matters).

    A call begins with its first step that touches something and ends with its last one, so that as
    few calls as possible overlap.
    """
    last: Stretch | None = None
    for step in steps:
        if last is not None and last.goes_on_with(step):
            last.steps.append(step)
            continue
        if last is not None:
            yield last
        last = Stretch([step])
    if last is not None:
        yield last


def _is_local(step: Step) -> bool:
    return not (step.reads or step.writes or step.releases or step.joins or step.wakes)


def _highest(stretch: Stretch) -> int:
    return max(max(*step.reads, *step.writes, *step.joins, 0, 0) for step in stretch.steps)


class Search:
    """The search through every order of a burst, with the steps that the driver reports."""

    def __init__(self) -> None:
        self._reduction = Reduction()
        self._contested: set[int] = set()
        self._before = 0
        """Number of runs before the search last started over."""

    @property
    def open(self) -> bool:
        return self._reduction.open

    @property
    def complete(self) -> bool:
        return self._reduction.complete

    @property
    def runs(self) -> int:
        return self._before + self._reduction.runs

    def is_near_its_end(self, runs: int) -> bool:
        """Return True if the search is not given up, and seems to need at most ``runs`` runs in all."""
        return self._reduction.is_near_its_end(runs, FEW)

    def choices(self) -> list[Choice]:
        """Return the turns with which the next run has to begin."""
        turns: list[Choice] = []
        for node in self._reduction.nodes:
            turns.append((node.chosen, node.points.get(node.chosen, 1)))
            if node.ways > 1:
                turns.append((WAY, node.way or None))
        return turns

    def learn(self, footprints: Footprints) -> None:
        served = frozenset(line for step in footprints.steps for line in step.serves)
        contested = _at_large(served, footprints.known)
        if footprints.exact and not contested <= self._contested:
            self._begin_anew(contested)
            return
        walk = Footsteps(self._reduction.nodes, frozenset(self._contested), footprints)
        self._reduction.learn(walk, exact=footprints.exact)

    def _begin_anew(self, contested: Collection[int]) -> None:
        """Start the search over: the order of joining these queues matters after all."""
        self._contested.update(contested)
        self._before = self.runs + 1
        self._reduction = Reduction()


class Footsteps:
    """One run of the search, read from the steps that the driver reports."""

    def __init__(self, nodes: list[Node], contested: frozenset[int], footprints: Footprints) -> None:
        self.common = max(len(nodes) - 1, 0)
        self.lost = self.redirected = self._repeats = False
        self.waits: set[int] = set()
        self.released: dict[int, list[tuple[str, int]]] = {}
        self.woken: dict[int, list[str]] = {}
        self.never_made: dict[str, Things] = {}
        self._nodes = nodes
        walked = list(_walked(footprints.steps, [node.points[node.chosen] for node in nodes[: self.common]]))
        known = footprints.known
        lines = {line for step in footprints.steps for line in step.joins}
        contested = frozenset(line for line in lines if _at_large(frozenset({line}), known) <= contested)
        for n, stretch in enumerate(walked):
            stretch.known, stretch.contested = known, contested
            known = max(known, _highest(stretch))
            self._take(n, stretch)
            if self.lost or self.redirected or self._repeats:
                return
        self.lost = len(walked) < len(nodes)
        self.never_made = {
            who: Things(frozenset(), frozenset([thing])) for who, thing in footprints.wants.items()
        }

    def _take(self, n: int, stretch: Stretch) -> None:
        if n < len(self._nodes):
            self.lost = not self._goes_on_as(self._nodes[n], stretch, fresh=n == self.common)
        elif n >= STEPS_A_RUN:
            self.lost = True
        else:
            self._add_node(stretch)
        if self.lost or self.redirected or self._repeats:
            return
        self._nodes[n].points[stretch.who] = len(stretch.steps)
        if stretch.late:
            self.waits.add(n)
        for step in stretch.steps:
            for thing in step.releases:
                self.released.setdefault(n + 1, []).append((stretch.who, thing))
            self.woken.setdefault(n, []).extend(step.wakes)

    def _goes_on_as(self, node: Node, stretch: Stretch, *, fresh: bool) -> bool:
        way, ways = stretch.way
        if fresh and not node.way:
            node.ways = ways
        if (stretch.who, way, ways) != (node.chosen, node.way, node.ways):
            return False
        # A thread joins the sleep set once all ways of its ``select`` were run, so everything that
        # any of them touched counts.
        others = node.touches.get(stretch.who) if stretch.who in node.more_ways else None
        node.touches[stretch.who] = stretch.touches and stretch.touches.and_also(others)
        return True

    def _add_node(self, stretch: Stretch) -> None:
        asleep = self._nodes[-1].fall_asleep() if self._nodes else {}
        touches: dict[str, Things | None] = dict.fromkeys(stretch.able)
        chosen, ways = stretch.who, 1
        if chosen in asleep:
            awake = [name for name in stretch.able if name not in asleep]
            if not awake:
                self._repeats = True
                return
            self.redirected, chosen = True, awake[0]
        else:
            touches[chosen] = stretch.touches
            ways = stretch.way[1]
        self._nodes.append(Node(touches, asleep, chosen, {chosen}, ways=ways))


def _walked(steps: Sequence[Step], points: Sequence[int]) -> Iterator[Stretch]:
    """Divide the steps of a run into stretches, the first of which are known.

    ``points`` has the number of steps of each known stretch.
    """
    begun = 0
    for count in points:
        part = steps[begun : begun + count]
        if part:
            yield Stretch(part)
        begun += count
    yield from stretches(steps[begun:])
