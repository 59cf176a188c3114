"""Queues that add an item later: after a delay, or when a rate limiter says so."""

from __future__ import annotations

from stingy.contract import Nanoseconds
from stingy.language.queue import PRODUCER, Queue
from stingy.language.values import spoken


class DelayingQueue(Queue):
    def add_after(self, item: str, delay: Nanoseconds) -> None:
        self._returns(
            PRODUCER, "add_after", f"AddAfter({item!r}, {spoken(delay)})", self._story.salted(item), delay
        )


class RateLimitingQueue(DelayingQueue):
    """With a rate limiter of ours: 1 min, 2 min, 4 min and so on for each item."""

    def add_rate_limited(self, item: str) -> None:
        self._returns(PRODUCER, "add_rate_limited", f"AddRateLimited({item!r})", self._story.salted(item))

    def forget(self, item: str) -> None:
        self._returns(PRODUCER, "forget", f"Forget({item!r})", self._story.salted(item))

    def num_requeues(self, item: str) -> int:
        return int(
            self._returns(PRODUCER, "num_requeues", f"NumRequeues({item!r})", self._story.salted(item))
        )
