"""Delays: what waits at shutdown.

A shutdown, with drain or without, drops what still waits for its deadline, and nothing that comes after it can be
delayed. Whoever stops a program is not kept waiting for a retry an hour from now.
"""

from __future__ import annotations

from typing import Annotated

from stingy.contract.sources import DELAYING, QUEUE
from stingy.guarantees.delays import (
    HOUR,
    SOME_OR_NONE,
    Delay,
)
from stingy.language import MINUTE, SECOND, SHUTDOWN, DelayingQueue, Program, Race, With, rule

DRAIN = QUEUE["ShutDownWithDrain"]


@rule(
    cites=(DELAYING["ShutDown"], QUEUE["Add"]),
    after=("delays/an-item-is-not-there-before-its-delay-is-over", "shutdown/get-reports-the-shutdown"),
)
def a_shutdown_drops_what_waits(delaying: DelayingQueue) -> None:
    """ShutDown MUST drop the items that wait: Get reports the shutdown now, and also after their deadlines.

    A worker that goes home at the flag would not be there for what comes later.
    """
    delaying.add_after("a", MINUTE)

    delaying.shut_down()

    assert delaying.get() is SHUTDOWN

    delaying.until(2 * MINUTE)

    assert delaying.get() is SHUTDOWN


@rule(
    cites=(DELAYING["ShutDown"], QUEUE["Add"]),
    after=("deadlines/a-done-does-not-hurry-a-delayed-item", "abandonment/a-shutdown-drops-what-waits"),
)
def a_shutdown_drops_the_deadline_of_an_item_in_processing(delaying: DelayingQueue) -> None:
    """ShutDown MUST also drop the deadline of an item in processing: its Done does not bring it back."""
    delaying.add("a")
    delaying.get()
    delaying.add_after("a", MINUTE)
    delaying.shut_down()

    delaying.until(2 * MINUTE)
    delaying.done("a")

    assert delaying.get() is SHUTDOWN


@rule(
    cites=DELAYING["AddAfter after a shutdown"],
    after=("delays/addafter-holds-nobody-up", "shutdown/get-reports-the-shutdown"),
    each=SOME_OR_NONE,
)
def an_addafter_after_a_shutdown_is_ignored(delaying: DelayingQueue, row: Delay) -> None:
    """An AddAfter after ShutDown MUST be ignored, whatever its delay."""
    delaying.shut_down()

    delaying.add_after("a", row.span)
    delaying.until(2 * MINUTE)

    assert delaying.get() is SHUTDOWN


@rule(cites=DELAYING["ShutDown"], after="abandonment/a-shutdown-drops-what-waits")
def a_second_shutdown_changes_nothing(delaying: DelayingQueue) -> None:
    """ShutDown MUST be callable more than once, also where items have been waiting.

    It "may be invoked more than once", by client-go's own words. client-go's panicked at the second call (kubernetes/kubernetes#77170), and brought down programs with two
    places to stop it. The fault could come back: upstream has no test for it.
    """
    delaying.add_after("a", HOUR)
    delaying.shut_down()

    delaying.shut_down()

    assert delaying.get() is SHUTDOWN


@rule(
    cites=DELAYING["ShutDown"],
    after=(
        "delays/a-waiting-worker-is-woken",
        "abandonment/an-addafter-after-a-shutdown-is-ignored",
        "abandonment/a-second-shutdown-changes-nothing",
    ),
    each=[
        Program("the first AddAfter", "", "add a after 1 ms | shut_down | get"),
        Program("a sooner AddAfter", "add b after 6 s", "add a after 5 s | shut_down | get"),
        Program("two AddAfter", "", "add a after 5 s | add b after 5 s | shut_down | get"),
        Program("AddAfter of no delay", "", "add a after 0 s | shut_down | get, done, get"),
        Program(
            "a deadline that comes", "", "get, shut_down, done, get | add a after 1 ms, add b after 1 ms"
        ),
        Program("another ShutDown", "add a after 5 s", "shut_down | shut_down | get"),
        Program(
            "an AddAfter, just as another deadline comes",
            "add b after 1 ms",
            "pause for 1 ms, add a after 5 s | pause for 1 ms, shut_down | get, done, get",
        ),
    ],
)
def a_shutdown_at_once_with_an_addafter_reaches_everybody(
    race: Annotated[Race, With("delay")], row: Program
) -> None:
    """Whatever the order of AddAfter and ShutDown, both MUST return, every worker learn of the shutdown, and nothing come after it.

    A deadline that is noted in that moment wakes a clerk who has gone home, or one who is to be told so.
    """
    history = race.play(row.before, row.at_once)

    assert history.raised() == []
    assert history.waiting("get") == []
    assert history.waiting("add_after") == []
    assert history.waiting("shut_down") == []
    race.left()
    race.elapse(10 * SECOND)
    assert race.left() == []


@rule(
    cites=(DELAYING["ShutDown"], QUEUE["ShutDown"]),
    after=(
        "abandonment/a-shutdown-drops-what-waits",
        "shutdown/nothing-comes-in-once-a-shutdown-has-returned",
    ),
    each=[
        Program("a deadline that comes", "add a after 1 ms", "pause for 1 ms, shut_down, get"),
        Program(
            "two deadlines that come",
            "add a after 1 ms; add b after 1 ms",
            "pause for 1 ms, shut_down, get, done, get",
        ),
        Program("an AddAfter of no delay", "", "add a after 0 s | shut_down, get"),
    ],
)
def no_deadline_brings_anything_in_once_a_shutdown_has_returned(
    race: Annotated[Race, With("delay")], row: Program
) -> None:
    """After ShutDown has returned, an item MUST NOT be queued by its deadline, even if that comes in the same moment."""
    history = race.play(row.before, row.at_once)
    race.elapse(10 * SECOND)

    assert history.raised() == []
    assert history.let_in(race.left()) == []


@rule(cites=DRAIN, after="delays/addafter-holds-nobody-up")
def a_drain_does_not_wait_for_what_waits(delaying: Annotated[DelayingQueue, With("drain")]) -> None:
    """ShutDownWithDrain MUST return though items wait for their deadlines."""
    delaying.add_after("a", HOUR)

    assert delaying.drain().returned


@rule(
    cites=DRAIN,
    after=("abandonment/a-drain-does-not-wait-for-what-waits", "abandonment/a-shutdown-drops-what-waits"),
)
def a_drain_drops_what_waits(delaying: Annotated[DelayingQueue, With("drain")]) -> None:
    """ShutDownWithDrain MUST drop the items that wait, though it is still waiting for a worker."""
    delaying.add("a")
    delaying.get()
    delaying.add_after("b", MINUTE)

    delaying.drain()
    delaying.until(2 * MINUTE)

    assert delaying.get() is SHUTDOWN


@rule(cites=DRAIN, after="abandonment/an-addafter-after-a-shutdown-is-ignored", each=SOME_OR_NONE)
def an_addafter_during_a_drain_is_ignored(
    delaying: Annotated[DelayingQueue, With("drain")], row: Delay
) -> None:
    """An AddAfter after ShutDownWithDrain MUST be ignored, though the drain is still waiting."""
    delaying.add("a")
    delaying.get()
    delaying.drain()

    delaying.add_after("b", row.span)
    delaying.until(2 * MINUTE)

    assert delaying.get() is SHUTDOWN


@rule(
    cites=(DELAYING["ShutDown"], DRAIN),
    after="drain/shutdown-ends-the-wait",
    contested=("the drain does not wait", "ShutDown ends the drain", "ShutDown does not end the drain"),
)
def whether_a_second_shutdown_ends_a_drain(delaying: Annotated[DelayingQueue, With("drain")]) -> str:
    """A ShutDown during a drain MAY be without effect on it, if there was another ShutDown before the drain.

    It is the way out when a worker hangs, but client-go's delaying queue passes only the first ShutDown on.
    """
    delaying.add("a")
    delaying.get()
    delaying.shut_down()
    drain = delaying.drain()
    if not drain.waiting:
        return "the drain does not wait"

    delaying.shut_down()

    return "ShutDown ends the drain" if drain.returned else "ShutDown does not end the drain"
