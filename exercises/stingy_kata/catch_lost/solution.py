"""A rule that catches queues which lose an Add."""

from __future__ import annotations

from stingy.language import Queue


def an_item_added_while_it_is_processed_comes_back(queue: Queue) -> None:
    """An item that is added while a worker has it MUST be handed out again after that worker's Done."""
    # hole
    # | queue.add("a")
    for item in "ab":
        queue.add(item)
        queue.get()
    # end of hole

    # hole
    # | assert queue.get() == "a"
    # | # TODO: that was the easy part. Now a worker has it; what comes next?
    for item in "abab":
        queue.add(item)

    assert sorted(queue.take_all()) == ["a", "b"]
    # end of hole
