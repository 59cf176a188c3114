"""Checks that a driver makes calls correctly: which values it answers, and when it answers."""

from __future__ import annotations

from stingy.doctor import Doubt, Ill
from stingy.doctor.driver import NOTHING, QUEUE, SLOW, Driver

ITEM = "ns/ключ \U0001f511 \u2028\"'\\"
"""An item with unusual but valid Unicode characters, which a driver must hand out unchanged."""
ROUNDS = 20
"""Number of attempts to catch a ``settle`` that is answered too early."""
ROUNDS_OF_ONE_THAT_IS_SLOW = 4


def answers_calls_in_their_form(driver: Driver) -> str:
    if not driver.offers(*QUEUE.ops):
        return "it has no queue"
    driver.make_queue()
    length = driver.call("p1", "len")
    closing = driver.call("p1", "shutting_down")
    driver.call("p1", "add", item=ITEM, extra=1)
    got = driver.conversation.start("get", lane="w1")
    driver.settle()
    reply = driver.conversation.poll(got, NOTHING)
    if reply is None:
        raise Doubt(
            "an item has been added, and Get does not return: either it is not called, or the queue has lost it"
        )
    item, shutdown = driver.value("get", reply)
    if item != ITEM and not shutdown:
        if str(item).startswith(ITEM[:3]):
            raise Ill(
                f"it was given the item {ITEM!r} and handed out {item!r}: read and write UTF-8, and change nothing in a string"
            )
        raise Doubt(f"it was given the item {ITEM!r} and handed out {item!r}")
    driver.call("w1", "done", item=ITEM)
    if length or closing or shutdown:
        raise Doubt(
            f"a fresh queue has a length of {length}, and {'is' if closing or shutdown else 'is not'} shutting down"
        )
    return "also Unicode"


def reads_on_while_a_call_waits(driver: Driver) -> str:
    if not driver.offers(*QUEUE.ops):
        return "it has no queue"
    driver.make_queue()
    waits = driver.conversation.start("get", lane="w1")
    try:
        driver.settle()
        early = driver.conversation.poll(waits, NOTHING)
        driver.call("p1", "add", item="a")
    except Ill:
        if driver.conversation.going:
            raise Ill(
                "it answers nothing while a Get waits: give each lane a thread, goroutine or task of its own, and "
                "read on meanwhile"
            ) from None
        raise
    if early is not None:
        driver.value("get", early)
        raise Doubt(
            "a Get of an empty queue returns at once, where it should wait: is it answered before it returns?"
        )
    driver.value("get", driver.wait_for(waits, "a Get that waited when an item was added"))
    return ""


def settles_when_nothing_moves(driver: Driver) -> str:
    if not driver.can("settle"):
        return "not claimed"
    if not driver.offers(*QUEUE.ops):
        driver.settle()
        return ""
    driver.make_queue()
    rounds = ROUNDS if driver.usual < SLOW else ROUNDS_OF_ONE_THAT_IS_SLOW
    for round_ in range(rounds):
        waits = driver.conversation.start("get", lane="w1")
        driver.settle()
        driver.conversation.start("add", lane="p1", item=f"item-{round_}")
        settled = driver.settle()
        reply = driver.conversation.poll(waits)
        if reply is None or reply.number > settled.number:
            if driver.conversation.poll(waits, NOTHING) is None:
                raise Doubt("an item has been added while a Get waited, and it waits still")
            raise Ill(
                "it answers settle before a Get that was about to return: answer settle only when every lane "
                "is idle or blocked inside the candidate, and its answer has been written"
            )
        driver.value("get", reply)
        driver.call("w1", "done", item=reply.val["item"])
    return f"{rounds} times"
