"""Delays: several calls for one item.

An item may wait for a deadline and be queued, in processing, or added besides; it may be delayed twice. Of two
deadlines the earlier counts. What is added now does not wait for what was promised for later, and what comes at its
deadline is added as by Add.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from stingy.contract.sources import DELAYING, DELAYING_TESTS, DOC, PRIORITY_QUEUE, QUEUE
from stingy.guarantees.delays import (
    HOUR,
)
from stingy.language import (
    MILLISECOND,
    MINUTE,
    SECOND,
    Calls,
    DelayingQueue,
    Nanoseconds,
    Program,
    Race,
    Row,
    Small,
    With,
    between,
    numbers,
    orders,
    programs_of,
    rule,
)

ADD_AFTER = DELAYING["AddAfter"]
NO_DELAY = DELAYING["AddAfter with no delay"]
SOONER = DELAYING["insert"]

A_MOMENT_LATER = "add {} after 1 ms"
"""One of the ways to add an item, in small programs."""


@rule(
    cites=(DELAYING["insert"], DELAYING_TESTS["TestDeduping"]),
    after="delays/a-later-deadline-holds-up-no-sooner-one",
    for_all={"one": between(10 * SECOND, MINUTE), "other": between(10 * SECOND, MINUTE)},
)
def the_earlier_deadline_wins(delaying: DelayingQueue, one: Nanoseconds, other: Nanoseconds) -> None:
    """Of two deadlines of one item, the earlier MUST count, whichever was asked for first.

    A later AddAfter does not put off what was promised to an earlier one. Users expect the last call to
    win (kubernetes/client-go#1104).
    """
    delaying.add_after("a", one)
    delaying.add_after("a", other)

    delaying.until(min(one, other))

    assert delaying.get() == "a"


@rule(
    cites=(DELAYING["insert"], DELAYING_TESTS["TestDeduping"]),
    after="delays/a-later-deadline-holds-up-no-sooner-one",
    for_all={"delay": between(5 * MINUTE, 10 * MINUTE), "sooner": between(2 * SECOND, 20 * SECOND)},
)
def a_deadline_that_is_little_sooner_counts(
    delaying: DelayingQueue, delay: Nanoseconds, sooner: Nanoseconds
) -> None:
    """An item that waits for minutes MUST come at a deadline that is sooner by seconds, too.

    Who saves the work of setting the timer again, where little is won by it, breaks the promise of AddAfter.
    """
    delaying.add_after("a", delay)
    delaying.add_after("a", delay - sooner)

    delaying.until(delay - sooner)

    assert delaying.get() == "a"


@rule(
    cites=(DELAYING["insert"], DELAYING_TESTS["TestDeduping"]),
    after=("deadlines/the-earlier-deadline-wins", "delays/a-delayed-item-comes-once"),
    for_all={
        "one": between(10 * SECOND, MINUTE),
        "other": between(10 * SECOND, MINUTE),
        "waits_again": numbers(0, 1),
    },
)
def the_later_deadline_is_void(
    delaying: DelayingQueue, one: Nanoseconds, other: Nanoseconds, waits_again: int
) -> None:
    """Of two deadlines of one item, the later MUST NOT bring it a second time, also if the item waits for a third one by then."""
    delaying.add_after("a", one)
    delaying.add_after("a", other)
    delaying.until(min(one, other))
    delaying.get()
    delaying.done("a")
    if waits_again:
        delaying.add_after("a", HOUR)

    delaying.until(2 * MINUTE)

    assert delaying.runs("a") == 1, "is what is due told from what is left of a deadline that was replaced?"


@rule(
    cites=(DELAYING["insert"], DELAYING["waitForPriorityQueue"]),
    after=("deadlines/the-earlier-deadline-wins", "delays/items-come-in-the-order-of-their-deadlines"),
    for_all={"order": orders("abcdef"), "hurried": orders("abcdef")},
)
def an_item_that_is_hurried_up_overtakes_others(
    delaying: DelayingQueue, order: list[str], hurried: list[str]
) -> None:
    """Items that get an earlier deadline while many wait MUST come in the order of their deadlines as they are then."""
    deadlines = {item: (1 + order.index(item)) * MINUTE for item in sorted(order)}
    for item, deadline in deadlines.items():
        delaying.add_after(item, deadline)
    for n, item in enumerate(hurried[:3]):
        sooner = n * MINUTE + 30 * SECOND
        delaying.add_after(item, sooner)
        deadlines[item] = min(deadlines[item], sooner)

    delaying.until(7 * MINUTE)

    assert delaying.take_all() == sorted(deadlines, key=deadlines.__getitem__), (
        "is the heap put in order again when the deadline of an item in it changes?"
    )


@dataclass(frozen=True)
class Added(Row):
    """How the item is added now, while it waits besides."""

    added_now_with: str

    def to(self, delaying: DelayingQueue) -> None:
        if self.added_now_with == "Add":
            delaying.add("a")
        else:
            delaying.add_after("a", 0)


NOW = (Added("Add"), Added("AddAfter of no delay"))


@rule(
    cites=(QUEUE["Add"], QUEUE["Get"], DELAYING["AddAfter with no delay"]),
    after=("delays/addafter-holds-nobody-up", "delays/without-a-delay-an-item-is-added-now"),
    each=NOW,
)
def an_add_does_not_wait_for_a_deadline(delaying: DelayingQueue, row: Added) -> None:
    """An item that is added now MUST be handed out now, though it also waits for a deadline.

    What has happened to it since has not to wait for the retry of something that failed before.
    """
    delaying.add_after("a", HOUR)

    row.to(delaying)

    assert delaying.get() == "a"


@rule(
    cites=(NO_DELAY, PRIORITY_QUEUE["AddWithOpts"]),
    after=("deadlines/an-add-does-not-wait-for-a-deadline", "deadlines/the-later-deadline-is-void"),
    each=NOW,
    contested=("it comes again at its deadline", "the deadline is void"),
)
def whether_an_add_cancels_what_waits(delaying: DelayingQueue, row: Added) -> str:
    """An item that is added and finished while it also waits for a deadline MAY come again then, or not.

    In client-go it does, and is processed twice where once would be enough (kubernetes/kubernetes#110642,
    kubernetes/kubernetes#126027); a change was found not to be safe (kubernetes/client-go#1149). In
    controller-runtime's priority queue the Add takes the deadline's place.
    """
    delaying.add_after("a", MINUTE)
    row.to(delaying)
    delaying.get()
    delaying.done("a")

    delaying.until(2 * MINUTE)

    return {1: "the deadline is void", 2: "it comes again at its deadline"}.get(
        delaying.runs("a"), "it comes more than twice"
    )


@rule(cites=(DELAYING["AddAfter"], QUEUE["Get"]), after="delays/addafter-holds-nobody-up")
def addafter_puts_off_nothing_that_is_queued(delaying: DelayingQueue) -> None:
    """AddAfter of an item that is queued MUST NOT put it off: it can be taken now."""
    delaying.add("a")

    delaying.add_after("a", HOUR)

    assert delaying.get() == "a"


@rule(
    cites=(ADD_AFTER, PRIORITY_QUEUE["AddWithOpts"]),
    after=("deadlines/addafter-puts-off-nothing-that-is-queued", "delays/a-delayed-item-comes-once"),
    contested=("it comes again at its deadline", "AddAfter changes nothing"),
)
def whether_a_queued_item_can_wait_too(delaying: DelayingQueue) -> str:
    """AddAfter of an item that is queued MAY bring it again at the deadline, or change nothing.

    client-go keeps what is queued and what waits apart, and brings it again. controller-runtime's priority
    queue has one entry for both (kubernetes/kubernetes#110642).
    """
    delaying.add("a")
    delaying.add_after("a", MINUTE)
    delaying.get()
    delaying.done("a")

    delaying.until(2 * MINUTE)

    return {1: "AddAfter changes nothing", 2: "it comes again at its deadline"}.get(
        delaying.runs("a"), "it comes more than twice"
    )


@dataclass(frozen=True)
class CalledFirst(Row):
    called_first: str


@rule(
    cites=(DOC["Stingy"], DELAYING["AddAfter"]),
    after=(
        "deadlines/an-add-does-not-wait-for-a-deadline",
        "deadlines/addafter-puts-off-nothing-that-is-queued",
        "delays/a-delayed-item-comes-once",
    ),
    each=[CalledFirst("Add"), CalledFirst("AddAfter")],
)
def an_item_due_while_it_is_queued_comes_once(delaying: DelayingQueue, row: CalledFirst) -> None:
    """An item that is still queued when its deadline comes MUST be handed out once for both."""
    if row.called_first == "Add":
        delaying.add("a")
    delaying.add_after("a", MINUTE)
    if row.called_first == "AddAfter":
        delaying.add("a")

    delaying.until(2 * MINUTE)

    assert delaying.runs("a") == 1


@rule(
    cites=(DOC["Stingy"], DELAYING["AddAfter"]),
    after="delays/an-item-is-not-there-before-its-delay-is-over",
)
def an_item_due_while_it_is_processed_waits_for_its_done(delaying: DelayingQueue) -> None:
    """An item that is in processing when its deadline comes MUST NOT be handed out to a second worker.

    That it comes from the clerk and not from a producer makes no difference to those who process it.
    """
    delaying.add("a")
    delaying.get()
    delaying.add_after("a", MINUTE)

    delaying.until(2 * MINUTE)
    other = delaying.ask()

    assert other.waiting


@rule(
    cites=(QUEUE["Done"], DELAYING["AddAfter"]),
    after="deadlines/an-item-due-while-it-is-processed-waits-for-its-done",
)
def an_item_due_while_it_is_processed_comes_after_its_done(delaying: DelayingQueue) -> None:
    """An item that is in processing when its deadline comes MUST be handed out again after its Done."""
    delaying.add("a")
    delaying.get()
    delaying.add_after("a", MINUTE)
    delaying.until(2 * MINUTE)

    delaying.done("a")

    assert delaying.get() == "a"


@rule(
    cites=(DELAYING["AddAfter"], QUEUE["Done"]),
    after="delays/an-item-is-not-there-before-its-delay-is-over",
)
def a_done_does_not_hurry_a_delayed_item(delaying: DelayingQueue) -> None:
    """An item that a worker delays while it processes it MUST NOT come back at its Done already.

    This is how a worker that has failed asks for another try: first AddAfter, and then Done.
    """
    delaying.add("a")
    delaying.get()
    delaying.add_after("a", MINUTE)

    delaying.done("a")
    delaying.until(MINUTE - MILLISECOND)
    delaying.ask()

    assert delaying.handed_out == ["a"]


@rule(
    cites=(DELAYING["AddAfter"], QUEUE["Done"]),
    after="delays/an-item-is-not-there-before-its-delay-is-over",
)
def a_done_does_not_cancel_a_delay(delaying: DelayingQueue) -> None:
    """An item that a worker delays while it processes it MUST come at its deadline, after its Done."""
    delaying.add("a")
    delaying.get()
    delaying.add_after("a", MINUTE)

    delaying.done("a")
    delaying.until(MINUTE)

    assert delaying.get() == "a"


@rule(
    cites=(DELAYING["AddAfter"], DOC["Stingy"]),
    after=(
        "delays/a-waiting-worker-is-woken",
        "delays/an-item-can-be-delayed-again",
        "delays/all-that-is-due-comes",
        "deadlines/an-item-due-while-it-is-queued-comes-once",
        "deadlines/an-item-due-while-it-is-processed-waits-for-its-done",
    ),
    each=[
        Program("two AddAfter of one item", "", "add a after 5 s | add a after 6 s"),
        Program("two AddAfter of two items", "", "add a after 5 s | add b after 5 s"),
        Program("two sooner ones", "add c after 6 s", "add a after 5 s | add b after 5 s"),
        Program("AddAfter and Add", "", "add a after 5 s | add a, get, done"),
        Program("AddAfter and what is due", "add b after 6 s", "add a after 1 ms | add b after 5 s"),
        Program(
            "AddAfter and a deadline that comes", "", "add a after 1 ms, get, add b after 1 ms, done, get"
        ),
        Program(
            "a retry, as soon as a deadline has come",
            "",
            "add a after 1 ms, get, add a after 1 ms, done, get",
        ),
        Program("a deadline that comes and a waiting worker", "", "get, done | add a after 1 ms"),
        Program(
            "two deadlines and two workers", "", "get, done | get, done | add a after 1 ms, add b after 2 ms"
        ),
        Program("a deadline that comes, and Done", "add a; 1 get", "add a after 1 ms | get, done"),
        Program(
            "a deadline that comes, and a retry", "", "add a after 1 ms, get, add a after 1 ms, done, get"
        ),
        Program("no delay, and a waiting worker", "", "get, done | add a after 0 s"),
        Program("no delay, of what waits", "add a after 5 s", "add a after 0 s, get, done | add b after 5 s"),
        Program("no delay, twice", "", "add a after 0 s | add a after 0 s | get, done"),
        Program(
            "an AddAfter just as another deadline comes",
            "add b after 1 ms",
            "pause for 1 ms, add a after 1 ms",
        ),
        Program(
            "an earlier deadline, just as another one comes",
            "add b after 1 ms; add a after 60 s",
            "pause for 1 ms, add a after 5 ms",
        ),
        Program("an Add just as the deadline comes", "add a after 1 ms", "pause for 1 ms, add a | get, done"),
        Program(
            "Done just as the deadline comes", "add a; 1 get; add a after 1 ms", "pause for 1 ms, done | get"
        ),
        Program(
            "an AddAfter just as a clerk gives up",
            "add a after 1 ms; pause for 2 ms; 1 get; 1 done a",
            "pause, add b after 1 ms",
        ),
    ],
    orders=90,
)
def delays_at_once_lose_nothing(race: Annotated[Race, With("delay")], row: Program) -> None:
    """Whatever the order, no delayed item MUST be lost, be overlooked by a waiting worker, be with two workers at once, or come too often.

    AddAfter, the clerk and the workers touch the same deadlines at the same time.
    """
    history = race.play(row.before, row.at_once)

    assert history.raised() == []
    assert history.held_twice() == []
    assert race.overlooked(history) == []
    race.elapse(10 * SECOND)
    whole = race.rest(history)
    assert whole.excess() == []
    assert whole.lost() == []


@rule(
    cites=QUEUE["Get"],
    after="delays/a-deadline-sends-nobody-home",
    each=[
        Program("two waiting workers and a deadline that comes", "", "get | get | add a after 1 ms"),
        Program(
            "two waiting workers, a deadline that comes, and an Add",
            "",
            "get | get, done, get | add a after 1 ms, add b",
        ),
        Program(
            "two waiting workers and two deadlines that come",
            "",
            "get, done, get | get, done | add a after 1 ms, add b after 2 ms",
        ),
        Program("two waiting workers and no delay", "", "get | get | add a after 0 s"),
        Program(
            "a deadline that comes while its item is processed",
            "add a; 1 get",
            "add a after 1 ms | get | get, done, get",
        ),
    ],
)
def delays_at_once_send_nobody_home(race: Annotated[Race, With("delay")], row: Program) -> None:
    """Whatever the order of AddAfter, deadlines and workers, a Get MUST NOT report a shutdown that nobody has asked for."""
    history = race.play(row.before, row.at_once)

    assert history.sent_home_unasked() == []


@rule(
    cites=(DELAYING["AddAfter"], DOC["Stingy"]),
    after=(
        "delays/an-item-can-be-delayed-again",
        "delays/all-that-is-due-comes",
        "deadlines/an-item-due-while-it-is-queued-comes-once",
        "deadlines/an-item-due-while-it-is-processed-waits-for-its-done",
        "delays/a-deadline-sends-nobody-home",
    ),
    for_all={"program": programs_of(Calls(adds=("add {}", A_MOMENT_LATER), needs=A_MOMENT_LATER))},
)
def no_program_with_a_deadline_loses_an_item(race: Annotated[Race, With("delay")], program: Small) -> None:
    """Whatever a few lanes do while a deadline comes, no item MUST be lost, overlooked, with two workers or run too often, and no worker sent home."""
    history = race.play(program.before, program.at_once)

    assert history.raised() == []
    assert history.held_twice() == []
    assert history.sent_home_unasked() == []
    assert race.overlooked(history) == []
    race.elapse(10 * SECOND)
    whole = race.rest(history)
    assert whole.excess() == []
    assert whole.lost() == []


@rule(
    cites=SOONER,
    after="deadlines/the-earlier-deadline-wins",
    each=[
        Program("the earlier and the later", "", "add a after 5 s | add a after 60 s"),
        Program("the later and the earlier", "", "add a after 60 s | add a after 5 s"),
    ],
)
def of_two_deadlines_at_once_the_earlier_wins(race: Annotated[Race, With("delay")], row: Program) -> None:
    """Of two deadlines that are asked for at once, the earlier MUST count.

    Who looks whether the item waits already, and notes its deadline afterwards, forgets one that was noted in between.
    """
    race.play(row.before, row.at_once)

    race.elapse(5 * SECOND)

    assert race.left() == ["a"]


@rule(
    cites=DELAYING["AddAfter"],
    after="deadlines/delays-at-once-lose-nothing",
    each=[
        Program(
            "one after the other", "", "add a after 5 s, add b after 6 s, add c after 7 s, add d after 8 s"
        ),
        Program("two at once", "", "add a after 5 s, add b after 6 s | add c after 5 s, add d after 6 s"),
        Program(
            "while another waits", "add e after 9 s", "add a after 5 s, add b after 6 s, add c after 7 s"
        ),
    ],
)
def of_delays_at_once_none_comes_early(race: Annotated[Race, With("delay")], row: Program) -> None:
    """Of several items that are delayed at once, none MUST come before its deadline."""
    race.play(row.before, row.at_once)

    assert race.left() == [], (
        "is each of several new deadlines looked at, if they are added before the thread that waits wakes?"
    )


@rule(
    cites=DELAYING["AddAfter with no delay"].in_code,
    after=(
        "delays/without-a-delay-an-item-is-there-at-once",
        "delays/len-leaves-out-what-waits",
        "shutdown/what-was-queued-is-still-handed-out",
        "deadlines/delays-at-once-lose-nothing",
    ),
    each=[
        Program("it, and Len", "", "add a after 0 s, len"),
        Program(
            "it, and Len, while others wait", "add b after 5 s", "add a after 0 s, len | add c after 5 s"
        ),
        Program("it, and ShutDown", "", "add a after 0 s, shut_down"),
    ],
)
def without_a_delay_an_item_is_there_on_return(race: Annotated[Race, With("delay")], row: Program) -> None:
    """With a delay of zero, the item SHOULD be in the queue when AddAfter returns.

    Whoever shuts the queue down next would otherwise lose it, or not, as the clerk happens to be quick or slow.
    """
    history = race.play(row.before, row.at_once)

    assert history.raised() == []
    assert history.answers("len") in ([], [1])
    assert race.left() == ["a"]
