"""One run of the search through every order of a race, with threads under control."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stingy.engine.access import ANY_LOCK, Access, Holdable
from stingy.engine.reduction import STEPS_A_RUN, Node, Reduction
from stingy.engine.scheduler import Fair, Scheduler
from stingy.engine.task import State, Task


class Systematic(Fair):
    """One run of the search: the steps it has in common with the run before, one other, and then as it comes."""

    stop = 0

    redirected = False
    woken: Mapping[int, Sequence[str]] = {}

    def __init__(self, reduction: Reduction) -> None:
        self._nodes = nodes = reduction.nodes
        self._known = len(nodes)
        self.common = max(len(nodes) - 1, 0)
        self._made = 0
        self._repeats = False
        """Whether only what has been seen before can follow."""
        self.lost = False
        self.waits: set[int] = set()
        self.released: dict[int, list[tuple[str, int]]] = {}
        self.never_made: dict[str, Access] = {}

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
