"""Stingy: one worker per item.

A single item is never processed twice at the same time, and an item that is added many times before it
is processed is processed once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from stingy.contract.sources import DOC, QUEUE
from stingy.language import AGAIN, DONE, GET, Queue, Race, Row, add, rule, sequences

NEXT = "next available worker"
AFTER_DONE = "after the current Done"
NEVER = "never"


def idle(queue: Queue) -> None:
    """Neither dirty nor processing."""


def queued(queue: Queue) -> None:
    queue.add("a")


def processing(queue: Queue) -> None:
    queue.add("a")
    queue.get()


def processing_and_dirty(queue: Queue) -> None:
    processing(queue)
    queue.add("a")


def shut_down(queue: Queue) -> None:
    queue.shut_down()


@dataclass(frozen=True)
class Scenario(Row):
    state: str
    given: Callable[[Queue], None]
    added_to_dirty: bool
    added_to_queue: bool
    handed_out: str
    without: Callable[[], tuple[int, int]]
    """How many items a worker could take, and how often the item would run, if there were no Add."""

    @property
    def hand_outs_before_its_done(self) -> int:
        return self.without()[0] + self.added_to_queue

    @property
    def runs(self) -> int:
        return self.without()[1] + self.added_to_dirty


@rule(
    cites=(QUEUE["Add"], DOC["Stingy"], DOC["Multiple consumers and producers"]),
    after="handing_out/a-finished-item-stays-away",
    each=[
        Scenario("neither dirty nor processing", idle, True, True, NEXT, lambda: (0, 0)),
        Scenario("dirty, not processing", queued, False, False, NEXT, lambda: (1, 1)),
        Scenario("processing, not dirty", processing, True, False, AFTER_DONE, lambda: (0, 1)),
        Scenario("processing and dirty", processing_and_dirty, False, False, AFTER_DONE, lambda: (0, 2)),
        Scenario("after shutdown", shut_down, False, False, NEVER, lambda: (0, 0)),
    ],
)
def add_depends_on_where_the_item_is(queue: Queue, row: Scenario) -> None:
    """An Add MUST cause one more run, after any current run of the item. It causes none if the item is dirty, or after a shutdown.

    In the sets of the model, Add marks the item dirty, and queues it unless it is in processing. This table
    is often given with three rows: new, queued and processing. The last two are what is easily forgotten: an
    Add of what is dirty already changes nothing, though it is being processed, and after a shutdown nothing is
    added at all.

    The two sets cannot be seen from outside. *Added to queue* is read as one more item that workers can
    take before anybody calls Done; *added to dirty* as one more run than the item would have had.
    """
    row.given(queue)

    queue.add("a")

    hand_outs_before_its_done = queue.takeable()
    assert hand_outs_before_its_done == row.hand_outs_before_its_done, (
        "which sets, and which flag, does Add look at before it queues the item?"
    )
    assert queue.runs("a") == row.runs, "does Add mark the item dirty, and does Done queue it once if it is?"


@rule(
    cites=DOC["Stingy"],
    after="handing_out/a-finished-item-stays-away",
    for_all={"added": sequences("abc", 1, 12)},
)
def added_many_times_is_handed_out_once(queue: Queue, added: list[str]) -> None:
    """An item that is added any number of times before it is handed out MUST be handed out once.

    Each item is counted for itself: that others are queued makes no difference.
    """
    for item in added:
        queue.add(item)

    assert sorted(queue.take_all()) == sorted(set(added)), "does Add return early if the item is dirty?"


@rule(cites=DOC["Stingy"], after="handing_out/a-finished-item-stays-away")
def one_worker_at_a_time(queue: Queue) -> None:
    """An item that a worker holds MUST NOT be handed out before that worker's Done.

    This is the promise that lets a reconciler run without a lock of its own.
    """
    queue.add("a")
    queue.get()
    queue.add("a")

    other = queue.ask()

    assert other.waiting, "does Add, for an item in processing, only mark it dirty?"


@rule(cites=DOC["Stingy"], after="stingy/one-worker-at-a-time")
def other_items_do_not_let_a_held_item_out(queue: Queue) -> None:
    """An item that a worker holds MUST NOT be handed out while other items are queued, either.

    A fault that shows only when something else is queued passes every test with a single item.
    """
    queue.add("a")
    queue.get()
    queue.add("b")
    queue.add("a")

    assert "a" not in [queue.ask().answer, queue.ask().answer]


@rule(cites=DOC["Stingy"], after="stingy/one-worker-at-a-time")
def the_done_of_another_item_does_not_let_a_held_item_out(queue: Queue) -> None:
    """An item that a worker holds MUST NOT be handed out after the Done of another one, either.

    A Done that brings back whatever has been added again, and not its own item alone, lets in a second worker.
    """
    queue.add("a")
    queue.add("b")
    queue.get()
    queue.get()
    queue.add("a")

    queue.done("b")

    assert queue.ask().waiting, "does Done queue again its own item alone?"


@rule(cites=DOC["Stingy"], after="handing_out/a-finished-item-stays-away")
def the_sequence_that_made_the_name(queue: Queue) -> None:
    """As an item is added, added twice more, taken, added and finished, and taken again, Len MUST be 1, 1, 0, 1 and 0.

    Upstream has this sequence as *TestWorkqueueStingyProperty*. Its author calls the Add while the item is
    processed a no-op, and sees that Len stays 0 (which is a rule of its own). It is none: the Len of 1 after
    the Done is there because of it.
    """
    queue.add("a")
    assert len(queue) == 1

    queue.add("a")
    queue.add("a")
    assert len(queue) == 1

    queue.get()
    assert len(queue) == 0

    queue.add("a")
    queue.done("a")
    assert len(queue) == 1

    queue.get()
    assert len(queue) == 0


@rule(cites=DOC["Stingy"], after="stingy/one-worker-at-a-time")
def no_item_is_with_two_workers(race: Race) -> None:
    """Whatever the order in which workers and producers run, an item MUST NOT be with two workers at once.

    Each worker adds the very item it holds, at the worst moment, while others are queued.
    """
    history = race.run(
        worker_1=[GET, AGAIN, DONE] * 3,
        worker_2=[GET, AGAIN, DONE] * 3,
        producer=[add("a"), add("b"), add("a"), add("c")],
    )

    assert history.raised() == []
    assert history.held_twice() == []


@rule(cites=DOC["Stingy"], after="stingy/added-many-times-is-handed-out-once")
def never_more_runs_than_adds(race: Race) -> None:
    """Whatever the order, an item MUST NOT be handed out more often than it was added."""
    history = race.run(
        worker_1=[GET, DONE] * 3,
        worker_2=[GET, DONE] * 3,
        producer_1=[add("a"), add("b")],
        producer_2=[add("a"), add("b")],
    )

    assert race.rest(history).excess() == []
