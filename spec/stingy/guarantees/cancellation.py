"""Cancelling a Get (asyncio).

A worker that waits in a coroutine can be told to give up: by a time-out, by the end of its task group, by
whoever started it. It then goes away empty-handed. What it may have had in its hands a moment before, an
item or only the news of one, belongs to those who stay. A Get that blocks a thread cannot be cancelled, so
client-go promises nothing here; asyncio's own queue takes care of it.
"""

from __future__ import annotations

from dataclasses import dataclass

from stingy.contract.sources import ASYNCIO
from stingy.language import Cancellable, Row, rule


@dataclass(frozen=True)
class CancelledAt(Row):
    cancelled: str
    turns: int | None
    """How many turns of the loop after the Add began; None for before it."""


MOMENTS = (
    CancelledAt("before the Add", None),
    CancelledAt("in the instant of the Add", 0),
    CancelledAt("a moment after the Add", 1),
    CancelledAt("two moments after the Add", 2),
)


@rule(
    cites=ASYNCIO["Queue.get"],
    after="handing_out/get-waits-while-nothing-is-queued",
    each=MOMENTS,
)
def a_cancelled_get_takes_no_wake_up_with_it(cancellable: Cancellable, row: CancelledAt) -> None:
    """Of two Gets that wait, one is cancelled: an Add MUST still reach the other one.

    A queue wakes who has waited longest. If that one has just been cancelled, nobody else hears of the
    item, and it lies there until the next Add. The asyncio.Condition of Python 3.11 loses a notify so.
    """
    first, _ = cancellable.ask(), cancellable.ask()

    cancellable.add_and_cancel("a", first, row.turns)

    assert cancellable.runs("a") == 1, "does a Get that is cancelled after it was woken wake another one?"


@rule(
    cites=ASYNCIO["Queue.get"],
    after="handing_out/get-waits-while-nothing-is-queued",
    each=MOMENTS,
)
def a_cancelled_get_takes_no_item_with_it(cancellable: Cancellable, row: CancelledAt) -> None:
    """The only Get that waits is cancelled: an item that is added MUST be there for the next one.

    An item that has been put into the hands of somebody who is gone will never see its Done.
    """
    worker = cancellable.ask()

    cancellable.add_and_cancel("a", worker, row.turns)

    assert cancellable.runs("a") == 1


@rule(cites=ASYNCIO["Queue.get"].in_code, after="handing_out/get-waits-while-nothing-is-queued")
def a_cancelled_get_ends(cancellable: Cancellable) -> None:
    """A Get that is cancelled while it waits SHOULD end, though nothing is there for it.

    Otherwise a time-out around it never comes, and the program waits for its workers for ever.
    """
    worker = cancellable.ask()

    cancellable.cancel(worker)

    assert worker.ended
