"""Len.

Len says how many items a worker could take now. It is for information: by the time it is read,
the number may be another one.
"""

from __future__ import annotations

from stingy.language import Queue, numbers, rule, sequences
from stingy.sources import QUEUE


@rule(
    cites=QUEUE["Len"],
    covers="core-len-queued",
    after="handing_out/a-finished-item-stays-away",
    for_all={"added": sequences("abcd", 0, 8)},
)
def len_counts_what_is_queued(queue: Queue, added: list[str]) -> None:
    """Len MUST be the number of different items that are queued."""
    for item in added:
        queue.add(item)

    assert len(queue) == len(set(added))


@rule(cites=QUEUE["Len"], covers="core-len-excludes-processing", after="length/len-counts-what-is-queued")
def len_leaves_out_what_is_in_processing(queue: Queue) -> None:
    """Len MUST NOT count an item that a worker holds."""
    queue.add("a")
    queue.add("b")

    queue.get()

    assert len(queue) == 1


@rule(
    cites=QUEUE["Len"], covers="core-len-excludes-held", after="length/len-leaves-out-what-is-in-processing"
)
def len_leaves_out_what_waits_for_its_done(queue: Queue) -> None:
    """Len SHOULD NOT count an item that was added again while a worker holds it.

    Nobody can take it now. controller-runtime's priority queue counts it, and has a test that says so.
    """
    queue.add("a")
    queue.get()

    queue.add("a")

    assert len(queue) == 0


@rule(
    cites=QUEUE["Len"],
    covers="shut-len-remains",
    after="length/len-counts-what-is-queued",
    for_all={"items": numbers(0, 5)},
)
def len_goes_on_after_shutdown(queue: Queue, items: int) -> None:
    """After a shutdown Len MUST still count what has not been handed out.

    A ShutDown that empties the queue passes client-go's own suite.
    """
    for n in range(items):
        queue.add(f"item-{n}")

    queue.shut_down()

    assert len(queue) == items
