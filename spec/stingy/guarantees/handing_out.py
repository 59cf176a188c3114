"""Add, Get, Done.

An item goes into the queue with Add. A worker takes it out with Get, processes it, and says so with
Done. Everything else that the queue promises is about what happens in between.
"""

from __future__ import annotations

from dataclasses import dataclass

from stingy.contract.sources import DOC, QUEUE, RECONCILE
from stingy.language import SHUTDOWN, Key, Queue, Row, Value, Valued, rule


@rule(cites=QUEUE["Get"])
def an_added_item_is_handed_out(queue: Queue) -> None:
    """An item that was added MUST be returned by a later Get, with the shutdown flag down.

    All other rules build on this one: while it is broken they are not judged.
    """
    queue.add("a")

    assert queue.get() == "a"


@rule(cites=QUEUE["Get"], after="handing_out/an-added-item-is-handed-out")
def get_waits_while_nothing_is_queued(queue: Queue) -> None:
    """While nothing is queued and no shutdown was asked for, Get MUST wait, and hold up no other call.

    A Get that returns empty-handed makes every worker a busy loop; one that reports a shutdown sends
    the workers home while there is work to come.
    """
    worker = queue.ask()

    assert worker.waiting

    queue.add("a")


@rule(cites=DOC["Stingy"], after="handing_out/an-added-item-is-handed-out")
def get_takes_the_item_out(queue: Queue) -> None:
    """Get MUST take the item out of the queue: without another Add, no other Get returns it."""
    queue.add("a")
    queue.get()

    assert queue.ask().waiting


@rule(cites=QUEUE["Done"], after="handing_out/get-takes-the-item-out")
def a_finished_item_stays_away(queue: Queue) -> None:
    """Done of an item that was not added again since its Get MUST NOT bring it back.

    Forgetting to clear the dirty mark makes every item run for ever.
    """
    queue.add("a")
    queue.get()

    queue.done("a")

    assert queue.ask().waiting, "does Done queue the item only if it is dirty?"


@rule(cites=QUEUE["Add"], after="handing_out/an-added-item-is-handed-out")
def a_finished_item_can_come_again(queue: Queue) -> None:
    """An item that was processed and added again MUST be handed out again.

    Forgetting to take it out of processing makes it run once, and never again.
    """
    queue.add("a")
    queue.get()
    queue.done("a")

    queue.add("a")

    assert queue.get() == "a"


@rule(cites=QUEUE["Get"], after="handing_out/an-added-item-is-handed-out")
def an_empty_item_is_an_item(queue: Queue) -> None:
    """An item whose value is empty MUST be handed out like any other: only the flag says shutdown.

    `if not item: return` looks harmless until the first empty key.
    """
    queue.add("")

    assert queue.get() == ""


@rule(
    cites=(RECONCILE["de-duplicates"], DOC["Stingy"]),
    after="handing_out/a-finished-item-stays-away",
)
def equal_items_are_one_item(queue: Queue) -> None:
    """Two items that are equal MUST be treated as one, though they be different objects.

    Pointers and identity hashes as keys are how the same object gets reconciled twice at once.
    """
    queue.add("a")
    queue.add("a")

    assert queue.runs("a") == 1


@dataclass(frozen=True)
class Alike(Row):
    difference: str
    one: str
    other: str


@rule(
    cites=QUEUE["Add"],
    after="handing_out/a-finished-item-stays-away",
    each=[
        Alike("upper and lower case", "web", "Web"),
        Alike("a space behind", "web", "web "),
        Alike("a longer name", "web", "web-1"),
        Alike("an accent written in two ways", "caf\u00e9", "cafe\u0301"),
        Alike("a slash for a dash", "shop/web", "shop-web"),
    ],
)
def different_items_are_different(queue: Queue, row: Alike) -> None:
    """Two items that are not equal MUST both be handed out, however alike they look."""
    queue.add(row.one)
    queue.add(row.other)

    assert sorted(queue.take_all()) == sorted([row.one, row.other])


@dataclass(frozen=True)
class Values(Row):
    what: str
    one: object
    other: object

    @property
    def both(self) -> list[str]:
        return [Value.of(self.one), Value.of(self.other)]

    def cells(self) -> dict[str, str]:
        return {"what": self.what, "one": f"`{self.one!r}`", "other": f"`{self.other!r}`"}


@rule(
    cites=QUEUE["Add"],
    after="handing_out/different-items-are-different",
    each=[
        Values("a number and its text", 7, "7"),
        Values("bytes and a text of the same letters", b"web", "web"),
        Values("bytes and how they are written", b"web", "b'web'"),
        Values("a tuple and how it is written", ("shop", "web"), "('shop', 'web')"),
        Values("a tuple and the same, joined", ("shop", "web"), "shop/web"),
        Values("two tuples that are joined to one text", ("a/b", "c"), ("a", "b/c")),
        Values("nothing and its name", None, "None"),
        Values("zero and nothing", 0, None),
    ],
)
def values_that_are_written_alike_are_different(valued: Valued, row: Values) -> None:
    """Two items that are not equal MUST both be handed out, of whatever type, even if their texts are the same.

    A queue that takes the text of an item as its key, or joins two names into one, merges items that have
    nothing to do with each other.
    """
    for value in row.both:
        valued.add(value)

    assert sorted(valued.take_all()) == sorted(row.both)


ONE_HASH = (
    Values("two numbers of one hash", -1, -2),
    Values("tuples of these", ("web", -1), ("web", -2)),
    Values("zero and no text", 0, ""),
    Values("two objects of one hash", Key("web"), Key("shop")),
)
"""Values that are not equal, though their hashes are."""

UNEQUAL = (*ONE_HASH, Values("a number and its text", 7, "7"))

EQUAL = (
    Values("a number, and the same with a point", 7, 7.0),
    Values("one and yes", 1, True),
    Values("tuples of these", ("web", 1), ("web", True)),
    Values("two objects that say that they are equal", Key(7), Key(7.0)),
)


@rule(
    cites=QUEUE["Add"],
    after="handing_out/different-items-are-different",
    each=ONE_HASH,
)
def values_of_one_hash_are_different(valued: Valued, row: Values) -> None:
    """Two items that are not equal MUST both be handed out, of whatever type, even if their hashes are the same.

    In CPython the hash of -1 is that of -2. A hash says where to look for an item, not which one it is.
    """
    for value in row.both:
        valued.add(value)

    assert sorted(valued.take_all()) == sorted(row.both), "are items looked up by their hash?"


@rule(
    cites=(RECONCILE["de-duplicates"], DOC["Stingy"]),
    after="handing_out/equal-items-are-one-item",
    each=EQUAL,
)
def equal_values_are_one_item(valued: Valued, row: Values) -> None:
    """Two items that are equal MUST be treated as one, of whatever type, even if their texts are different, also while a worker holds one of them.

    Otherwise, two workers can hold the same item at the same time, each in another spelling.
    """
    for value in row.both:
        valued.add(value)

    assert valued.takeable() == 1

    for value in row.both:
        valued.add(value)

    assert valued.takeable() == 0, "is what a worker holds looked up by its type or its text?"


@dataclass(frozen=True)
class Run(Row):
    how: str
    at_once: int

    def cells(self) -> dict[str, str]:
        return {"added": self.how}


MANY = 5_200
"""More than somebody has thought to be enough: 1,000 or 1,024, 4,096 or 5,000."""

A_CROWD = 260
"""More than somebody has thought to be enough to wait: 10, 20, 100, 128 or 256. For rules in which each item costs much."""

A_BUFFER = 1_200
"""More than the buffers that upstream and its ports put between two of their parts, which are 1,000 or 1,024."""


@rule(
    cites=(QUEUE["Add"], QUEUE["Get"]),
    after="handing_out/a-finished-item-can-come-again",
    each=[Run("all before the first is taken", A_BUFFER), Run("three at a time", 3)],
)
def of_many_items_none_is_lost(queue: Queue, row: Run) -> None:
    """However many items are added, at once or by and by, each MUST be handed out, and once, though one is added twice."""
    for first in range(0, A_BUFFER, row.at_once):
        items = [f"item-{n}" for n in range(first, first + row.at_once)]
        queue.add_each([*items, items[0]])

        assert sorted(queue.work_off(row.at_once)) == sorted(items), (
            "is there a buffer that can be full, or a counter that overflows?"
        )

    assert queue.ask().waiting


@rule(cites=QUEUE["Done"], after="handing_out/an-added-item-is-handed-out", probe=True)
def done_of_an_item_nobody_holds(queue: Queue) -> str:
    """What a queue does on a Done without a Get MAY be anything: callers pair Get and Done.

    In client-go a stray Done of a queued item puts it into the queue a second time, and two workers can
    then hold it at once. A fix is proposed upstream (kubernetes/kubernetes#141079).
    """
    queue.add("a")
    if refused := queue.done_unpaired("a"):
        return refused
    first, second = queue.ask(), queue.ask()
    if first.got == second.answer == "a":
        return "the item is handed out twice at once"
    return "nothing happens" if first.got != SHUTDOWN else "the queue shuts down"


@rule(
    cites=(QUEUE["Add"], QUEUE["Get"]),
    after="handing_out/a-finished-item-can-come-again",
)
def two_queues_know_nothing_of_each_other(two: tuple[Queue, Queue]) -> None:
    """A queue MUST NOT notice which items another one in the same process holds, nor that it is shut down.

    What is kept on the class, or in the module, belongs to all queues.
    """
    queue, other = two
    other.add("a")
    other.get()

    queue.add("a")

    assert queue.get() == "a", "is something kept on the class, or in the module?"

    other.done("a")
    other.shut_down()
    queue.done("a")
    queue.add("b")

    assert queue.take_all() == ["b"], "is something kept on the class, or in the module?"


@dataclass(frozen=True)
class AnyText(Row):
    holds: str
    text: str

    def cells(self) -> dict[str, str]:
        return {"holds": self.holds}


@rule(
    cites=(QUEUE["Add"], QUEUE["Get"]),
    after="handing_out/different-items-are-different",
    each=[
        AnyText("a line break", "one\ntwo "),
        AnyText("a null character", "one\0two "),
        AnyText("a quotation mark and a backslash", '"one\\two" '),
        AnyText("what takes four bytes", "\N{DUCK} "),
        AnyText("three hundred characters", 300 * "x" + " "),
    ],
)
def an_item_may_hold_any_text(queue: Queue, row: AnyText) -> None:
    """An item MUST be handed out as it was added, to the last character, whatever it holds."""
    queue.add(row.text + "1")
    queue.add(row.text + "2")

    assert sorted(queue.take_all()) == [row.text + "1", row.text + "2"]


@dataclass(frozen=True)
class Name(Row):
    item: str

    def cells(self) -> dict[str, str]:
        return {"item": f"`{self.item}`" if self.item.strip() else "empty" if not self.item else "a space"}


NAMES = tuple(
    map(
        Name,
        ("", " ", "0", "NaN", "false", "null", "nil", "None", "undefined", "__proto__", "constructor"),
    )
)
"""Names that some language takes for nothing, for a number, or for a part of its own."""


@rule(
    cites=QUEUE["Typed"],
    after=(
        "handing_out/an-empty-item-is-an-item",
        "handing_out/different-items-are-different",
        "handing_out/a-finished-item-can-come-again",
    ),
    each=NAMES,
)
def an_item_may_be_called_anything(queue: Queue, row: Name) -> None:
    """An item MUST be treated as any other, whatever its name means elsewhere: handed out once, and again if it is added again.

    In an object of JavaScript, `__proto__` and `constructor` are there before anybody has put them in.
    """
    queue.add(row.item)
    queue.add("a")
    queue.add(row.item)

    assert sorted(queue.take_all()) == sorted([row.item, "a"])

    queue.add(row.item)

    assert queue.take_all() == [row.item]


@rule(cites=QUEUE["Done"], after="handing_out/an-added-item-is-handed-out", probe=True)
def a_second_done_while_another_worker_holds_it(queue: Queue) -> str:
    """What a queue does on a worker's second Done, when another has got the item since, MAY be anything.

    In client-go, and in controller-runtime's priority queue, it ends the run of the other worker: the next Add
    lets a third one in.
    """
    queue.add("a")
    queue.get()
    queue.done("a")
    queue.add("a")
    queue.get()
    if refused := queue.done_unpaired("a"):
        return refused
    queue.add("a")
    third = queue.ask()
    return "nothing happens" if third.waiting else "the item is handed out twice at once"
