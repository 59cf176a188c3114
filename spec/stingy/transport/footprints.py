"""Every order of a race, where a driver tells what each step has to do with: the search goes on here, the runs are made there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from stingy.engine.reduction import FEW, STEPS_A_RUN, Node, Reduction
from stingy.transport.protocol import Choice, Footprints, Step

CALLS = 0
"""The number of what every call writes when it ends, and reads when it begins: a history tells which came first."""


@dataclass(frozen=True)
class Things:
    """What a step has to do with, by numbers."""

    reads: frozenset[int]
    changes: frozenset[int]

    @property
    def acquires(self) -> frozenset[int]:
        """Those that are locks, and some that are none: nobody releases these."""
        return self.changes | self.reads

    def conflicts(self, other: Things) -> bool:
        return not (
            self.changes.isdisjoint(other.changes | other.reads) and self.reads.isdisjoint(other.changes)
        )


class Stretch:
    """Steps of one after the other, with nothing in between that it would matter to put there."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self.steps = list(steps)

    @property
    def who(self) -> str:
        return self.steps[0].who

    @property
    def able(self) -> Sequence[str]:
        """Who could have gone on, this one among them."""
        return [self.who, *self.steps[0].of]

    @property
    def late(self) -> bool:
        return self.steps[0].late

    def goes_on_with(self, step: Step) -> bool:
        """Whether this is one more step of it."""
        if step.who != self.who or step.late:
            return False
        return self.begins or (_is_local(step) and not step.begins)

    @property
    def begins(self) -> bool:
        """Whether it is only a call that begins: it may as well begin when it first touches something."""
        return self.steps[0].begins and all(_is_local(step) for step in self.steps)

    @cached_property
    def touches(self) -> Things | None:
        reads = {thing for step in self.steps for thing in step.reads}
        changes = {thing for step in self.steps for thing in step.writes}
        if any(step.begins for step in self.steps):
            reads.add(CALLS)
        if any(step.ends for step in self.steps):
            changes.add(CALLS)
        return Things(frozenset(reads - changes), frozenset(changes)) if reads or changes else None


def stretches(steps: Sequence[Step]) -> Iterator[Stretch]:
    """A call begins with its first step that touches something, and ends with its last: so the least is at once."""
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
    return not (step.reads or step.writes or step.releases or step.wakes)


class Search:
    """Through every order of a burst."""

    def __init__(self) -> None:
        self._reduction = Reduction()
        self._points: list[int] = []
        """How many steps of the driver's each node takes, but for the last."""

    @property
    def open(self) -> bool:
        return self._reduction.open

    @property
    def complete(self) -> bool:
        return self._reduction.complete

    @property
    def runs(self) -> int:
        return self._reduction.runs

    def is_near_its_end(self, runs: int) -> bool:
        """Whether so many will about do for all of it."""
        return self._reduction.is_near_its_end(runs, FEW)

    def choices(self) -> list[Choice]:
        """The turns with which the next run begins."""
        return [
            (node.chosen, points)
            for node, points in zip(self._reduction.nodes, [*self._points, 1], strict=False)
        ]

    def learn(self, footprints: Footprints) -> None:
        walk = Footsteps(self._reduction.nodes, self._points, footprints)
        self._reduction.learn(walk, exact=footprints.exact)
        self._points = walk.points[: max(len(self._reduction.nodes) - 1, 0)]


class Footsteps:
    """One run of it, as its footprints tell."""

    def __init__(self, nodes: list[Node], points: Sequence[int], footprints: Footprints) -> None:
        self.common = max(len(nodes) - 1, 0)
        self.lost = self.redirected = self._repeats = False
        self.waits: set[int] = set()
        self.released: dict[int, list[tuple[str, int]]] = {}
        self.woken: dict[int, list[str]] = {}
        self.never_made: dict[str, Things] = {}
        self.points: list[int] = []
        self._nodes = nodes
        walked = list(_walked(footprints.steps, points[: self.common]))
        for n, stretch in enumerate(walked):
            self._take(n, stretch)
            if self.lost or self.redirected or self._repeats:
                return
        self.lost = len(walked) < len(nodes)
        self.never_made = {
            who: Things(frozenset(), frozenset([thing])) for who, thing in footprints.wants.items()
        }

    def _take(self, n: int, stretch: Stretch) -> None:
        if n < len(self._nodes):
            node = self._nodes[n]
            self.lost = stretch.who != node.chosen
            node.touches[stretch.who] = stretch.touches
        elif n >= STEPS_A_RUN:
            self.lost = True
        else:
            self._add_node(stretch)
        if self.lost or self.redirected or self._repeats:
            return
        self.points.append(len(stretch.steps))
        if stretch.late:
            self.waits.add(n)
        for step in stretch.steps:
            for thing in step.releases:
                self.released.setdefault(n + 1, []).append((stretch.who, thing))
            self.woken.setdefault(n, []).extend(step.wakes)

    def _add_node(self, stretch: Stretch) -> None:
        asleep = self._nodes[-1].fall_asleep() if self._nodes else {}
        touches: dict[str, Things | None] = dict.fromkeys(stretch.able)
        chosen = stretch.who
        if chosen in asleep:
            awake = [name for name in stretch.able if name not in asleep]
            if not awake:
                self._repeats = True
                return
            self.redirected, chosen = True, awake[0]
        else:
            touches[chosen] = stretch.touches
        self._nodes.append(Node(touches, asleep, chosen, {chosen}))


def _walked(steps: Sequence[Step], points: Sequence[int]) -> Iterator[Stretch]:
    """The stretches of a run: those of the run before take as many points as they took then."""
    begun = 0
    for count in points:
        part = steps[begun : begun + count]
        if part:
            yield Stretch(part)
        begun += count
    yield from stretches(steps[begun:])
