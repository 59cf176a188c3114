"""Rules that find what is wrong with four queues, and accuse none of the three others."""

from __future__ import annotations

from stingy.language import Queue


def what_is_added_is_handed_out_in_order(queue: Queue) -> None:
    """Items MUST be handed out once each, in the order of their first Adds."""
    for item in "aba":
        queue.add(item)

    assert queue.take_all() == ["a", "b"]


def what_is_owed_comes_back(queue: Queue) -> None:
    """An item that is added while a worker has it MUST be handed out once more, also after a shutdown."""
    queue.add("a")
    queue.get()
    queue.add("a")

    queue.shut_down()
    queue.done("a")

    assert queue.get() == "a"
    queue.done("a")
    queue.add("a")
    assert queue.shutting_down()
    assert len(queue) == 0
    assert queue.take_all() == []


def of_two_both_come_back(queue: Queue) -> None:
    """Of two items that are both owed, both MUST be handed out once more."""
    for item in "ab":
        queue.add(item)
        queue.get()

    for item in "ab":
        queue.add(item)

    assert sorted(queue.take_all()) == ["a", "b"]
