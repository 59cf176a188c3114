"""Races: every order of calls.

What the queue promises, it promises whatever the order in which threads happen to run. Here small
programs meet: some steps one after the other, then a few lanes at once, in every order without a
pre-emption and in many with a few.

It has been said that tests with many threads would show nothing that a test with one does not, as there is
a mutex under the hood. They do: an Add that wakes nobody, or wakes only where the queue was empty, or a
Done that wakes only where nothing else is being processed, passes every test with one thread, and the
whole of client-go's own suite.
"""

from __future__ import annotations

from typing import Annotated

from stingy.contract.sources import DOC, QUEUE
from stingy.language import Calls, Program, Race, Small, With, programs_of, rule

ORDERS = 180
"""Of each of these programs: what it shows is there for all rules that ask for as many."""

WORKING = (
    Program("a waiting worker and an Add", "", "get, done | add a"),
    Program("two waiting workers and two Adds in a row", "", "get, done | get, done | add a, add b"),
    Program("two waiting workers and two producers", "", "get, done | get, done | add a | add b"),
    Program("workers that keep what they get", "", "get | get | add a, add b"),
    Program("a waiting worker and an item that comes back", "add a; 1 get", "add a, done a | get, done"),
    Program(
        "two waiting workers and two items that come back",
        "add a; add b; 1 get; 1 get",
        "add a, add b, done a, done b | get | get",
    ),
    Program("two Adds of one item and a worker", "", "add a | add a | get, done, len"),
    Program("two Adds of one item and a Get", "", "add a, len | add a | get"),
    Program("two Adds of one item, and Len after each", "", "add a, len | add a, len"),
    Program("Done and an Add of its item", "add a; 1 get", "done a, get, done | add a"),
    Program("Done and two Adds of its item", "add a; 1 get", "done a | add a | add a, get, done"),
    Program("Done, an Add of its item, and Len", "add a; 1 get", "done a, len | add a, len"),
    Program("two workers and an item that is added again", "add a", "get, done | get, done | add a"),
    Program("workers that add what they hold", "add a; add b", "get, add a, done | get, done | add a, len"),
    Program("Len while items come and go", "add a", "get, add a, done | len, len"),
    Program("a worker that hands on, and another that waits", "add a; add b", "get, done, len | get, add a"),
    Program("two workers and three Adds", "", "get, get | add a, add b | add c"),
    Program("a worker that adds while it holds, and waits again", "", "add a, get, add b, get, len"),
    Program("a producer that adds twice", "", "add a, add a | get, done, get"),
    Program("an Add after a Len that saw the item go", "add a", "get, done, len | len, add a, len"),
    Program("an Add that is overtaken", "", "add a, get | add b, len"),
    Program(
        "Len and a Done that brings nothing back", "add a; add b; 1 get", "done a, len | add a, len, get"
    ),
)

SHARED = tuple(program for program in WORKING if program.at_once.count("get") > 1)
"""Where a worker may be woken for what another one takes."""

STOPPING = (
    Program("two waiting workers and ShutDown", "", "get | get | shut_down"),
    Program("a worker, and an Add before ShutDown", "", "get, done, get | add a, shut_down"),
    Program("an Add and ShutDown at once", "", "add a, len | shut_down, get, len"),
    Program("an Add that may come too late", "", "add a | shut_down, len, len"),
    Program(
        "two workers that empty a queue being shut down",
        "",
        "get, done, get | get, done, get | add a, add b, shut_down",
    ),
    Program("a waiting worker, an Add, and ShutDown", "", "get | add a, len | shut_down"),
    Program("an Add after ShuttingDown has said so", "", "shutting_down, add a, len | shut_down"),
    Program("Done and ShutDown at once", "add a; 1 get; add a", "done a, get, done, get | shut_down | get"),
)

ENDED = Program(
    "a drain and a ShutDown that ends it", "add a; 1 get", "shut_down_with_drain | shutting_down, shut_down"
)

DRAINING = (
    Program("a drain and the last Done", "add a; 1 get", "done a | shut_down_with_drain"),
    Program(
        "a drain and an item that comes back",
        "add a; 1 get",
        "add a, add a, done a, get, done | shut_down_with_drain",
    ),
    Program("a drain and a worker at a full queue", "add a", "get, done, get | shut_down_with_drain"),
    Program("a drain and two waiting workers", "", "get | get | shut_down_with_drain"),
    Program(
        "a drain and two Dones at once",
        "add a; add b; 1 get; 2 get",
        "done a | done b | shut_down_with_drain",
    ),
    Program(
        "a drain and a worker that goes on adding", "add a", "get, add b, len, done | shut_down_with_drain"
    ),
    Program(
        "a drain and a worker that takes the next meanwhile",
        "add a; add b; 1 get",
        "done a | get | shut_down_with_drain",
    ),
    ENDED,
    Program("a drain, and Len after it", "add a; 1 get; add a", "done a | shut_down_with_drain, len"),
    Program("a drain, a waiting worker and Len", "add a; 1 get", "len | get | shut_down_with_drain"),
)

DRAINING_TOGETHER = (
    Program("two drains", "add a; 1 get", "shut_down_with_drain | shut_down_with_drain"),
    Program(
        "two drains and the last Done", "add a; 1 get", "done a | shut_down_with_drain | shut_down_with_drain"
    ),
    Program(
        "two drains, one after the other",
        "add a; 1 get; add a",
        "done a, get, done | shut_down_with_drain, shut_down_with_drain",
    ),
    Program(
        "two drains and an item that comes back",
        "add a; 1 get; add a",
        "done a, get, done | shut_down_with_drain | shut_down_with_drain",
    ),
    Program(
        "two drains and two Dones at once",
        "add a; add b; 1 get; 2 get",
        "done a | done b | shut_down_with_drain | shut_down_with_drain",
    ),
    Program(
        "two drains and a worker at a full queue",
        "add a",
        "get, done | shut_down_with_drain | shut_down_with_drain",
    ),
    Program(
        "two drains and a worker sent home",
        "add a; 1 get",
        "get | shut_down_with_drain | shut_down_with_drain",
    ),
)

CUT_SHORT = (
    ENDED,
    Program(
        "a drain, a worker sent home, and ShutDown", "add a; 1 get", "shut_down_with_drain | get, shut_down"
    ),
    Program(
        "a drain, a Done, and ShutDown",
        "add a; add b; 1 get; 2 get",
        "done a | shut_down_with_drain | get, shut_down",
    ),
)

ORDERLY = (
    Program("two Adds in a row, and two Gets", "", "get, get | add a, add b"),
    Program("two Gets, while another worker waits", "", "get, get | get | add a, add b"),
    Program("two Gets, while two others wait", "", "get, get | get | get | add a, add b"),
    Program("two Gets, and one in between", "add a; add b", "get, get | get, done"),
    Program("two Gets of what was queued, and two Adds", "add a; add b", "get, get | add c | add d, len"),
    Program("two Gets, and a Done meanwhile", "add c; 1 get; add a", "done c, get | get, get | add b"),
)


@rule(
    cites=DOC["Multiple consumers and producers"],
    after=(
        "handing_out/get-waits-while-nothing-is-queued",
        "stingy/one-worker-at-a-time",
        "once_more/added-while-processed-comes-back-after-done",
        "stingy/other-items-do-not-let-a-held-item-out",
        "handing_out/a-finished-item-can-come-again",
    ),
    each=WORKING,
    orders=ORDERS,
)
def work_is_done_in_every_order(race: Race, row: Program) -> None:
    """Whatever the order, no item MUST be with two workers at once, run more often than added, be lost, or be overlooked by a worker that waits."""
    history = race.play(row.before, row.at_once)

    assert history.raised() == []
    assert history.held_twice() == []
    assert race.overlooked(history) == [], (
        "does every Add and Done that queues an item notify a worker, under the lock?"
    )
    whole = race.rest(history)
    assert whole.excess() == []
    assert whole.lost() == []


@rule(
    cites=(QUEUE["ShutDown"], DOC["Shutdown notifications"]),
    after=(
        "shutdown/get-reports-the-shutdown",
        "once_more/added-while-processed-comes-back-after-done",
        "stingy/one-worker-at-a-time",
        "stingy/other-items-do-not-let-a-held-item-out",
        "handing_out/a-finished-item-can-come-again",
    ),
    each=STOPPING,
    orders=ORDERS,
)
def work_ends_in_every_order(race: Race, row: Program) -> None:
    """Whatever the order, a shutdown MUST reach every worker, lose no item added before it, and bring none too often or to two workers at once."""
    history = race.play(row.before, row.at_once)

    assert history.raised() == []
    assert history.held_twice() == []
    assert history.waiting("get") == [], (
        "does ShutDown set the flag and wake all workers under the lock under which they begin to wait?"
    )
    whole = race.rest(history)
    assert whole.excess() == []
    assert whole.lost() == []


@rule(
    cites=(QUEUE["Get"], DOC["Shutdown notifications"]),
    after="handing_out/get-waits-while-nothing-is-queued",
    each=SHARED,
    orders=ORDERS,
)
def nobody_is_sent_home_unasked(race: Race, row: Program) -> None:
    """Whatever the order, a Get MUST NOT report a shutdown that nobody has asked for.

    The worker goes home for ever, and the queue has one worker less until the program ends. With `if` in the place
    of `while` around the wait it happens to each that was woken for an item that another one was quicker to take.
    """
    history = race.play(row.before, row.at_once)

    assert history.sent_home_unasked() == [], (
        "does a woken worker look again in a loop whether anything is queued, before it reports a shutdown?"
    )


@rule(
    cites=QUEUE["ShutDown"],
    after=(
        "shutdown/what-was-queued-is-still-handed-out",
        "interleavings/work-ends-in-every-order",
        "interleavings/nobody-is-sent-home-unasked",
    ),
    each=STOPPING,
    orders=ORDERS,
)
def nobody_is_sent_home_too_soon(race: Race, row: Program) -> None:
    """Whatever the order, a Get MUST NOT report the shutdown while an item is queued that was added before it.

    Workers go on "until it is empty and then receive the shutdown signal". If each of them has been sent home, nobody
    is left for what is in the queue.
    """
    history = race.play(row.before, row.at_once)

    assert history.sent_home_too_soon() == []


@rule(
    cites=DOC["Fair"],
    after=(
        "fair/a-duplicate-keeps-its-place",
        "fair/the-order-holds-for-several-workers",
        "interleavings/work-is-done-in-every-order",
    ),
    each=ORDERLY,
)
def no_item_overtakes_another(race: Race, row: Program) -> None:
    """Whatever the order, a worker MUST NOT be given an item before one that had been added when its own Add began.

    "In the order in which they are added" says nothing of how many workers there are, and a queue that is fair only
    to one lets items starve where there are more. What is added, or taken, at the same moment has no order.
    """
    history = race.play(row.before, row.at_once)

    assert history.overtaken() == []


@rule(
    cites=QUEUE["ShutDownWithDrain"],
    after="shutdown/get-reports-the-shutdown",
    each=DRAINING,
    orders=ORDERS,
)
def a_drain_ends_in_every_order(race: Annotated[Race, With("drain")], row: Program) -> None:
    """Whatever the order, a drain MUST wait for what is in processing, and return when that is done."""
    history = race.play(row.before, row.at_once)

    assert history.raised() == []
    assert history.drained_early() == []
    assert race.left_draining(history) == []


@rule(
    cites=QUEUE["ShutDownWithDrain"],
    after=(
        "drain/several-drains-wait-for-every-item-in-processing",
        "interleavings/a-drain-ends-in-every-order",
    ),
    each=DRAINING_TOGETHER,
    orders=ORDERS,
)
def several_drains_wait_in_every_order(race: Annotated[Race, With("drain")], row: Program) -> None:
    """Whatever the order, of several drains none MUST return while an item is in processing, and one of them once none is.

    client-go wakes only one of them at the last Done.
    """
    history = race.play(row.before, row.at_once)

    assert history.raised() == []
    assert history.drained_early() == []
    assert race.left_draining(history) == []


@rule(
    cites=QUEUE["ShutDownWithDrain"],
    after=(
        "drain/it-wakes-the-waiting-workers",
        "drain/workers-go-on-with-what-is-queued",
        "interleavings/work-ends-in-every-order",
        "interleavings/a-drain-ends-in-every-order",
    ),
    each=DRAINING,
    orders=ORDERS,
)
def a_drain_reaches_everybody_in_every_order(race: Annotated[Race, With("drain")], row: Program) -> None:
    """Whatever the order, a drain MUST reach every worker as a ShutDown does, lose no item, and bring none too often or to two workers at once.

    It "is equivalent to ShutDown but waits".
    """
    history = race.play(row.before, row.at_once)

    assert history.held_twice() == []
    assert history.waiting("get") == []
    assert history.sent_home_too_soon() == []
    whole = race.rest(history)
    assert whole.excess() == []
    assert whole.lost() == []


@rule(
    cites=QUEUE["ShutDownWithDrain"],
    after=("drain/shutdown-ends-the-wait", "interleavings/a-drain-reaches-everybody-in-every-order"),
    each=CUT_SHORT,
    orders=ORDERS,
)
def a_shutdown_ends_a_drain_in_every_order(race: Annotated[Race, With("drain")], row: Program) -> None:
    """Whatever the order, a ShutDown MUST make a drain return of which somebody has learned before.

    client-go's drain looked whether it was to wait under one lock, and waited under another: the ShutDown that came
    between was lost, and the drain waited for ever (kubernetes/kubernetes#119554).
    """
    history = race.play(row.before, row.at_once)

    assert history.held_up() == [], "does a drain decide to wait, and begin to wait, under one lock?"


@rule(
    cites=DOC["Multiple consumers and producers"],
    after=("interleavings/nobody-is-sent-home-unasked", "interleavings/no-item-overtakes-another"),
    for_all={"program": programs_of(Calls())},
)
def no_program_of_a_few_lanes_breaks_it(race: Race, program: Small) -> None:
    """Whatever a few lanes do at once, no item MUST be lost, overlooked, overtaken, with two workers or run too often, and no worker sent home."""
    history = race.play(program.before, program.at_once)

    assert history.raised() == []
    assert history.held_twice() == []
    assert history.sent_home_unasked() == []
    assert history.overtaken() == []
    assert race.overlooked(history) == []
    whole = race.rest(history)
    assert whole.excess() == []
    assert whole.lost() == []


@rule(
    cites=(QUEUE["ShutDown"], DOC["Shutdown notifications"]),
    after="interleavings/nobody-is-sent-home-too-soon",
    for_all={"program": programs_of(Calls(once="shut_down"))},
)
def no_program_of_a_few_lanes_survives_its_shutdown(race: Race, program: Small) -> None:
    """Whatever a few lanes do at once, a shutdown MUST reach every worker, none too soon, lose no item added before it, and bring none too often."""
    history = race.play(program.before, program.at_once)

    assert history.raised() == []
    assert history.held_twice() == []
    assert history.waiting("get") == []
    assert history.sent_home_too_soon() == []
    whole = race.rest(history)
    assert whole.excess() == []
    assert whole.lost() == []


@rule(
    cites=QUEUE["ShutDownWithDrain"],
    after=(
        "interleavings/work-is-done-in-every-order",
        "interleavings/nobody-is-sent-home-unasked",
        "interleavings/a-drain-reaches-everybody-in-every-order",
    ),
    for_all={"program": programs_of(Calls(once="shut_down_with_drain"))},
)
def a_drain_ends_in_every_program(race: Annotated[Race, With("drain")], program: Small) -> None:
    """Whatever a few lanes do at once, a drain MUST reach them all, wait for what is in processing, and then return."""
    history = race.play(program.before, program.at_once)

    assert history.raised() == []
    assert history.drained_early() == []
    assert history.waiting("get") == []
    assert history.sent_home_too_soon() == []
    assert race.left_draining(history) == []


@rule(
    cites=QUEUE["Typed"].in_code,
    after=(
        "interleavings/a-shutdown-ends-a-drain-in-every-order",
        "length/len-leaves-out-what-is-in-processing",
        "drain/it-refuses-what-is-new",
    ),
    each=DRAINING,
    orders=ORDERS,
)
def some_order_explains_a_drain(race: Annotated[Race, With("drain")], row: Program) -> None:
    """Whatever the order, what a drain and all others answer SHOULD fit one call after the other.

    What upstream's words promise of it is asked by the rules before this one; what is left is that its parts are one.
    The drain then counts twice: it begins, and it ends. It may end once nothing is in processing, as client-go's
    does, and must have ended when nothing is queued either, or somebody has called ShutDown.
    """
    history = race.play(row.before, row.at_once)

    assert history.unexplained() == []


@rule(
    cites=QUEUE["Typed"].in_code,
    after=(
        "interleavings/no-item-overtakes-another",
        "interleavings/nobody-is-sent-home-too-soon",
        "shutdown/what-is-added-after-shutdown-is-ignored",
    ),
    each=(*WORKING, *STOPPING),
    orders=ORDERS,
)
def some_order_of_the_calls_explains_every_answer(race: Race, row: Program) -> None:
    """Whatever the order, the answers SHOULD be those of the three sets, were the calls made one after the other.

    client-go does everything under one lock, and promises it nowhere. What its words do promise is asked by the rules before
    this one. A queue without it can keep them all, and still surprise: a Len that no moment ever had, which is "for
    informational purposes only"; a ShuttingDown that says yes while an Add is still accepted, which is then worked on as any.
    """
    history = race.play(row.before, row.at_once)

    assert history.unexplained() == []
