"""Memory: nothing kept after Done.

A controller runs for months, and over its queue go the keys of all objects that ever were. What a worker is
done with, the queue keeps no hold of: otherwise its memory grows with what was, not with what is.
"""

from __future__ import annotations

from stingy.contract.sources import QUEUE, QUEUE_TESTS
from stingy.language import Watched, numbers, rule


@rule(
    cites=(QUEUE_TESTS["TestGarbageCollection"], QUEUE["queue.Pop"]),
    after=("handing_out/a-finished-item-stays-away", "handing_out/a-finished-item-can-come-again"),
    for_all={"added": numbers(2, 4)},
)
def what_is_done_is_not_kept(watched: Watched, added: int) -> None:
    """A queue MUST keep at most one of the items that workers are done with.

    client-go's kept them until 2021, in the slots of the list that they had been taken from. Where items are short keys that is
    hard to see; where they are objects, it is a leak. The last one may stay in a variable of a thread or generator of the
    queue's own until the next comes.
    """
    for item in "abcd"[:added]:
        watched.add(item)

    watched.take_all()

    assert len(watched.kept()) <= 1, (
        "does a set, or a slot of the list, still hold an item that was taken out of the queue?"
    )


@rule(cites=QUEUE["Get"], after="handing_out/a-finished-item-can-come-again")
def what_only_the_queue_holds_is_handed_out(watched: Watched) -> None:
    """An item MUST be handed out, and come back if it is added while a worker holds it, though nobody but the queue refers to it.

    Whoever adds an item lets go of it. A queue that holds its items by weak references loses them.
    """
    for item in "abc":
        watched.add(item)

    assert [watched.get() for _ in "abc"] == ["a", "b", "c"], (
        "does the queue hold its items by weak references?"
    )

    watched.add("b")
    for item in "abc":
        watched.done(item)

    assert watched.get() == "b", "does the queue hold its items by weak references?"


@rule(
    cites=(QUEUE_TESTS["TestGarbageCollection"], QUEUE["queue.Pop"]),
    after="memory/what-is-done-is-not-kept",
    for_all={"taken": numbers(2, 3)},
)
def what_is_done_is_not_kept_while_others_wait(watched: Watched, taken: int) -> None:
    """While others wait, a queue MUST keep at most one of those that workers are done with."""
    for item in "abcd":
        watched.add(item)

    for _ in range(taken):
        watched.done(str(watched.get()))

    assert len({*watched.kept()} & {*watched.handed_out}) <= 1


@rule(
    cites=QUEUE["Add"].in_code,
    after="memory/what-is-done-is-not-kept",
    for_all={"times": numbers(3, 5)},
)
def a_duplicate_is_not_kept(watched: Watched, times: int) -> None:
    """A queue SHOULD keep at most one of the Adds of an item that was queued already, once the item is done."""
    for _ in range(times):
        watched.add("a")

    watched.take_all()

    assert len(watched.kept()) <= 1


@rule(
    cites=QUEUE["ShutDown"].in_code,
    after=("shutdown/what-is-added-after-shutdown-is-ignored", "memory/what-is-done-is-not-kept"),
)
def what_is_refused_is_not_kept(watched: Watched) -> None:
    """A queue SHOULD keep at most one of the items that it has ignored after its shutdown."""
    watched.shut_down()

    watched.add("a")
    watched.add("b")

    assert len(watched.kept()) <= 1
