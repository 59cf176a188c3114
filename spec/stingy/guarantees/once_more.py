"""Added while being processed.

It is allowed for an item to be added again while it is being processed; it is then processed again.
Once more, not once per event: reconciling is level-based, the next run reads the current state.
"""

from __future__ import annotations

from stingy.contract.sources import DOC, QUEUE, QUEUE_TESTS
from stingy.language import AGAIN, DONE, GET, Queue, Race, add, numbers, rule


@rule(cites=DOC["Multiple consumers and producers"], after="handing_out/a-finished-item-stays-away")
def added_while_processed_comes_back_after_done(queue: Queue) -> None:
    """An item that is added while a worker processes it MUST be handed out again after that worker's Done.

    What changed during the run may have come too late for it. A queue that drops this Add loses an update.
    """
    queue.add("a")
    queue.get()
    queue.add("a")

    queue.done("a")

    assert queue.get() == "a", "does Add mark an item in processing dirty, and does Done queue it then?"


@rule(
    cites=(DOC["Stingy"], QUEUE_TESTS["TestCollapseWhileProcessing"]),
    after="once_more/added-while-processed-comes-back-after-done",
    for_all={"times": numbers(1, 20)},
)
def many_adds_during_a_run_bring_it_back_once(queue: Queue, times: int) -> None:
    """An item that is added any number of times while it is processed MUST be handed out exactly once more."""
    queue.add("a")
    queue.get()

    for _ in range(times):
        queue.add("a")

    assert queue.runs("a") == 2, "is dirty a set, and not a list or a counter?"


@rule(
    cites=QUEUE["Typed"],
    after="once_more/added-while-processed-comes-back-after-done",
    for_all={"runs": numbers(2, 6)},
)
def added_in_every_run_it_comes_back_after_every_run(queue: Queue, runs: int) -> None:
    """An item that is added again in each of its runs MUST come back after each of them."""
    queue.add("a")

    for _ in range(runs):
        assert queue.get() == "a"
        queue.add("a")
        queue.done("a")

    assert queue.runs("a") == runs + 1


@rule(cites=QUEUE["Typed"], after="once_more/added-while-processed-comes-back-after-done")
def each_item_is_remembered_for_itself(queue: Queue) -> None:
    """Of several items in processing, exactly those that were added again MUST come back."""
    for item in "abc":
        queue.add(item)
        queue.get()
    queue.add("a")
    queue.add("c")

    assert queue.runs("a") == 2
    assert queue.runs("b") == 1
    assert queue.runs("c") == 2


@rule(cites=DOC["Stingy"], after="once_more/added-while-processed-comes-back-after-done")
def added_again_after_it_came_back_it_is_handed_out_once(queue: Queue) -> None:
    """An item that came back after its Done and is added again before anybody takes it MUST be handed out once.

    It is queued like any other. A Done that takes the dirty mark off with it lets the next Add queue it twice,
    and two workers have it at once.
    """
    queue.add("a")
    queue.get()
    queue.add("a")
    queue.done("a")

    queue.add("a")

    assert queue.takeable() == 1


@rule(
    cites=(QUEUE["Get"], QUEUE["Typed.queue"]),
    after=("handing_out/a-finished-item-stays-away", "stingy/one-worker-at-a-time"),
)
def an_item_that_waits_for_its_done_holds_up_no_other(queue: Queue) -> None:
    """An item that waits for its Done MUST NOT keep workers from items that were added behind it."""
    queue.add("a")
    queue.get()

    queue.add("a")
    queue.add("b")

    assert queue.get() == "b"


@rule(
    cites=DOC["Multiple consumers and producers"],
    after="once_more/added-while-processed-comes-back-after-done",
)
def no_add_is_lost(race: Race) -> None:
    """Whatever the order, every Add MUST be followed by a hand-out whose Get completes after the Add began.

    This is what level-based reconciling stands on: somebody looks at the item after its last change.
    """
    history = race.run(
        worker_1=[GET, DONE, GET, AGAIN, DONE],
        worker_2=[GET, AGAIN, DONE, GET, DONE],
        producer=[add("a"), add("b"), add("a"), add("b")],
    )

    assert race.rest(history).lost() == []


@rule(
    cites=QUEUE["Done"].in_code,
    after=(
        "fair/first-come-first-served",
        "once_more/added-while-processed-comes-back-after-done",
        "stingy/one-worker-at-a-time",
    ),
)
def an_item_that_comes_back_joins_the_tail(queue: Queue) -> None:
    """An item that was added while it was processed SHOULD come back behind all that was queued meanwhile.

    client-go puts it into the queue at its Done: the next free worker need not be the one that gets it, as
    some diagrams have it, for others may be ahead of it by then. A queue that keeps the place of the Add, as
    controller-runtime's priority queue does, is fair in another way.
    """
    queue.add("a")
    queue.add("b")
    queue.get()
    queue.add("a")
    queue.add("c")

    queue.done("a")

    assert queue.take_all() == ["b", "c", "a"]


@rule(
    cites=QUEUE["Done"].in_code,
    after=(
        "fair/first-come-first-served",
        "once_more/added-while-processed-comes-back-after-done",
        "stingy/one-worker-at-a-time",
    ),
)
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


@rule(
    cites=DOC["Stingy"],
    after=("stingy/one-worker-at-a-time", "once_more/added-while-processed-comes-back-after-done"),
)
def what_came_back_is_held_like_any_other(queue: Queue) -> None:
    """An item that has come back MUST NOT be handed out again before the Done of the worker that has it now."""
    queue.add("a")
    queue.get()
    queue.add("a")
    queue.done("a")
    queue.get()

    queue.add("a")

    assert queue.ask().waiting
