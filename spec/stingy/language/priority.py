"""A queue whose items have priorities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from stingy.contract import Nanoseconds
from stingy.contract.kinds import is_a
from stingy.contract.ops import OPS
from stingy.contract.testimony import show
from stingy.language.call import Call
from stingy.language.order import Order
from stingy.language.queue import PRODUCER, Asked, Queue
from stingy.language.race import Race
from stingy.language.session import Operation, Session
from stingy.language.story import Story
from stingy.language.values import format_span
from stingy.language.wording import spell


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
        self._returns(by, "add_with_opts", item, priority, after, rate_limited)

    def add_all_with(self, *items: str, priority: int = 0, rate_limited: bool = False) -> None:
        """Add several items with one call of the candidate."""
        op, told = "add_all_with_opts", (priority, 0, rate_limited)
        call = self._session.call(PRODUCER, op, [self._story.salt_name(item) for item in items], *told)
        self._answer(call, self._begun(PRODUCER, op), spell(op, list(items), *told))

    def add_straight_after(self, items: Sequence[str], delay: Nanoseconds) -> None:
        """Add many items after this delay without a pause."""
        calls = [("add_with_opts", item, 0, delay, False) for item in items]
        self._go_straight(
            PRODUCER, f"AddWithOpts(…, after {format_span(delay)}) of {len(items):,} items", calls
        )

    def _adding(self, item: str) -> Operation:
        return ("add_with_opts", item, 0, 0, False)

    def get_with_priority(self) -> tuple[str, int]:
        """Get an item on a worker's lane; return it with its priority."""
        asked = self._asked_first()
        return str(asked.got), int(asked.call.value[1])

    def take_with_priorities(self) -> list[tuple[str, int]]:
        """Call Done for held items, then Get and Done until none is left; return items and priorities."""
        before = [asked for asked in self._asked if asked.answer is not None]
        self.take_all()
        taken = [asked for asked in self._asked if is_a(asked.answer, str) and asked not in before]
        return [(str(asked.answer), int(asked.call.value[1])) for asked in taken]

    def _delivery(self, asked: Asked) -> tuple[Any, bool]:
        value = asked.call.value
        form = is_a(value, tuple, list) and len(value) == 3 and is_a(value[2], bool)
        assert form, f"Get returned {show(value)}, not an item, its priority and a flag"
        return value[0], value[2]

    def _got(self, asked: Asked) -> str:
        priority = asked.call.value[1]
        return super()._got(asked) + (f", priority {show(priority)}" if priority else "")


class PriorityRace(Race):
    """A race on a priority queue: several lanes run their programs at once.

    ``add a at 3 in 5`` adds with priority 3 and a delay of 5 minutes. In the history this is an
    Add, and GetWithPriority is a Get.
    """

    parts = ("priority",)

    def __init__(self, session: Session, story: Story, queue: PriorityQueue, order: Order) -> None:
        super().__init__(session, story, queue, order)
        self.queue = queue
        """The queue that the lanes use, for calls after the race."""

    def _plain(self, call: Call, late: int) -> Call:
        return replace(super()._plain(call, late), op=OPS[call.op].spoken)

    @staticmethod
    def _told(call: Call) -> Call:
        return replace(call, op="add_with_opts") if call.op == "add" else call
