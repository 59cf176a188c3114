"""Cancelling a Get (asyncio).

A worker that waits in a coroutine can be told to give up: by a time-out, by the end of its task group, by
whoever started it. It then goes away empty-handed. What it may have had in its hands a moment before, an
item or only the news of one, belongs to those who stay. A Get that blocks a thread cannot be cancelled, so
client-go promises nothing here; asyncio's own queue takes care of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from stingy.contract.sources import ASYNCIO, QUEUE
from stingy.language import SHUTDOWN, Cancellable, Draining, Row, With, given, numbers, rule


@dataclass(frozen=True)
class CancelledAt(Row):
    cancelled: str
    turns: int | None
    """How many turns of the loop after the event began; None for before it."""


def moments_of(event: str) -> tuple[CancelledAt, ...]:
    """Return the moments around an event at which Gets are cancelled."""
    return (
        CancelledAt(f"before {event}", None),
        CancelledAt(f"in the instant of {event}", 0),
        CancelledAt(f"a moment after {event}", 1),
        CancelledAt(f"two moments after {event}", 2),
    )


CANCELLED = {"cancelled": numbers(1, 2), "later": numbers(0, 1)}
"""How many Gets are cancelled, and how many of them began later than the one that waits on: a queue may wake either end first."""


@rule(
    cites=ASYNCIO["Queue.get"],
    after="handing_out/get-waits-while-nothing-is-queued",
    each=moments_of("the Add"),
    for_all={"added": numbers(1, 2), **CANCELLED},
)
def a_cancelled_get_takes_no_wake_up_with_it(
    cancellable: Cancellable, row: CancelledAt, added: int, cancelled: int, later: int
) -> None:
    """Of several Gets that wait, all but one are cancelled: an Add, and two Adds in one instant, MUST still reach that one.

    A queue wakes who has waited longest. If that one has just been cancelled, nobody else hears of the
    item, and it lies there until the next Add. The asyncio.Condition of Python 3.11 loses a notify so.
    """
    waiting = [cancellable.ask() for _ in range(cancelled + 1)]
    waiting.pop(cancelled - later)

    with cancellable.cancelling(waiting, row.turns):
        cancellable.add_straight(["a", "b"][:added])

    assert cancellable.runs("a") == 1, (
        "does Add wake a Get that still waits, and does one that is cancelled after it was woken wake the next?"
    )
    assert cancellable.runs("b") == added - 1, "does one that is cancelled pass on all that it was woken for?"


@rule(
    cites=ASYNCIO["Queue.get"],
    after="handing_out/get-waits-while-nothing-is-queued",
    each=moments_of("the Add"),
    for_all={"shut_downs": numbers(0, 1)},
)
def a_cancelled_get_takes_no_item_with_it(
    cancellable: Cancellable, row: CancelledAt, shut_downs: int
) -> None:
    """The only Get that waits is cancelled: an item that is added MUST be there for the next one, also if a ShutDown follows at once.

    An item that has been put into the hands of somebody who is gone will never see its Done.
    """
    worker = cancellable.ask()

    with cancellable.cancelling([worker], row.turns):
        cancellable.add_straight(["a"], shut_downs)

    assert cancellable.runs("a") == 1


@rule(
    cites=ASYNCIO["Queue.get"],
    after=(
        "stingy/one-worker-at-a-time",
        "once_more/added-while-processed-comes-back-after-done",
        "cancellation/a-cancelled-get-takes-no-wake-up-with-it",
        "cancellation/a-cancelled-get-takes-no-item-with-it",
    ),
    each=moments_of("the Done"),
    for_all={"others": numbers(0, 1), **CANCELLED},
)
def a_cancelled_get_takes_nothing_with_it_that_a_done_brings_back(
    cancellable: Cancellable, row: CancelledAt, others: int, cancelled: int, later: int
) -> None:
    """Some Gets that wait are cancelled: an item that its Done brings back MUST reach another one, which waits or is yet to come."""
    cancellable.add("a")
    cancellable.get()
    cancellable.add("a")
    waiting = [cancellable.ask() for _ in range(cancelled + others)]
    with given():
        assert [get for get in waiting if not get.waiting] == []
    del waiting[cancelled - later : cancelled - later + others]

    with cancellable.cancelling(waiting, row.turns):
        cancellable.done("a")

    assert cancellable.runs("a") == 2, (
        "does Done wake a Get that still waits, and does one that is cancelled after it was woken wake the next?"
    )


@rule(
    cites=ASYNCIO["Queue.get"],
    after="shutdown/shutdown-wakes-every-waiting-worker",
    each=moments_of("the ShutDown"),
    for_all=CANCELLED,
)
def a_cancelled_get_takes_no_shutdown_with_it(
    cancellable: Cancellable, row: CancelledAt, cancelled: int, later: int
) -> None:
    """Of several Gets that wait, all but one are cancelled: a ShutDown MUST still reach that one."""
    waiting = [cancellable.ask() for _ in range(cancelled + 1)]
    other = waiting.pop(cancelled - later)

    with cancellable.cancelling(waiting, row.turns):
        cancellable.shut_down()

    assert other.got is SHUTDOWN, (
        "does ShutDown itself wake every Get that still waits, or does each of them wake the next?"
    )


@rule(
    cites=ASYNCIO["Queue.get"],
    after=("drain/it-wakes-the-waiting-workers", "drain/it-returns-at-once-when-there-is-nothing-to-do"),
    each=moments_of("the ShutDownWithDrain"),
    for_all=CANCELLED,
)
def a_cancelled_get_takes_no_drain_with_it(
    draining: Annotated[Draining, With("cancel")], row: CancelledAt, cancelled: int, later: int
) -> None:
    """Of several Gets that wait, all but one are cancelled: a ShutDownWithDrain MUST still reach that one, and return."""
    waiting = [draining.ask() for _ in range(cancelled + 1)]
    other = waiting.pop(cancelled - later)

    with draining.cancelling(waiting, row.turns):
        drain = draining.drain()

    assert other.got is SHUTDOWN
    assert drain.returned


@dataclass(frozen=True)
class Which(Row):
    cancelled: str
    number: int


@rule(
    cites=ASYNCIO["Queue.get"],
    after="drain/several-drains-wait-for-every-item-in-processing",
    each=[Which("the first", 0), Which("the second", 1)],
)
def a_cancelled_drain_ends_no_other(draining: Annotated[Draining, With("cancel")], row: Which) -> None:
    """Of two ShutDownWithDrain that wait, one is cancelled: the other MUST go on waiting until nothing is in processing."""
    draining.add("a")
    draining.get()
    begun = [draining.drain(), draining.drain()]
    with given():
        assert [drain.waiting for drain in begun] == [True, True]

    draining.cancel_drain(begun.pop(row.number))

    assert begun[0].waiting, "is there one mark for all drains, which the cancelled one takes away?"

    draining.done("a")

    assert begun[0].returned


@rule(
    cites=(ASYNCIO["Queue.get"], QUEUE["ShutDownWithDrain"]),
    after=("drain/it-waits-for-what-is-in-processing", "shutdown/what-is-added-after-shutdown-is-ignored"),
)
def a_cancelled_drain_takes_no_shutdown_back(draining: Annotated[Draining, With("cancel")]) -> None:
    """A ShutDownWithDrain that is cancelled while it waits MUST leave the queue shut down."""
    draining.add("a")
    draining.get()
    drain = draining.drain()
    with given():
        assert drain.waiting

    draining.cancel_drain(drain)

    assert draining.shutting_down()

    draining.add("b")

    assert draining.get() is SHUTDOWN


@rule(cites=ASYNCIO["Queue.get"].in_code, after="handing_out/get-waits-while-nothing-is-queued")
def a_cancelled_get_ends(cancellable: Cancellable) -> None:
    """A Get that is cancelled while it waits SHOULD end, though nothing is there for it.

    Otherwise a time-out around it never comes, and the program waits for its workers for ever.
    """
    worker = cancellable.ask()

    cancellable.cancel(worker)

    assert worker.ended
