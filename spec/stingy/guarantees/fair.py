"""Fairness: first in, first out.

Items are processed in the order in which they are added. An item that keeps being added cannot jump
the queue, and none can be starved by others.
"""

from __future__ import annotations

from stingy.contract.sources import DOC
from stingy.language import Queue, numbers, orders, rule


@rule(
    cites=DOC["Fair"],
    after="handing_out/a-finished-item-stays-away",
    for_all={"added": orders("abcde")},
)
def first_come_first_served(queue: Queue, added: list[str]) -> None:
    """Items MUST be handed out in the order in which they were first added.

    Upstream has no test of its own for this.
    """
    for item in added:
        queue.add(item)

    assert queue.take_all() == added


@rule(
    cites=DOC["Fair"],
    after="handing_out/a-finished-item-stays-away",
    for_all={"times": numbers(1, 5)},
)
def a_duplicate_keeps_its_place(queue: Queue, times: int) -> None:
    """An item that is added again while it is queued MUST keep the place it has.

    Otherwise a busy item is pushed back by its own events, and never runs.
    """
    queue.add("a")
    queue.add("b")

    for _ in range(times):
        queue.add("a")

    assert queue.take_all() == ["a", "b"]


@rule(cites=DOC["Fair"], after="fair/first-come-first-served")
def the_order_holds_for_several_workers(queue: Queue) -> None:
    """Items MUST be handed out in the order of their Adds also when several workers take them.

    Each worker here holds what it got until all have something: no Done comes in between.
    """
    for item in "abc":
        queue.add(item)

    assert [queue.get(), queue.get(), queue.get()] == ["a", "b", "c"]


@rule(cites=DOC["Fair"], after=("fair/first-come-first-served", "fair/a-duplicate-keeps-its-place"))
def what_comes_back_does_not_jump_the_queue(queue: Queue) -> None:
    """An item that comes back after its Done MUST NOT be handed out before one that was queued when it was added again.

    Otherwise an item that is added in each of its runs is always the first, and all others starve. To put it
    at the head passes the whole of client-go's own suite.
    """
    queue.add("a")
    queue.add("b")
    queue.get()
    queue.add("a")

    queue.done("a")

    assert queue.get() == "b"
