"""Transitions of the work queue's model: which of them a story went through."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum

from stingy.language.call import Call
from stingy.language.linearizability import Unknown, explanation
from stingy.language.model import KNOWN, State
from stingy.language.story import Step


class Transition(StrEnum):
    """A transition of the work queue's model: a call, and the state in which it takes effect."""

    ADD = "Add of a new item"
    ADD_QUEUED = "Add of what is queued"
    ADD_PROCESSING = "Add of what is in processing"
    ADD_OWED = "Add of what is in processing and dirty again"
    ADD_SHUT = "Add after shutdown"
    GET_WAITS = "a Get that waits"
    GET = "Get of an item"
    GET_LEFT = "Get of what is left after shutdown"
    GET_SHUTDOWN = "Get of shutdown"
    DONE = "Done of what is clean"
    DONE_OWED = "Done of what is dirty again"
    DONE_OWED_SHUT = "Done after shutdown of what is dirty again"
    DONE_DRAINED = "the last Done of a drain"
    LEN_NONE = "Len of nothing"
    LEN_SOME = "Len of what is queued"
    LEN_PROCESSING = "Len beside what is in processing"
    OPEN = "ShuttingDown before shutdown"
    SHUT = "ShuttingDown after shutdown"
    SHUT_DOWN = "ShutDown of an empty queue"
    SHUT_DOWN_LEFT = "ShutDown with items left"
    SHUT_DOWN_AGAIN = "a second ShutDown"
    SHUT_DOWN_DRAINING = "ShutDown during a drain"
    DRAIN_NOTHING = "a drain of nothing"
    DRAIN_WAITS = "a drain that waits"
    DRAIN_SHUT = "a drain after ShutDown"
    DRAIN_ENDS = "a drain that ends"


DRAINS = (
    Transition.DONE_DRAINED,
    Transition.SHUT_DOWN_DRAINING,
    Transition.DRAIN_NOTHING,
    Transition.DRAIN_WAITS,
    Transition.DRAIN_SHUT,
    Transition.DRAIN_ENDS,
)
"""Transitions that only a queue with ShutDownWithDrain has."""


def transitions(steps: Sequence[Step]) -> Sequence[Transition]:
    """Return the transitions that a story went through, each once, in the order of ``Transition``.

    Empty if the model does not explain the story or does not know all of its calls, or if a step of
    the story stands for many calls.
    """
    calls = list({(call.lane, call.start): call for step in steps if (call := step.call)}.values())
    untold = any(step.many for step in steps)
    if untold or not calls or any(call.op not in KNOWN or call.raised for call in calls):
        return ()
    try:
        explained = explanation(calls)
    except Unknown:
        return ()
    if explained.trouble:
        return ()
    found = set(_waiting(steps))
    state, begun = State(), set[tuple[str, int]]()
    for placed in explained.order:
        found.add(_transition(state, placed.call, again=(placed.call.lane, placed.call.start) in begun))
        begun.add((placed.call.lane, placed.call.start))
        state = placed.state
    return [transition for transition in Transition if transition in found]


def _waiting(steps: Sequence[Step]) -> Iterator[Transition]:
    """Yield GET_WAITS if some Get in the story had to wait, whether or not it returned later."""
    if any(step.call and step.call.op == "get" and step.call.end is None for step in steps):
        yield Transition.GET_WAITS


def _transition(state: State, call: Call, *, again: bool) -> Transition:
    match call.op:
        case "add":
            return _add(state, str(call.item))
        case "get" if not state.queue:
            return Transition.GET_SHUTDOWN
        case "get":
            return Transition.GET_LEFT if state.shutting_down else Transition.GET
        case "done":
            return _done(state, str(call.item))
        case "len" if state.queue:
            return Transition.LEN_SOME
        case "len":
            return Transition.LEN_PROCESSING if state.processing else Transition.LEN_NONE
        case "shutting_down":
            return Transition.SHUT if state.shutting_down else Transition.OPEN
        case "shut_down":
            return _shut_down(state)
        case _:
            return Transition.DRAIN_ENDS if again else _drain(state)


def _add(state: State, item: str) -> Transition:
    if state.shutting_down:
        return Transition.ADD_SHUT
    if item in state.queue:
        return Transition.ADD_QUEUED
    if item in state.owed:
        return Transition.ADD_OWED
    return Transition.ADD_PROCESSING if item in state.processing else Transition.ADD


def _done(state: State, item: str) -> Transition:
    if item in state.owed:
        return Transition.DONE_OWED_SHUT if state.shutting_down else Transition.DONE_OWED
    return Transition.DONE_DRAINED if state.draining and state.processing == {item} else Transition.DONE


def _shut_down(state: State) -> Transition:
    if state.shutting_down:
        return Transition.SHUT_DOWN_DRAINING if state.draining else Transition.SHUT_DOWN_AGAIN
    return Transition.SHUT_DOWN_LEFT if state.queue else Transition.SHUT_DOWN


def _drain(state: State) -> Transition:
    if state.shutting_down:
        return Transition.DRAIN_SHUT
    return Transition.DRAIN_WAITS if state.processing else Transition.DRAIN_NOTHING
