"""Shutdown with drain.

ShutDownWithDrain refuses what is new, as ShutDown does, and then waits for the workers: it does not
return while an item is in processing.
"""

from __future__ import annotations

from dataclasses import dataclass

from stingy.contract.sources import DELAYING, QUEUE
from stingy.language import SHUTDOWN, Draining, Row, given, rule

DRAIN = QUEUE["ShutDownWithDrain"]


@dataclass(frozen=True)
class Drains(Row):
    drains: str
    number: int


SEVERAL = (Drains("two drains", 2), Drains("three drains", 3))


@rule(cites=DRAIN, after="handing_out/an-added-item-is-handed-out")
def it_waits_for_what_is_in_processing(draining: Draining) -> None:
    """ShutDownWithDrain MUST NOT return while an item is in processing.

    Removing the wait passes the whole of client-go's own suite: no test looks whether it has returned.
    """
    draining.add("a")
    draining.get()

    assert draining.drain().waiting


@rule(cites=DRAIN, after="drain/it-waits-for-what-is-in-processing")
def a_drain_waits_for_every_item_in_processing(draining: Draining) -> None:
    """ShutDownWithDrain MUST NOT return before the Done of the last item in processing."""
    draining.add("a")
    draining.add("b")
    draining.get()
    draining.get()
    drain = draining.drain()

    draining.done("a")

    assert drain.waiting


@rule(
    cites=DRAIN,
    after=(
        "drain/a-drain-waits-for-every-item-in-processing",
        "once_more/added-while-processed-comes-back-after-done",
    ),
)
def a_drain_waits_on_when_an_item_comes_back(draining: Draining) -> None:
    """ShutDownWithDrain MUST NOT return when an item is queued again at its Done, while another one is in processing.

    What is queued again wakes somebody. Where workers and drains wait for the same condition, that may be the drain.
    """
    draining.add("a")
    draining.add("b")
    draining.get()
    draining.get()
    draining.add("a")
    drain = draining.drain()

    draining.done("a")

    assert drain.waiting, "does a woken drain look again in a loop whether anything is in processing?"


@rule(
    cites=DRAIN,
    after=("drain/it-waits-for-what-is-in-processing", "handing_out/a-finished-item-can-come-again"),
)
def it_returns_after_the_last_done(draining: Draining) -> None:
    """ShutDownWithDrain MUST return once nothing is queued and nothing in processing."""
    draining.add("a")
    draining.get()
    drain = draining.drain()

    draining.done("a")

    assert drain.returned, "does Done wake a drain that waits, also if it queues nothing?"


@rule(cites=DRAIN)
def it_returns_at_once_when_there_is_nothing_to_do(draining: Draining) -> None:
    """ShutDownWithDrain of an idle queue MUST return at once."""
    assert draining.drain().returned


@rule(cites=DRAIN)
def it_wakes_the_waiting_workers(draining: Draining) -> None:
    """ShutDownWithDrain MUST wake the workers that wait in Get; they learn of the shutdown."""
    workers = [draining.ask(), draining.ask()]

    draining.drain()

    assert [worker.got for worker in workers] == [SHUTDOWN, SHUTDOWN]


@rule(cites=DRAIN, after="handing_out/an-added-item-is-handed-out")
def it_refuses_what_is_new(draining: Draining) -> None:
    """An Add after ShutDownWithDrain MUST be ignored, though the drain is still waiting."""
    draining.add("a")
    draining.get()
    draining.drain()

    draining.add("b")

    assert draining.take_all() == []


@rule(cites=DRAIN, after="handing_out/an-added-item-is-handed-out")
def workers_go_on_with_what_is_queued(draining: Draining) -> None:
    """During a drain, items that were queued before MUST still be handed out."""
    draining.add("a")
    draining.add("b")
    first = draining.get()
    draining.drain()

    assert {first, draining.get()} == {"a", "b"}


@rule(cites=DRAIN, after="handing_out/an-added-item-is-handed-out")
def what_was_owed_comes_back_during_a_drain(draining: Draining) -> None:
    """During a drain, an item that was added again while it was processed MUST come back after its Done."""
    draining.add("a")
    draining.get()
    draining.add("a")
    draining.drain()

    draining.done("a")

    assert draining.get() == "a"


@rule(cites=DRAIN, after="drain/it-waits-for-what-is-in-processing")
def shutdown_ends_the_wait(draining: Draining) -> None:
    """ShutDown during a drain MUST make ShutDownWithDrain return, though items are still in processing.

    It is the way out when a worker hangs. client-go lost this wake-up once (kubernetes/kubernetes#119554).
    """
    draining.add("a")
    draining.get()
    drain = draining.drain()
    with given():
        assert drain.waiting

    draining.shut_down()

    assert drain.returned, "does ShutDown tell a drain that waits not to wait any more?"


@rule(
    cites=DRAIN,
    after="drain/a-drain-waits-for-every-item-in-processing",
    each=SEVERAL,
)
def several_drains_wait_for_every_item_in_processing(draining: Draining, row: Drains) -> None:
    """Of several concurrent ShutDownWithDrain, none MUST return before the Done of the last item in processing.

    A program with two places to stop its queue has two drains, and the second one wakes the first.
    """
    draining.add("a")
    draining.add("b")
    draining.get()
    draining.get()
    begun = [draining.drain() for _ in range(row.number)]

    assert [drain.waiting for drain in begun] == [True] * row.number, (
        "does a drain wait for the workers whether or not another drain has begun, and look again in a loop when it is woken?"
    )

    draining.done("a")

    assert [drain.waiting for drain in begun] == [True] * row.number


@rule(
    cites=DRAIN,
    after=("drain/shutdown-ends-the-wait", "drain/several-drains-wait-for-every-item-in-processing"),
    each=SEVERAL,
)
def shutdown_ends_the_wait_of_several_drains(draining: Draining, row: Drains) -> None:
    """ShutDown MUST make every ShutDownWithDrain return that waits, though items are still in processing."""
    draining.add("a")
    draining.get()
    begun = [draining.drain() for _ in range(row.number)]
    with given():
        assert [drain.waiting for drain in begun] == [True] * row.number

    draining.shut_down()

    assert [drain.returned for drain in begun] == [True] * row.number, (
        "does ShutDown wake all that wait, with notify_all and not with notify?"
    )


@rule(
    cites=DRAIN,
    after=("drain/it-waits-for-what-is-in-processing", "drain/workers-go-on-with-what-is-queued"),
    each=SEVERAL,
)
def each_drain_waits_for_what_is_in_processing(draining: Draining, row: Drains) -> None:
    """A ShutDownWithDrain MUST NOT return while an item is in processing, even if earlier ones have returned.

    A drain may return with items still queued, which workers then take.
    """
    for n in range(row.number):
        draining.add(f"item-{n}")

    for _ in range(row.number):
        item = draining.get()

        assert draining.drain().waiting, "does each drain look anew whether anything is in processing?"

        draining.done(str(item))


@rule(
    cites=DRAIN,
    after=("drain/shutdown-ends-the-wait", "drain/each-drain-waits-for-what-is-in-processing"),
)
def a_drain_waits_after_another_was_ended(draining: Draining) -> None:
    """A ShutDownWithDrain MUST NOT return while an item is in processing, even if a ShutDown has ended an earlier one."""
    draining.add("a")
    draining.get()
    ended = draining.drain()
    draining.shut_down()
    with given():
        assert ended.returned

    drain = draining.drain()

    assert drain.waiting, "does a ShutDown end the drains that wait, and none that begins later?"

    draining.done("a")

    assert drain.returned


@rule(
    cites=DRAIN,
    after=("drain/it-waits-for-what-is-in-processing", "shutdown/get-reports-the-shutdown"),
    contested=("it returns with items still queued", "it waits until they are processed"),
)
def whether_it_waits_for_what_is_queued(draining: Draining) -> str:
    """ShutDownWithDrain MAY return while items are queued of which none is in processing.

    Its comment says that it waits "until all items in the queue have been processed"; its code looks at
    the items in processing alone. A change is proposed upstream (kubernetes/kubernetes#141079).
    """
    draining.add("a")
    drain = draining.drain()
    if not drain.waiting:
        return "it returns with items still queued"
    draining.take_all()
    return "it waits until they are processed" if drain.returned else "it never returns"


@rule(
    cites=DRAIN,
    after="drain/it-waits-for-what-is-in-processing",
    contested=("one of them returns", "both return"),
)
def whether_two_drains_both_return(draining: Draining) -> str:
    """Of two concurrent ShutDownWithDrain, only one MAY return at the last Done.

    client-go signals one waiter where it would have to wake all (kubernetes/kubernetes#141079).
    """
    draining.add("a")
    draining.get()
    first, second = draining.drain(), draining.drain()

    draining.done("a")

    returned = [drain.returned for drain in (first, second)].count(True)
    return {1: "one of them returns", 2: "both return"}.get(returned, "none of them returns")


@rule(
    cites=DRAIN,
    after="drain/it-waits-for-what-is-in-processing",
    contested=("it waits for what is in processing", "it returns at once"),
)
def whether_it_waits_after_a_shutdown(draining: Draining) -> str:
    """After a ShutDown, ShutDownWithDrain MAY wait for items in processing, or return at once.

    client-go waits; its reviewers would have expected the first call to take precedence
    (kubernetes/kubernetes#119554).
    """
    draining.add("a")
    draining.get()
    draining.shut_down()

    drain = draining.drain()

    return "it waits for what is in processing" if drain.waiting else "it returns at once"


@rule(
    cites=(DELAYING["AddAfter after a shutdown"], QUEUE["ShutDownWithDrain"]),
    after=("drain/it-returns-after-the-last-done", "shutdown/shutting-down-says-so"),
)
def shutting_down_is_said_while_it_waits(draining: Draining) -> None:
    """ShuttingDown MUST be true as soon as ShutDownWithDrain has been called, and stay so, though that still waits."""
    draining.add("a")
    draining.get()
    draining.drain()

    assert draining.shutting_down()

    draining.done("a")

    assert draining.shutting_down()


@rule(
    cites=(DRAIN, QUEUE["Add"]),
    after=(
        "shutdown/an-add-after-shutdown-is-ignored-for-an-item-in-processing",
        "drain/it-refuses-what-is-new",
        "drain/it-returns-after-the-last-done",
    ),
)
def it_refuses_what_is_in_processing(draining: Draining) -> None:
    """An Add after ShutDownWithDrain MUST be ignored also for an item that a worker holds: its Done ends the drain."""
    draining.add("a")
    draining.get()
    drain = draining.drain()

    draining.add("a")
    draining.done("a")

    assert drain.returned
    assert draining.get() is SHUTDOWN


@rule(
    cites=(DELAYING["ShutDown"], QUEUE["ShutDownWithDrain"]),
    after=("drain/it-returns-at-once-when-there-is-nothing-to-do", "shutdown/get-reports-the-shutdown"),
)
def what_is_shut_down_can_be_shut_down_again(draining: Draining) -> None:
    """After a ShutDownWithDrain that has returned, ShutDown and ShutDownWithDrain MUST change nothing.

    controller-runtime's priority queue panics: it closes a channel that is closed.
    """
    with given():
        assert draining.drain().returned

    draining.shut_down()

    assert draining.drain().returned
    assert draining.get() is SHUTDOWN
