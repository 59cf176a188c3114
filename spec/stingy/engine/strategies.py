"""Strategies, which choose the thread that runs next.

A strategy is asked when a thread cannot continue, and at the scheduling points that it asks for.
All other points only increment a counter. A turn is recorded with the name of its thread, so that
another run can repeat it.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from stingy.engine.scheduler import NEVER, Fair, Scheduler
from stingy.engine.task import Task
from stingy.language.order import Turn


class Sparse(Fair):
    """A strategy with a few preemptions at random points, and a random choice where a thread blocks.

    Many cheap runs with few preemptions find more faults than few runs with many.
    """

    def __init__(self, seed: str, points: int, interruptions: float) -> None:
        self._random = Random(seed)  # noqa: S311 - a schedule is no secret
        self._gap = max(2.0, points / interruptions)
        self.stop = self._next(0)

    def at_point(self, scheduler: Scheduler, current: Task) -> Task:
        self.stop = self._next(scheduler.points)
        others = [task for task in scheduler.lineup.ready() if task is not current]
        return self._random.choice(others) if others else current

    def when_blocked(self, scheduler: Scheduler, ready: Sequence[Task]) -> Task:  # noqa: ARG002
        return self._random.choice(ready)

    def _next(self, now: int) -> int:
        return now + 1 + int(self._random.expovariate(1 / self._gap))


class Priorities(Fair):
    """A strategy by which the thread with the highest priority runs; priorities are random.

    A thread draws its priority when it first appears.
    """

    stop = 0

    def __init__(self, seed: str) -> None:
        self._random = Random(seed)  # noqa: S311 - a schedule is no secret
        self._priority: dict[Task, float] = {}

    def at_point(self, scheduler: Scheduler, current: Task) -> Task:  # noqa: ARG002
        return self._highest(scheduler.lineup.ready())

    def when_blocked(self, scheduler: Scheduler, ready: Sequence[Task]) -> Task:  # noqa: ARG002
        return self._highest(ready)

    def _highest(self, ready: Sequence[Task]) -> Task:
        return max(ready, key=lambda task: self._priority.setdefault(task, self._random.random()))


class RandomPriorities(Priorities):
    """A strategy that draws a new random priority for the current thread at every scheduling point.

    The literature calls it partial-order sampling.
    """

    def at_point(self, scheduler: Scheduler, current: Task) -> Task:
        self._priority[current] = self._random.random()
        return super().at_point(scheduler, current)


class FewChanges(Priorities):
    """A strategy that, a few times per run, gives the current thread the lowest priority of all.

    This is probabilistic concurrency testing. It can hold a thread at one place for long while all
    others run.
    """

    def __init__(self, seed: str, points: int, changes: int) -> None:
        super().__init__(seed)
        self._changes = sorted(self._random.randrange(points) for _ in range(changes))

    def at_point(self, scheduler: Scheduler, current: Task) -> Task:
        if self._changes and scheduler.points >= self._changes[0]:
            self._priority[current] = -self._changes.pop(0) - 1
        return super().at_point(scheduler, current)


class BetweenCalls(Fair):
    """A strategy that chooses the next thread at random where a call has ended, and only there.

    The calls of a correct queue are atomic, so these orders lead to each of its results.
    """

    stop = 0

    def __init__(self, seed: str) -> None:
        self._random = Random(seed)  # noqa: S311 - a schedule is no secret
        self._ended = False

    def call_ends(self) -> None:
        self._ended = True

    def at_point(self, scheduler: Scheduler, current: Task) -> Task:
        ended, self._ended = self._ended, False
        return self._random.choice(scheduler.lineup.ready()) if ended else current

    def when_blocked(self, scheduler: Scheduler, ready: Sequence[Task]) -> Task:  # noqa: ARG002
        return self._random.choice(ready)


class Replay(Fair):
    """A strategy that repeats the turns of an earlier run, if possible, and then is fair."""

    def __init__(self, turns: Sequence[Turn]) -> None:
        self._turns = turns
        self._taken = 0

    def at_point(self, scheduler: Scheduler, current: Task) -> Task:
        return self._next(scheduler, scheduler.lineup.ready()) or current

    def when_blocked(self, scheduler: Scheduler, ready: Sequence[Task]) -> Task:
        return self._next(scheduler, ready) or ready[0]

    def _next(self, scheduler: Scheduler, ready: Sequence[Task]) -> Task | None:
        by_name = {task.name: task for task in ready}
        self.stop = NEVER
        while self._taken < len(self._turns):
            name, points = self._turns[self._taken]
            self._taken += 1
            if name in by_name:
                self.stop = NEVER if points is None else scheduler.points + points
                return by_name[name]
        return None
