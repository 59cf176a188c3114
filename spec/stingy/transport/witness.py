"""A correct queue, the sequential model with one lock: it shows what a rule expects of a program.

A failing program is shortened, and that may remove an operation that the rule relies on: without an
Add, no item can be expected. So a shortened program counts only if this queue keeps the rule in it.
"""

from __future__ import annotations

import threading
from collections import Counter

from stingy.language.model import ANYTHING, State, step
from stingy.language.queue import NAME


class Witness:
    """A work queue that is correct by definition: it takes its steps from the model, on threads."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._state = State()
        self._counts = Counter[str]()

    def add(self, item: str) -> None:
        self._make("add", item)

    def add_after(self, item: str, seconds: float) -> None:  # noqa: ARG002
        """Add the item immediately: a rule about races checks only what has happened at the end."""
        self.add(item)

    def get(self) -> tuple[str | None, bool]:
        before = self._make("get")
        return (before.queue[0], False) if before.queue else (None, True)

    def add_with_opts(self, item: str, **_: object) -> None:
        """Add the item and ignore the priority.

        A rule about priorities therefore fails with this queue, and its programs are not shortened.
        """
        self.add(item)

    def get_with_priority(self) -> tuple[str | None, int, bool]:
        item, shutdown = self.get()
        return item, 0, shutdown

    def done(self, item: str) -> None:
        self._make("done", item)

    def __len__(self) -> int:
        return len(self._state.queue)

    def shut_down(self) -> None:
        self._make("shut_down")

    def shut_down_with_drain(self) -> None:
        self._make("drain begins")
        self._make("drain ends")

    def shutting_down(self) -> bool:
        return self._state.shutting_down

    def metrics(self) -> dict[str, dict[str, object]]:
        """Return the queue's metrics as if no call took any time."""
        counts = self._counts
        told = {
            "adds": counts["add"],
            "depth": len(self._state.dirty),
            "queue_duration": [0.0] * counts["get"],
            "work_duration": [0.0] * counts["done"],
        }
        return {NAME: told}

    def _make(self, op: str, item: str | None = None) -> State:
        """Wait until the model allows this call, and make it; return the model's state before."""
        with self._changed:
            while (after := step(self._state, op, item, ANYTHING)) is None:
                self._changed.wait()
            before, self._state = self._state, after
            self._counts[op] += before != after
            self._changed.notify_all()
            return before
