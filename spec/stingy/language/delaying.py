"""Queues that add an item later: after a delay, or after the delay of a rate limiter."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from stingy.contract import Nanoseconds
from stingy.contract.kinds import is_a
from stingy.contract.testimony import show
from stingy.language.queue import PRODUCER, Queue
from stingy.language.session import Session, Undecided
from stingy.language.story import Story
from stingy.language.values import format_span
from stingy.language.wording import spell


class DelayingQueue(Queue):
    def __init__(self, session: Session, story: Story, patience: Nanoseconds) -> None:
        super().__init__(session, story, patience)
        with suppress(Undecided):
            self._made = session.now_ns()

    def until(self, after_made: Nanoseconds) -> None:
        """Let time pass until the queue is ``after_made`` nanoseconds old; do nothing if it is older."""
        if (span := after_made - self.uptime) > 0:
            self.elapse(span)

    def add_after(self, item: str, delay: Nanoseconds) -> None:
        self._returns(PRODUCER, "add_after", item, delay)

    def add_each_after(self, items: Sequence[str], delay: Nanoseconds) -> None:
        """Call AddAfter for each item; the story shows all the calls as one line."""
        with self._in_one_line(PRODUCER, f"AddAfter(…, {format_span(delay)}) of {len(items):,} items"):
            for item in items:
                self.add_after(item, delay)

    def add_straight_after(self, items: Sequence[str], delay: Nanoseconds) -> None:
        """Call AddAfter for each item without a pause.

        The candidate cannot check its deadlines between two calls.
        """
        did = f"AddAfter(…, {format_span(delay)}) of {len(items):,} items"
        self._go_straight(PRODUCER, did, [("add_after", item, delay) for item in items])


class RateLimitingQueue(DelayingQueue):
    """A queue with the suite's rate limiter, which delays each item by 1 min, 2 min, 4 min, …"""

    def __init__(self, session: Session, story: Story, patience: Nanoseconds, counted: int = 0) -> None:
        super().__init__(session, story, patience)
        self._counted = counted

    def add_rate_limited(self, item: str) -> None:
        self._returns(PRODUCER, "add_rate_limited", item)

    def fail(self, item: str, times: int) -> None:
        """Call AddRateLimited this many times; the story shows all the calls as one line."""
        with self._in_one_line(PRODUCER, f"{spell('add_rate_limited', item)}, {times:,} times"):
            for _ in range(times):
                self.add_rate_limited(item)

    def forget(self, item: str) -> None:
        self._returns(PRODUCER, "forget", item)

    def num_requeues(self, item: str) -> int:
        count = self._returns(PRODUCER, "num_requeues", item)
        assert is_a(count, int), f"NumRequeues returned {show(count)}, not a number"
        return count - self._counted
