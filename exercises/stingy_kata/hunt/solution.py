"""Rules that find what is wrong with four queues, and accuse none of the three others."""

from __future__ import annotations

from stingy.language import Queue


def what_is_added_is_handed_out_in_order(queue: Queue) -> None:
    """Items MUST be handed out once each, in the order of their first Adds."""
    # hole
    # | for item in "aab":
    # |     queue.add(item)
    for item in "aba":
        queue.add(item)
    # end of hole

    assert queue.take_all() == ["a", "b"]


def what_is_owed_comes_back(queue: Queue) -> None:
    # hole
    # | """An item that is added while a worker has it MUST be handed out once more."""
    """An item that is added while a worker has it MUST be handed out once more, also after a shutdown."""
    # end of hole
    queue.add("a")
    queue.get()
    queue.add("a")

    # hole
    queue.shut_down()
    # end of hole
    queue.done("a")

    assert queue.get() == "a"
    queue.done("a")
    # hole
    # | queue.shut_down()
    # end of hole
    queue.add("a")
    assert queue.shutting_down()
    assert len(queue) == 0
    assert queue.take_all() == []


# hole
# | # TODO: these two run every line of the four, and see nothing. Change them, and add some: six have to do.
def it_comes_back_for_whoever_waits(queue: Queue) -> None:
    """An item that is owed MUST wake a waiting worker at its own Done, and no sooner."""
    for item in "ab":
        queue.add(item)
        queue.get()
    idle = queue.ask()

    queue.add("a")
    queue.done("b")

    assert idle.waiting
    queue.done("a")
    assert idle.got == "a"


# end of hole
