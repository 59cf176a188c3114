"""A rule that catches queues which lose an Add."""

from __future__ import annotations

from stingy.language import Queue


def an_item_added_while_it_is_processed_comes_back(queue: Queue) -> None:
    """An item that is added while a worker has it MUST be handed out again after that worker's Done."""
    for item in "ab":
        queue.add(item)
        queue.get()

    for item in "abab":
        queue.add(item)

    assert len(queue) == 0
    assert sorted(queue.take_all()) == ["a", "b"]
