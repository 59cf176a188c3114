"""Custom storage (Push, Pop, Touch).

A work queue may be given the store that it keeps its items in: Touch, Push, Pop and Len. The store decides
which item comes next; the work queue decides what is in it: only what a worker could take, and each item
once. In these rules the store hands out what came last.
"""

from __future__ import annotations

from typing import Annotated

from stingy.contract.sources import QUEUE
from stingy.language import SHUTDOWN, Hooked, Program, Queue, Race, With, given, numbers, orders, rule

Hiding = Annotated[Queue, With("hook", queue={"hides": 1})]

STORE = QUEUE["Queue"]
PUSH = QUEUE["Queue.Push"]
POP = QUEUE["Queue.Pop"]


def touches(hooked: Queue) -> list[str]:
    return [call for call in hooked.hook_calls() if call.startswith("touch")]


@rule(cites=(PUSH, POP))
def add_pushes_and_get_pops(hooked: Hooked) -> None:
    """An Add of an item that is not queued MUST push it into the store, and the Get that returns it pop it, and no more.

    An empty store has a length of 0: `store or DefaultStore()` throws it away.
    """
    hooked.add("a")

    hooked.get()
    assert hooked.hook_calls() == ["push a", "pop a"], (
        "is an empty store taken for no store? Compare it with None."
    )


@rule(
    cites=QUEUE["Typed.queue"],
    after="hooks/add-pushes-and-get-pops",
    for_all={"added": orders("abcd")},
)
def the_store_says_what_comes_next(hooked: Hooked, added: list[str]) -> None:
    """Get MUST return what the store pops, in whatever order that is."""
    for item in added:
        hooked.add(item)

    assert hooked.take_all() == added[::-1]


@rule(
    cites=QUEUE["Add touches"],
    after="hooks/add-pushes-and-get-pops",
    for_all={"times": numbers(1, 5)},
)
def a_duplicate_touches(hooked: Hooked, times: int) -> None:
    """Each Add of an item that is queued already MUST touch it, once.

    It is how a store learns that an item has become more urgent.
    """
    hooked.add("a")
    hooked.add("b")

    for _ in range(times):
        hooked.add("a")

    hooked.take_all()
    assert touches(hooked) == ["touch a"] * times


@rule(
    cites=QUEUE["Add touches"],
    after="hooks/add-pushes-and-get-pops",
    for_all={"times": numbers(1, 5)},
)
def what_a_worker_holds_is_not_touched(hooked: Hooked, times: int) -> None:
    """An Add of an item that a worker holds MUST NOT touch it: it is not in the store."""
    hooked.add("a")
    hooked.get()

    for _ in range(times):
        hooked.add("a")

    hooked.take_all()
    assert touches(hooked) == []


@rule(
    cites=(QUEUE["Done"], QUEUE["Queue.Push"]),
    after=("hooks/add-pushes-and-get-pops", "once_more/added-while-processed-comes-back-after-done"),
)
def what_comes_back_is_pushed(hooked: Hooked) -> None:
    """An item that was added while it was processed MUST be pushed at its Done, not before, and not touched."""
    hooked.add("a")
    hooked.get()
    hooked.add("a")
    assert hooked.hook_calls() == ["push a", "pop a"]

    hooked.done("a")

    hooked.get()
    assert hooked.hook_calls() == ["push a", "pop a", "push a", "pop a"]


@rule(
    cites=QUEUE["Add touches"],
    after=("hooks/what-comes-back-is-pushed", "hooks/a-duplicate-touches"),
)
def what_has_come_back_is_touched(hooked: Hooked) -> None:
    """An Add of an item that has come back, and is queued, MUST touch it like any other."""
    hooked.add("a")
    hooked.get()
    hooked.add("a")
    hooked.done("a")

    hooked.add("a")

    hooked.take_all()
    assert touches(hooked) == ["touch a"]


@rule(
    cites=QUEUE["Add"],
    after=(
        "hooks/a-duplicate-touches",
        "shutdown/get-reports-the-shutdown",
        "shutdown/what-was-queued-is-still-handed-out",
    ),
)
def nothing_is_touched_after_shutdown(hooked: Hooked) -> None:
    """After a shutdown, an Add MUST NOT reach the store: it is ignored."""
    hooked.add("a")
    hooked.shut_down()

    hooked.add("a")
    hooked.add("b")

    hooked.take_all()
    assert hooked.hook_calls() == ["push a", "pop a"]


@rule(
    cites=STORE,
    after="hooks/the-store-says-what-comes-next",
    each=[
        Program("two Adds", "", "add a | add b"),
        Program("an Add and a Get", "add a", "add b | get"),
        Program("two Gets", "add a; add b", "get | get"),
        Program("a duplicate and an Add", "add a", "add a | add b"),
        Program("a duplicate and a Get", "add a; add b", "add a | get"),
        Program("a Done that brings back and an Add", "add a; 1 get; add a", "done a | add b"),
        Program("Len and an Add", "", "len | add a"),
        Program("Len and a Get", "add a", "len | get"),
    ],
)
def the_store_is_asked_one_thing_at_a_time(race: Annotated[Race, With("hook")], row: Program) -> None:
    """The store MUST NOT be asked for anything while it is being asked: it need not be safe for threads.

    Upstream says that it is always called from the same goroutine. It is not, but always with the lock held.
    """
    history = race.play(row.before, row.at_once)

    assert history.raised() == []


@rule(cites=QUEUE["Queue.Len"].in_code, after="hooks/the-store-says-what-comes-next")
def get_waits_while_the_store_shows_nothing(hiding: Hiding) -> None:
    """Get SHOULD wait for exactly as long as the store says that its length is 0, whatever has been pushed into it.

    A store can so keep back what is not ripe. In this rule it keeps back one item.
    """
    hiding.add("a")
    worker = hiding.ask()
    assert worker.waiting

    hiding.add("b")

    assert worker.got == "b"
    assert hiding.ask().waiting


@rule(
    cites=QUEUE["Queue.Len"].in_code,
    after="hooks/add-pushes-and-get-pops",
    for_all={"items": numbers(0, 4)},
)
def len_is_what_the_store_says(hiding: Hiding, items: int) -> None:
    """Len SHOULD be the length of the store, which in this rule leaves out one item."""
    for n in range(items):
        hiding.add(f"item-{n}")

    assert len(hiding) == max(0, items - 1)


@rule(
    cites=(QUEUE["Queue.Len"].in_code, QUEUE["Queue.Pop"].in_code),
    after=("hooks/get-waits-while-the-store-shows-nothing", "shutdown/get-reports-the-shutdown"),
)
def nothing_is_popped_at_the_end(hiding: Hiding) -> None:
    """After a shutdown, Get SHOULD report it once the store says that its length is 0, and pop nothing."""
    hiding.add("a")
    hiding.add("b")
    hiding.shut_down()

    with given():
        assert hiding.get() == "b"
    assert hiding.get() is SHUTDOWN
    assert hiding.hook_calls() == ["push a", "push b", "pop b"]
