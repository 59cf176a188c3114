"""In which order controlled threads run."""

from __future__ import annotations

import random

from stingy.engine.scheduler import Task


class Fair:
    """Each runs until it blocks; then who has waited longest."""

    def at_point(self, current: Task, others: list[Task]) -> Task:  # noqa: ARG002
        return current

    def when_blocked(self, ready: list[Task]) -> Task:
        return ready[0]


class Wandering:
    """At every scheduling point a coin is thrown whether somebody else goes first."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311 - a schedule is no secret

    def at_point(self, current: Task, others: list[Task]) -> Task:
        return self._random.choice(others) if self._random.random() < 0.5 else current

    def when_blocked(self, ready: list[Task]) -> Task:
        return self._random.choice(ready)
