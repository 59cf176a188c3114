"""Len.

Len says how many items a worker could take now. It is for information: by the time it is read,
the number may be another one.
"""

from __future__ import annotations

from dataclasses import dataclass

from stingy.contract.sources import QUEUE
from stingy.language import Queue, Race, Row, numbers, rule, sequences


@rule(
    cites=QUEUE["Len"],
    after="handing_out/a-finished-item-stays-away",
    for_all={"added": sequences("abcd", 0, 8)},
)
def len_counts_what_is_queued(queue: Queue, added: list[str]) -> None:
    """Len MUST be the number of different items that are queued."""
    for item in added:
        queue.add(item)

    assert len(queue) == len(set(added))


@rule(cites=(QUEUE["Typed.queue"], QUEUE["Len"]), after="length/len-counts-what-is-queued")
def len_leaves_out_what_is_in_processing(queue: Queue) -> None:
    """Len MUST NOT count an item that a worker holds."""
    queue.add("a")
    queue.add("b")

    queue.get()

    assert len(queue) == 1


@rule(cites=QUEUE["Len"].in_code, after="length/len-leaves-out-what-is-in-processing")
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


@dataclass(frozen=True)
class Meeting(Row):
    what_meets: str
    before: str
    at_once: str
    least: int
    most: int

    def cells(self) -> dict[str, str]:
        numbers = str(self.least) if self.least == self.most else f"{self.least} to {self.most}"
        return {"what meets": self.what_meets, "before": self.before, "at once": self.at_once, "Len": numbers}


@rule(
    cites=QUEUE["Len"].in_code,
    after="length/len-counts-what-is-queued",
    each=[
        Meeting("Len and an Add", "add a", "len | add b", 1, 2),
        Meeting("Len, again and again, and a Get", "add a; add b", "len, len, len | get", 1, 2),
        Meeting("Len for two who ask, and a Get", "add a; add b", "len, len | len, len | get", 1, 2),
        Meeting("Len and an Add of what is held", "add a; add b; 1 get", "len | add a", 1, 1),
        Meeting(
            "Len and two Adds of what is held", "add a; add b; 1 get; 1 get", "len | add a | add b", 0, 0
        ),
        Meeting("Len and a Done", "add a; add b; 1 get", "done a | len", 1, 1),
        Meeting("Len and a Done that brings it back", "add a; add b; 1 get; add a", "done a | len", 1, 2),
        Meeting("Len, a Get and an Add", "add a; add b", "len | get | add c", 1, 3),
    ],
)
def len_is_a_number_that_there_was(race: Race, row: Meeting) -> None:
    """Whatever is done at the same time, Len SHOULD be how many were queued at some moment between its call and its return.

    Upstream says that it is for information; it counts under its lock all the same. Two sets that are counted one after
    the other, without one, make a number that was never true, and some day one less than 0.
    """
    history = race.play(row.before, row.at_once)

    assert history.raised() == []
    assert {*history.answers("len")} <= {*range(row.least, row.most + 1)}
