"""Rules that find what is wrong with four queues, and accuse none of the three others."""

from __future__ import annotations

from stingy.language import Queue


def what_is_added_is_handed_out_in_order(queue: Queue) -> None:
    """Items MUST be handed out once each, in the order of their first Adds."""
    for item in "aba":
        queue.add(item)

    assert queue.take_all() == ["a", "b"]


def what_is_owed_comes_back(queue: Queue) -> None:
    """An item that is added while a worker has it MUST be handed out once more."""
    queue.add("a")
    queue.get()
    queue.add("a")

    queue.done("a")

    assert queue.get() == "a"
    queue.done("a")
    queue.shut_down()
    queue.add("a")
    assert queue.shutting_down()
    assert len(queue) == 0
    assert queue.take_all() == []


def it_comes_back_for_whoever_waits(queue: Queue) -> None:
    """What is owed MUST wake a worker that waits when its own Done is said, and no sooner."""
    for item in "ab":
        queue.add(item)
        queue.get()
    idle = queue.ask()

    queue.add("a")
    queue.done("b")

    assert idle.waiting
    queue.done("a")
    assert idle.got == "a"
