"""Many workers.

Several consumers and several producers may use the queue at once. A worker that waits is woken when
there is something for it, and only then.
"""

from __future__ import annotations

from dataclasses import dataclass

from stingy.contract.sources import DOC, QUEUE
from stingy.language import DONE, GET, Queue, Race, Row, add, given, numbers, rule


@rule(
    cites=DOC["Multiple consumers and producers"],
    after="handing_out/an-added-item-is-handed-out",
)
def different_items_are_processed_side_by_side(queue: Queue) -> None:
    """Different items MUST be processable at the same time: Get does not wait for another item's Done."""
    queue.add("a")
    queue.add("b")

    assert {queue.get(), queue.get()} == {"a", "b"}


@rule(cites=QUEUE["Get"], after="handing_out/get-waits-while-nothing-is-queued")
def one_add_wakes_one_worker(queue: Queue) -> None:
    """One Add MUST release one of two waiting workers, and leave the other one waiting."""
    workers = [queue.ask(), queue.ask()]

    queue.add("a")

    waiting = [worker.waiting for worker in workers].count(True)
    assert waiting < 2, "does Add notify a worker that waits?"
    assert waiting > 0, (
        "does a woken worker look again, with while and not with if, whether anything is queued?"
    )


@dataclass(frozen=True)
class Which(Row):
    added_to: str
    number: int


@rule(
    cites=(QUEUE["Add"], QUEUE["Get"]),
    after="handing_out/get-waits-while-nothing-is-queued",
    each=[Which("the queue whose worker waits longer", 0), Which("the other queue", 1)],
)
def an_add_wakes_a_worker_of_its_own_queue(two: tuple[Queue, Queue], row: Which) -> None:
    """An Add MUST reach the worker that waits for its queue, though a worker of another queue in the same process waits as well."""
    workers = [queue.ask() for queue in two]

    two[row.number].add("a")

    assert workers[row.number].got == "a", "do all queues share a condition, of which Add wakes one thread?"


@rule(
    cites=QUEUE["Get"],
    after="handing_out/get-waits-while-nothing-is-queued",
    for_all={"workers": numbers(1, 6)},
)
def as_many_adds_wake_as_many_workers(queue: Queue, workers: int) -> None:
    """So many Adds of new items MUST release so many waiting workers, without a Done or a shutdown to help.

    A lost wake-up hides behind the next event, and behind the shutdown at the end of a test: removing
    the signal from Add passes the whole of client-go's own suite.
    """
    waiting = [queue.ask() for _ in range(workers)]
    items = [f"item-{n}" for n in range(workers)]

    for item in items:
        queue.add(item)

    assert sorted(str(worker.got) for worker in waiting) == items, (
        "does each Add notify, and not only the one that finds the queue empty?"
    )


@rule(cites=(QUEUE["Get"], QUEUE["Done"]), after="stingy/one-worker-at-a-time")
def an_item_that_comes_back_wakes_a_worker(queue: Queue) -> None:
    """A Done that brings an item back MUST wake a waiting worker, also while other items are in processing.

    Waking somebody only when nothing else is in processing passes client-go's own suite.
    """
    for item in "ab":
        queue.add(item)
        queue.get()
    queue.add("a")
    worker = queue.ask()
    with given():
        assert worker.waiting

    queue.done("a")

    assert worker.got == "a", "does Done notify a worker when it queues the item again?"


@rule(cites=(DOC["Stingy"], QUEUE["Get"]), after="stingy/one-worker-at-a-time")
def an_item_in_processing_wakes_nobody(queue: Queue) -> None:
    """An Add of an item that is in processing MUST NOT release a waiting worker, with it or without."""
    queue.add("a")
    queue.get()
    worker = queue.ask()

    queue.add("a")
    queue.add("a")

    assert worker.waiting


@rule(cites=QUEUE["Get"], after="handing_out/get-waits-while-nothing-is-queued")
def a_worker_woken_for_nothing_waits_on(queue: Queue) -> None:
    """A Done that brings nothing back MUST leave a waiting Get waiting, however many workers it wakes.

    client-go wakes somebody at the last Done although nothing is queued. With `if` in the place of
    `while` that worker would report a shutdown and go home.
    """
    queue.add("a")
    queue.get()
    worker = queue.ask()

    queue.done("a")

    assert worker.waiting, (
        "does a woken worker look again, with while and not with if, whether anything is queued?"
    )


@rule(
    cites=QUEUE["Done"].in_code,
    after=("handing_out/an-added-item-is-handed-out", "handing_out/a-finished-item-can-come-again"),
)
def another_thread_may_say_done(queue: Queue) -> None:
    """Done SHOULD be possible from another thread than the one that called Get: it is keyed by the item."""
    queue.add("a")
    queue.get()

    queue.done("a", by="another thread")
    queue.add("a")

    assert queue.get() == "a"


@rule(cites=DOC["Stingy"], after="handing_out/an-added-item-is-handed-out")
def two_producers_at_once_add_it_once(race: Race) -> None:
    """An item that two producers add at the same moment MUST be queued once.

    To look whether it is there, and then to add it, is two steps; somebody else can come between them.
    """
    race.run(producer_1=[add("a")], producer_2=[add("a")])

    assert race.left() == ["a"]


@rule(
    cites=DOC["Multiple consumers and producers"],
    after="handing_out/get-waits-while-nothing-is-queued",
)
def all_that_is_added_gets_done(race: Race) -> None:
    """With more workers than items and nobody in the way, every item that was added MUST be taken.

    No worker waits while something is queued, and no item is left lying.
    """
    history = race.run(
        worker_1=[GET, DONE],
        worker_2=[GET, DONE],
        worker_3=[GET, DONE],
        producer_1=[add("a"), add("b")],
        producer_2=[add("c")],
    )

    assert history.raised() == []
    assert history.waiting("get") == []
    assert history.lost() == []


@rule(
    cites=QUEUE["Get"],
    after=("stingy/one-worker-at-a-time", "workers/all-that-is-added-gets-done"),
)
def a_worker_that_adds_wakes_another(race: Race) -> None:
    """An Add by a worker that has an item in processing MUST wake a waiting worker, as any other Add does.

    That worker may be at its item for hours before it comes for the next.
    """
    history = race.play("add a; 1 get", "add b | get")

    assert history.raised() == []
    assert race.overlooked(history) == []
