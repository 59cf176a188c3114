"""Checks that a driver makes a fresh candidate at each ``new``, and refuses what it lacks."""

from __future__ import annotations

from typing import Any

from stingy.contract import PROFILES
from stingy.doctor import Ill
from stingy.doctor.conversation import Reply
from stingy.doctor.driver import NOTHING, QUEUE, UNKNOWN, Driver
from stingy.doctor.samples import SAMPLES
from stingy.doctor.wording import enumerate_words

FEW = 4
"""Maximum names to list; if there are more, only their number is shown."""
OLD = "old"


def refuses_what_it_does_not_know(driver: Driver) -> str:
    if (made := driver.conversation.ask("new", impl="no_such_thing", options={})).ok:
        raise Ill(
            'it answers new with "impl": "no_such_thing" as if it had made one: refuse an impl that it does '
            "not know with the error unsupported"
        )
    _is_a_refusal(made, "an impl")
    if driver.offers(*QUEUE.ops):
        driver.make_queue()
    if (answered := driver.conversation.ask(UNKNOWN, lane="p1", item="a", extra=1)).ok:
        raise Ill(
            f"it answers ok to an op that does not exist, {UNKNOWN}: check the op, and refuse what the driver does "
            "not offer with the error unsupported"
        )
    _is_a_refusal(answered, "an op")
    return ""


def _is_a_refusal(reply: Reply, what: str) -> None:
    if not reply.refused:
        raise Ill(
            f"it refuses {what} that it does not know as {reply.kind} ({reply.text}): use the error unsupported"
        )


def makes_what_it_offers(driver: Driver) -> str:
    made: dict[str, None] = {}
    for name in driver.offered:
        reply = driver.make(name)
        maker = PROFILES[name].maker
        if reply.ok:
            made[maker] = None
            if driver.can("virtual_clock"):
                driver.reading(reply)
        elif not reply.refused:
            raise Ill(
                f"it cannot make a {maker} ({reply.text}): refuse what the driver does not have with the error unsupported"
            )
    driver.make_any()
    return enumerate_words(made) if len(made) <= FEW else f"{len(made)} kinds"


def begins_anew(driver: Driver) -> str:
    if not driver.offers(*QUEUE.ops):
        return "it has no queue"
    fresh = _first_looks(driver)
    driver.call("p1", "add", item=OLD)
    driver.call("p1", "shut_down")
    if _first_looks(driver) != fresh:
        raise Ill(
            "after new, state of the previous candidate is left: make a new candidate "
            "each time, and keep nothing"
        )
    waits = driver.conversation.start("get", lane="w1")
    driver.settle()
    got = driver.conversation.poll(waits, NOTHING)
    if got is not None and driver.value("get", got)[0] == OLD:
        raise Ill("what was added before new is handed out after it: make a new candidate each time")
    driver.make_queue()
    in_its_lane = driver.conversation.start("len", lane="w1")
    driver.call("p1", "len")
    if driver.conversation.poll(in_its_lane, driver.conversation.patience) is None:
        driver.conversation.look()
        raise Ill(
            "after new, its lane w1 still waits in a call of the previous candidate: start new lanes at each "
            "new, and abandon calls that still wait"
        )
    return ""


def _first_looks(driver: Driver) -> tuple[Any, Any]:
    driver.make_queue()
    return driver.call("p1", "len"), driver.call("p1", "shutting_down")


def has_the_ops_it_claims(driver: Driver) -> str:
    called: set[str] = set()
    for name in driver.offered:
        if driver.make(name).ok:
            for op, fields in SAMPLES[name].calls:
                driver.call("p1", op, **fields)
                called.add(op)
    return f"{len(called)} of them called"
