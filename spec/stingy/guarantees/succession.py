"""Calls without a pause.

What a call has changed is changed when it returns: the next call of the same caller finds it so, however soon it comes. The
other rules let everything come to rest between two calls, and what a queue does behind its caller's back is doney
then. Here a caller makes one call straight after the other, while what the queue has running by itself goes on in
every order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from stingy.contract.sources import DELAYING, LIMITERS, QUEUE, RATE_LIMITING
from stingy.guarantees.delays import HOUR
from stingy.language import Race, Row, With, rule

FEW = 24
"""Orders of a single caller and what the queue has running: there is little to put in another order."""


@dataclass(frozen=True)
class Calls(Row):
    calls: str
    """One straight after the other, by one caller."""
    answers: str


@rule(
    cites=(QUEUE["Add"], QUEUE["Get"]),
    after=(
        "handing_out/a-finished-item-can-come-again",
        "fair/first-come-first-served",
        "stingy/added-many-times-is-handed-out-once",
        "once_more/added-while-processed-comes-back-after-done",
    ),
    each=[
        Calls("add a, get", "'a'"),
        Calls("add a, get, done, add a, get", "'a', 'a'"),
        Calls("add a, get, add a, done, get", "'a', 'a'"),
        Calls("add a, add b, get, done, get", "'a', 'b'"),
        Calls("add a, add a, get, done, add b, get", "'a', 'b'"),
    ],
)
def what_was_added_can_be_taken_at_once(race: Race, row: Calls) -> None:
    """A Get that follows straight after an Add MUST return its item, and each in its turn.

    A buffer between the two that somebody else empties must not be seen.
    """
    assert race.succession(row.calls) == row.answers


@rule(
    cites=QUEUE["Len"],
    after=(
        "fair/first-come-first-served",
        "once_more/added-while-processed-comes-back-after-done",
        "length/len-leaves-out-what-is-in-processing",
    ),
    each=[
        Calls("add a, len", "1"),
        Calls("add a, add b, len", "2"),
        Calls("add a, add b, add a, len", "2"),
        Calls("add a, add b, get, len", "'a', 1"),
        Calls("add a, get, done, len", "'a', 0"),
        Calls("add a, get, add a, done, len", "'a', 1"),
    ],
)
def len_follows_at_once(race: Race, row: Calls) -> None:
    """A Len that follows straight after other calls MUST be what they have left in the queue."""
    assert race.succession(row.calls) == row.answers


@rule(
    cites=QUEUE["ShutDown"],
    after=(
        "handing_out/a-finished-item-stays-away",
        "shutdown/what-is-added-after-shutdown-is-ignored",
        "shutdown/an-add-after-shutdown-is-ignored-for-an-item-in-processing",
        "shutdown/shutting-down-says-so",
    ),
    each=[
        Calls("shutting_down, shut_down, shutting_down", "False, True"),
        Calls("shut_down, get", "shutdown"),
        Calls("shut_down, add a, get", "shutdown"),
        Calls("shut_down, add a, len", "0"),
        Calls("add a, get, shut_down, add a, done, get", "'a', shutdown"),
    ],
)
def a_shutdown_counts_at_once(race: Race, row: Calls) -> None:
    """What follows straight after a ShutDown MUST find the queue shut down."""
    assert race.succession(row.calls) == row.answers


@rule(
    cites=QUEUE["ShutDown"],
    after=("shutdown/what-was-queued-is-still-handed-out", "shutdown/what-was-owed-is-still-handed-out"),
    each=[
        Calls("add a, shut_down, get", "'a'"),
        Calls("add a, add b, shut_down, get, done, get, done, get", "'a', 'b', shutdown"),
        Calls("add a, get, add a, shut_down, done, get", "'a', 'a'"),
    ],
)
def what_was_added_just_before_a_shutdown_is_handed_out(race: Race, row: Calls) -> None:
    """A ShutDown that follows straight after an Add MUST NOT cost its item."""
    assert race.succession(row.calls) == row.answers


@rule(
    cites=QUEUE["ShutDownWithDrain"],
    after=(
        "handing_out/a-finished-item-stays-away",
        "drain/it-returns-at-once-when-there-is-nothing-to-do",
        "drain/it-refuses-what-is-new",
        "drain/shutting-down-is-said-while-it-waits",
    ),
    each=[
        Calls("shut_down_with_drain, shutting_down", "True"),
        Calls("shut_down_with_drain, add a, get", "shutdown"),
        Calls("add a, get, done, shut_down_with_drain, get", "'a', shutdown"),
    ],
)
def a_drain_counts_at_once(race: Annotated[Race, With("drain")], row: Calls) -> None:
    """What follows straight after a ShutDownWithDrain MUST find the queue shut down."""
    assert race.succession(row.calls) == row.answers


@rule(
    cites=(DELAYING["AddAfter with no delay"], DELAYING["AddAfter"]),
    after=(
        "delays/len-leaves-out-what-waits",
        "deadlines/an-add-does-not-wait-for-a-deadline",
        "deadlines/the-earlier-deadline-wins",
    ),
    each=[
        Calls("add a after 0 s, get", "'a'"),
        Calls("add a after 60 min, add b, get", "'b'"),
        Calls("add a after 60 min, add a, get", "'a'"),
        Calls("add a after 60 min, add a after 0 s, get", "'a'"),
        Calls("add a after 60 min, len", "0"),
        Calls("add a, add b after 60 min, len, get", "1, 'a'"),
    ],
)
def a_delay_counts_at_once(race: Annotated[Race, With("delay")], row: Calls) -> None:
    """What follows straight after an AddAfter MUST find an item without a delay in the queue, and one with a delay outside."""
    assert race.succession(row.calls) == row.answers


@rule(
    cites=(DELAYING["ShutDown"], DELAYING["AddAfter after a shutdown"]),
    after=("abandonment/a-shutdown-drops-what-waits", "abandonment/an-addafter-after-a-shutdown-is-ignored"),
    each=[
        Calls("add a after 1 min, shut_down, get", "shutdown"),
        Calls("shut_down, add a after 1 min, get", "shutdown"),
        Calls("shut_down, add a after 0 s, get", "shutdown"),
        Calls("shut_down, add a after -1 s, len", "0"),
    ],
)
def a_shutdown_at_once_drops_what_waits(race: Annotated[Race, With("delay")], row: Calls) -> None:
    """A ShutDown straight after an AddAfter MUST drop what waits, and an AddAfter straight after a ShutDown is ignored."""
    assert race.succession(row.calls) == row.answers
    race.elapse(HOUR)
    assert race.left() == []


@rule(
    cites=(RATE_LIMITING["NumRequeues"], LIMITERS["NumRequeues"]),
    after=(
        "rate_limiting/failures-in-a-row-are-all-counted",
        "rate_limiting/forget-resets-the-count",
        "rate_limiting/forget-is-about-one-item",
        "rate_limiting/an-item-that-never-failed-can-be-forgotten",
        "rate_limiting/an-add-is-no-failure",
    ),
    each=[
        Calls("add_rate_limited a, num_requeues a", "1"),
        Calls("add_rate_limited a, add_rate_limited a, num_requeues a", "2"),
        Calls("add_rate_limited a, add_rate_limited b, num_requeues a, num_requeues b", "1, 1"),
        Calls("add_rate_limited a, forget b, num_requeues a", "1"),
        Calls("add_rate_limited a, forget a, add_rate_limited a, num_requeues a", "1"),
        Calls("add a, get, add_rate_limited a, num_requeues a", "'a', 1"),
    ],
    orders=FEW,
)
def a_failure_is_counted_at_once(race: Annotated[Race, With("limit")], row: Calls) -> None:
    """A NumRequeues that follows straight after an AddRateLimited MUST count it.

    A controller that gives up after so many failures looks just then.
    """
    assert race.succession(row.calls) == row.answers, (
        "does AddRateLimited ask the limiter itself, before it returns?"
    )


@rule(
    cites=LIMITERS["Forget"],
    after=(
        "rate_limiting/forget-resets-the-count",
        "rate_limiting/forget-is-about-one-item",
        "rate_limiting/failures-in-a-row-are-all-counted",
    ),
    each=[
        Calls("add_rate_limited a, forget a, num_requeues a", "0"),
        Calls("add_rate_limited a, add_rate_limited a, forget a, num_requeues a", "0"),
        Calls("add_rate_limited a, add_rate_limited b, forget a, num_requeues a", "0"),
        Calls("add a, get, add_rate_limited a, forget a, num_requeues a, done", "'a', 0"),
    ],
    orders=FEW,
)
def what_is_forgotten_at_once_has_never_failed(race: Annotated[Race, With("limit")], row: Calls) -> None:
    """A Forget that follows straight after an AddRateLimited MUST leave nothing of that failure.

    Where the limiter is asked later, on another thread, Forget comes first and finds nothing to forget. The failure that is
    counted then stays for ever: the item waits for longer the next time, and the limiter keeps it.
    """
    assert race.succession(row.calls) == row.answers, (
        "does AddRateLimited ask the limiter itself, before it returns?"
    )
