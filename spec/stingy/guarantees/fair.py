"""Fair.

Items are processed in the order in which they are added. An item that keeps being added cannot jump
the queue, and none can be starved by others.
"""

from __future__ import annotations

from stingy.guarantees.handing_out import an_added_item_is_handed_out
from stingy.language import Queue, numbers, orders, rule
from stingy.sources import DOC, QUEUE


@rule(cites=DOC["Fair"], after=[an_added_item_is_handed_out], for_all={"added": orders("abcde")})
def first_come_first_served(queue: Queue, added: list[str]) -> None:
    """Items MUST be handed out in the order in which they were first added.

    Upstream has no test of its own for this.
    """
    for item in added:
        queue.add(item)

    assert queue.take_all() == added


@rule(cites=DOC["Fair"], after=[an_added_item_is_handed_out], for_all={"times": numbers(1, 5)})
def a_duplicate_keeps_its_place(queue: Queue, times: int) -> None:
    """An item that is added again while it is queued MUST keep the place it has.

    Otherwise a busy item is pushed back by its own events, and never runs.
    """
    queue.add("a")
    queue.add("b")

    for _ in range(times):
        queue.add("a")

    assert queue.take_all() == ["a", "b"]


@rule(cites=DOC["Fair"], after=[first_come_first_served])
def the_order_holds_for_several_workers(queue: Queue) -> None:
    """Items MUST be handed out in the order of their Adds also when several workers take them.

    Each worker here holds what it got until all have something: no Done comes in between.
    """
    for item in "abc":
        queue.add(item)

    assert [queue.get(), queue.get(), queue.get()] == ["a", "b", "c"]


@rule(cites=QUEUE["Done"], after=[first_come_first_served])
def an_item_that_comes_back_joins_the_tail(queue: Queue) -> None:
    """An item that was added while it was processed SHOULD come back behind all that was queued meanwhile.

    client-go puts it into the queue at its Done. A queue that keeps the place of the Add, as
    controller-runtime's priority queue does, is fair in another way.
    """
    queue.add("a")
    queue.add("b")
    queue.get()
    queue.add("a")
    queue.add("c")

    queue.done("a")

    assert queue.take_all() == ["b", "c", "a"]


@rule(cites=QUEUE["Done"], after=[first_come_first_served])
def items_come_back_in_the_order_of_their_done(queue: Queue) -> None:
    """Items that were added while they were processed SHOULD come back in the order of their Done calls."""
    queue.add("a")
    queue.add("b")
    queue.get()
    queue.get()
    queue.add("a")
    queue.add("b")

    queue.done("b")
    queue.done("a")

    assert queue.take_all() == ["b", "a"]
