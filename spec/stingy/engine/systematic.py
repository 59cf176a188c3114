"""One run of the search through every order of a race, with controlled threads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stingy.engine.places import BEGINS_A_CALL, ENDS_A_CALL, RELEASES, Access, Holdable, Place
from stingy.engine.reduction import STEPS_A_RUN, Node, Reduction
from stingy.engine.scheduler import Fair, Scheduler
from stingy.engine.task import State, Task


class Systematic(Fair):
    """A strategy for one run of the search: steps of an earlier run, one new step, any other steps.

    The public attributes are described in ``reduction.Walk``.
    """

    stop = 0
    looks = True

    redirected = False

    def __init__(self, reduction: Reduction) -> None:
        self._nodes = nodes = reduction.nodes
        self._known = len(nodes)
        self.common = max(len(nodes) - 1, 0)
        self._made = 0
        self._repeats = False
        """True once every thread that can run is asleep: other runs show all that can follow."""
        self.lost = False
        self.waits: set[int] = set()
        self.released: dict[int, list[tuple[str, Place]]] = {}
        self.woken: dict[int, list[str]] = {}
        self.never_made: dict[str, Access] = {}

    def at_point(self, scheduler: Scheduler, current: Task) -> Task:
        return current if current.access is None else self._choose(scheduler.lineup.ready(), current)

    def when_blocked(self, scheduler: Scheduler, ready: Sequence[Task]) -> Task:  # noqa: ARG002
        return self._choose(ready, None)

    def released_by(self, task: Task, lock: Holdable) -> None:
        holding = lock.holding
        self._add_access(holding.release)
        self.released.setdefault(self._made, []).append((task.name, holding.acquire.changes[0]))

    def started(self, name: str) -> None:
        self.woken.setdefault(self._made - 1, []).append(name)

    def call_begins(self) -> None:
        self._add_access(BEGINS_A_CALL)

    def call_ends(self) -> None:
        self._add_access(ENDS_A_CALL)

    def time_passes(self) -> None:
        self.waits.add(self._made)

    def over(self, scheduler: Scheduler) -> None:
        for task in scheduler.tasks:
            access = _next_access(task)
            if task.state is State.WANTS_LOCK and access is not None:
                self.never_made[task.name] = access

    def _choose(self, ready: Sequence[Task], current: Task | None) -> Task:
        if self._repeats or self.lost:
            return current or ready[0]
        able: dict[str, Task] = {}
        touches: dict[str, Access | None] = {}
        for task in ready:
            access = _next_access(task)
            if access is None or access.lock is None or not access.lock.held:
                able[task.name], touches[task.name] = task, access
        if not able:
            return current or ready[0]
        if self._made < self._known:
            node = self._nodes[self._made]
            self.lost = node.chosen not in able
            if not self.lost:
                self._update_touches(node, touches)
        else:
            node = self._new_node(touches, current)
        if self.lost or self._repeats:
            return current or ready[0]
        self._made += 1
        self.lost = self._made > STEPS_A_RUN
        return able[node.chosen]

    def _new_node(self, touches: dict[str, Access | None], current: Task | None) -> Node:
        asleep = self._nodes[-1].fall_asleep() if self._nodes else {}
        if current is not None and current.name in touches and current.name not in asleep:
            chosen = current.name
        else:
            chosen = next((name for name in touches if name not in asleep), "")
        node = Node(touches, asleep, chosen, {chosen})
        self._repeats = not chosen
        if chosen:
            self._nodes.append(node)
        return node

    def _update_touches(self, node: Node, touches: Mapping[str, Access | None]) -> None:
        """Replace accesses in ``node`` by those of this run, which has new objects in the same places."""
        last = self._made == self._known - 1
        for name in touches if last else (node.chosen,):
            node.touches[name] = _with_calls_and_releases(node.touches.get(name), touches[name])
            if name in node.asleep:
                node.asleep[name] = _with_calls_and_releases(node.asleep[name], touches[name])

    def _add_access(self, access: Access) -> None:
        """Add ``access`` to what the present step is known to touch."""
        if 0 < self._made <= len(self._nodes) and not (self.lost or self._repeats):
            node = self._nodes[self._made - 1]
            before: Access | None = node.touches[node.chosen]
            node.touches[node.chosen] = access if before is None else before.and_also(access)


def _with_calls_and_releases(known: Access | None, now: Access | None) -> Access | None:
    """Return the access ``now``, with the lock releases and calls that an earlier run has shown.

    ``known`` is the access of the same step in that run. Only as a step is taken does it become
    known which locks it releases, and whether a call begins or ends in it.
    """
    if known is None:
        return now
    let_go = tuple(place for place in known.changes if place[0] == RELEASES)
    if not (let_go or known.begins or known.ends):
        return now
    return Access(changes=let_go, begins=known.begins, ends=known.ends).and_also(now)


def _next_access(task: Task) -> Access | None:
    """Return what the thread's next step touches; None if that is unknown."""
    return (
        task.wants.holding.acquire
        if task.state is State.WANTS_LOCK and task.wants is not None
        else task.access
    )
