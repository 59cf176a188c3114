"""Ways of an item through a queue: the call that led to where it is, where it is, and the call that followed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from stingy.contract.ops import OPS
from stingy.language.call import Call
from stingy.language.linearizability import Unknown, explanation
from stingy.language.model import KNOWN
from stingy.language.story import TIME, Step

ADD, GET, DONE, SHUT_DOWN, DRAIN = "Add", "Get", "Done", "ShutDown", "ShutDownWithDrain"
ADD_AFTER, ADD_RATE_LIMITED, TIME_PASSES = "AddAfter", "AddRateLimited", "time passes"

DID = {
    "add": ADD,
    "add_after": ADD_AFTER,
    "add_rate_limited": ADD_RATE_LIMITED,
    "done": DONE,
    "shut_down": SHUT_DOWN,
    "shut_down_with_drain": DRAIN,
}
"""Calls that a way may consist of, by op. An item is also handed out, and time passes."""

OFFERED = {
    "queue": (ADD, GET, DONE, SHUT_DOWN),
    "drain": (ADD, GET, DONE, SHUT_DOWN, DRAIN),
    "delay": (ADD, GET, DONE, SHUT_DOWN, ADD_AFTER, TIME_PASSES),
    "limit": (ADD, GET, DONE, SHUT_DOWN, ADD_RATE_LIMITED, TIME_PASSES),
    "priority": (ADD, GET, DONE, SHUT_DOWN, ADD_AFTER, TIME_PASSES),
}
"""Calls that a candidate of a profile has, as far as ways consist of them."""


class Place(Struct, frozen=True):
    """Where an item is, as far as the answers tell."""

    is_dirty: bool = False
    """True if it is queued, or held and added again."""
    is_held: bool = False
    is_delayed: bool = False
    """True if it was added later, and has not been handed out since."""
    is_down: bool = False
    """True if the queue was shut down."""

    def __str__(self) -> str:
        where = ("absent", "queued", "held", "held and dirty")[2 * self.is_held + self.is_dirty]
        return where + " and delayed" * self.is_delayed + " after shutdown" * self.is_down

    def after(self, did: str) -> Place | None:
        """Return where the item is after this call; None if an item that is here cannot have it."""
        if did in (SHUT_DOWN, DRAIN):
            return replace(self, is_down=True, is_delayed=False)
        if did == GET:
            if self.is_held or not (self.is_dirty or self.is_delayed):
                return None
            return replace(self, is_held=True, is_dirty=False, is_delayed=self.is_dirty and self.is_delayed)
        if did == DONE:
            return replace(self, is_held=False) if self.is_held else None
        if self.is_down or did == TIME_PASSES:
            return self
        return (
            replace(self, is_delayed=True)
            if did in (ADD_AFTER, ADD_RATE_LIMITED)
            else replace(self, is_dirty=True)
        )


class Way(Struct, frozen=True, order=True):
    """Three things in a row that happened to an item. ``led`` is empty if nothing had happened to it before."""

    led: str
    place: str
    followed: str

    def __str__(self) -> str:
        return f"{self.led or 'at first'}, {self.place}, {self.followed}"


def all_ways(calls: Collection[str]) -> frozenset[Way]:
    """Return the ways of an item through a queue that offers these calls."""
    found = set[Way]()
    reached = [("", Place())]
    while reached:
        led, place = reached.pop()
        for did in calls:
            way = Way(led, str(place), did)
            is_known = led or did != TIME_PASSES  # an item is known by its first call
            if is_known and way not in found and (after := place.after(did)):
                found.add(way)
                reached.append((did, after))
    return frozenset(found)


def ways_of(steps: Sequence[Step]) -> frozenset[Way]:
    """Return the ways that items went in a story.

    Empty if the order of its calls is unknown, if a call raised, or if a step stands for many calls.
    """
    found = set[Way]()
    items: dict[str, tuple[str, Place]] = {}
    new = ("", Place())
    for item, did in _happened(steps):
        for each in [*items, ""] if item is None else [item]:
            led, place = items.get(each, new)
            after = place.after(did)
            if after is None:
                return frozenset()
            if each:
                found.add(Way(led, str(place), did))
                items[each] = did, after
            elif did in (SHUT_DOWN, DRAIN):
                new = did, after
    return frozenset(found)


def _happened(steps: Sequence[Step]) -> Iterator[tuple[str | None, str]]:
    """Yield what happened to which item, in order; None: to all of them."""
    calls = list({(it.lane, it.start): it for step in steps if (it := step.call)}.values())
    if any(step.many for step in steps) or any(call.raised for call in calls):
        return
    if all(call.op in KNOWN for call in calls):
        for call in _explained(calls):
            yield from _told(call, "")
    elif not any(_overlap(*two) for two in pairwise(calls)):
        for step in steps:
            if step.who == TIME:
                yield None, TIME_PASSES
            elif step.call:
                yield from _told(step.call, step.did)


def _explained(calls: Sequence[Call]) -> Iterable[Call]:
    try:
        explained = explanation(calls)
    except Unknown:
        return ()
    return () if explained.trouble else [placed.call for placed in explained.order]


def _overlap(one: Call, other: Call) -> bool:
    """Return True if the order of two calls is unknown; a Get that waits has its place where it returns."""
    return not OPS[one.op].waits and one.over > other.start


def _told(call: Call, said: str) -> Iterator[tuple[str | None, str]]:
    """Yield what the call did to which item. ``said``: the call as the story spells it."""
    if OPS[call.op].hands_out:
        if call.end is not None and not call.shutdown:
            yield str(call.result), GET
    elif call.op == "add_with_opts" and call.item is not None:
        yield call.item, ADD_AFTER if "after " in said or "rate limited" in said else ADD
    elif did := DID.get(call.op):
        yield call.item, did
