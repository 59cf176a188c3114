"""In which order controlled threads run.

A strategy is asked where a thread cannot go on, and at those scheduling points that it asks for: the
others cost a counter. Threads are told by their places in the list of tasks, so that a choice made in one
run can be made again in another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from stingy.engine.scheduler import NEVER, Scheduler, Task


class Fair:
    """Each runs until it blocks; then who has waited longest."""

    stop = NEVER

    def at_point(self, scheduler: Scheduler, current: Task) -> Task:  # noqa: ARG002
        return current

    def when_blocked(self, scheduler: Scheduler, ready: Sequence[Task]) -> Task:  # noqa: ARG002
        return ready[0]


class Sparse:
    """A few pre-emptions a run, anywhere; a free choice where a thread blocks.

    Many cheap runs with few pre-emptions find more than few runs with many.
    """

    def __init__(self, seed: str, points: int, preemptions: float) -> None:
        self._random = Random(seed)  # noqa: S311 - a schedule is no secret
        self._gap = max(2.0, points / preemptions)
        self.stop = self._next(0)

    def at_point(self, scheduler: Scheduler, current: Task) -> Task:
        self.stop = self._next(scheduler.points)
        others = [task for task in scheduler.ready() if task is not current]
        return self._random.choice(others) if others else current

    def when_blocked(self, scheduler: Scheduler, ready: Sequence[Task]) -> Task:  # noqa: ARG002
        return self._random.choice(ready)

    def _next(self, now: int) -> int:
        return now + 1 + int(self._random.expovariate(1 / self._gap))


class RandomPriorities:
    """At every point each thread draws a new priority, and the highest goes on (partial-order sampling)."""

    stop = 0

    def __init__(self, seed: str) -> None:
        self._random = Random(seed)  # noqa: S311 - a schedule is no secret
        self._priority: dict[Task, float] = {}

    def at_point(self, scheduler: Scheduler, current: Task) -> Task:
        self._priority[current] = self._random.random()
        return self._highest(scheduler.ready())

    def when_blocked(self, scheduler: Scheduler, ready: Sequence[Task]) -> Task:  # noqa: ARG002
        return self._highest(ready)

    def _highest(self, ready: Sequence[Task]) -> Task:
        return max(ready, key=lambda task: self._priority.setdefault(task, self._random.random()))


@dataclass
class Branch:
    """One run of a search through all orders with at most so many pre-emptions."""

    prefix: tuple[int, ...] = ()
    """The choices to make, by the place of the thread, where more than one thread could go on."""
    bound: int = 0
    spent: int = 0
    path: list[int] = field(default_factory=list)
    alternatives: list[tuple[int, ...]] = field(default_factory=list)
    """Prefixes of runs that are still to be made."""

    @property
    def stop(self) -> int:
        return 0 if self.bound else NEVER

    def at_point(self, scheduler: Scheduler, current: Task) -> Task:
        ready = scheduler.ready()
        return self._choose(scheduler, ready, current) if len(ready) > 1 else current

    def when_blocked(self, scheduler: Scheduler, ready: Sequence[Task]) -> Task:
        return self._choose(scheduler, ready, None) if len(ready) > 1 else ready[0]

    def _choose(self, scheduler: Scheduler, ready: Sequence[Task], current: Task | None) -> Task:
        places = {scheduler.tasks.index(task): task for task in ready}
        turn = len(self.path)
        if turn < len(self.prefix) and self.prefix[turn] in places:
            chosen = self.prefix[turn]
        else:
            chosen = scheduler.tasks.index(current or ready[0])
            if current is None or self.spent < self.bound:
                self.alternatives += [(*self.path, place) for place in sorted(places) if place != chosen]
        if current is not None and places[chosen] is not current:
            self.spent += 1
        self.path.append(chosen)
        return places[chosen]
