"""A queue whose items have priorities."""

from __future__ import annotations

from typing import Any

from stingy.contract import Nanoseconds
from stingy.language.queue import PRODUCER, Asked, Queue
from stingy.language.values import spoken


class PriorityQueue(Queue):
    get_op = "get_with_priority"

    def add(self, item: str, by: str = PRODUCER) -> None:
        self.add_with(item, by=by)

    def add_with(
        self,
        item: str,
        *,
        priority: int = 0,
        after: Nanoseconds = 0,
        rate_limited: bool = False,
        by: str = PRODUCER,
    ) -> None:
        said = [f"priority {priority}"] if priority else []
        said += [f"after {spoken(after)}"] if after else []
        said += ["rate limited"] if rate_limited else []
        did = f"AddWithOpts({', '.join([repr(item), *said])})"
        self._returns(by, "add_with_opts", did, self._story.salted(item), priority, after, rate_limited)

    def get_with_priority(self) -> tuple[str, int]:
        """A worker gets an item, and the priority that it comes with."""
        asked = self._asked_first()
        return str(asked.got), int(asked.call.value[1])

    def take_with_priorities(self) -> list[tuple[str, int]]:
        """Work on all there is, one after the other; what came, in order, and with which priority."""
        before = [asked for asked in self._asked if asked.answer is not None]
        self.take_all()
        taken = [asked for asked in self._asked if isinstance(asked.answer, str) and asked not in before]
        return [(str(asked.answer), int(asked.call.value[1])) for asked in taken]

    def _delivery(self, asked: Asked) -> tuple[Any, bool]:
        value = asked.call.value
        form = isinstance(value, tuple | list) and len(value) == 3 and isinstance(value[2], bool)
        assert form, f"Get returned {value!r}, not an item, its priority and a flag"
        return value[0], value[2]
