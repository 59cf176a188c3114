"""Walks: many calls of all kinds, one after the other, each of whose answers the model has to explain."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from functools import cache, partial

from stingy.contract import MINUTE, SECOND, Nanoseconds
from stingy.language.model import (
    Deadline,
    State,
    add,
    add_later,
    at,
    fail,
    forget,
    hand_out,
    in_turn,
    look,
    release,
    shut_down_unseen,
)
from stingy.language.notation import forms
from stingy.language.session import NotOffered
from stingy.language.walked import WORKERS, Came, Step, Walked

STEPS = forms(
    "get",
    "done ITEM",
    "add ITEM[ at NUMBER]",
    "ITEM after SPAN[ at NUMBER]",
    "ITEM fails[ at NUMBER]",
    "ITEM is forgotten",
    "num_requeues ITEM",
    "ITEM ends HOW[ after SPAN]",
    "len",
    "depth",
    "shut down",
    "SPAN pass",
    "until due",
    "until nearly due",
)
"""Steps of a walk. ``at NUMBER``: with this priority. ``until due``: until the earliest deadline."""

ROUNDS = 4
"""Number of times that what has come is worked off at the end of a walk."""

read: Callable[[str], Step] = cache(STEPS.read)


class Promise(StrEnum):
    """A promise that an answer breaks if no state of the model explains it."""

    KEPT = "nothing is lost"
    ONE = "one worker at a time"
    EARLY = "nothing comes early"
    ONCE = "once for all Adds before"
    ORDER = "nothing comes before its turn"
    PRIORITY = "the highest priority of the Adds before"
    LENGTH = "what is queued is counted"
    COUNT = "failures are counted"
    DEPTH = "the gauge tells what is to be handed out"
    SHUTDOWN = "the shutdown is told"


class Broken(Exception):  # noqa: N818 - the rule decides whether it is an error
    """An answer that no state of the model explains breaks this promise."""

    def __init__(self, promise: Promise, says: str) -> None:
        super().__init__(says)
        self.promise = promise


def keeps(promise: Promise, walked: Walked, does: Iterable[str]) -> str:
    """Take a walk, and return the promise that it breaks; empty if it breaks none.

    Raises AssertionError if it is ``promise``.
    """
    broken = Walk(walked).go(does)
    if broken and broken.promise is promise:
        raise AssertionError(str(broken))
    return broken.promise if broken else ""


def follow(state: State, step: Step, begins: Nanoseconds, ends: Nanoseconds) -> frozenset[State]:
    """Return the states in which a queue can be after this step.

    Its call was made at ``begins``, and what it delays may come as late as if it had been made at ``ends``.
    """

    def due(item: str, span: Nanoseconds) -> Deadline:
        return Deadline(ends + span, begins + span, item)

    match step:
        case ["add", item, priority]:
            return add(state, item, priority or 0)
        case ["after", item, span, priority]:
            return add_later(state, due(item, span), priority or 0)
        case ["fails", item, priority]:
            return fail(state, due(item, MINUTE << min(state.failed(item), 7)), priority or 0)
        case ["is forgotten", item]:
            return frozenset((forget(state, item),))
        case ["done", item]:
            return frozenset((release(state, item),))
        case ["get"] | ["len"]:
            return look(state)
        case ["shut down"]:
            return shut_down_unseen(state)
        case ["ends", item, how, span]:
            return _ended(
                state, item, how, due(item, MINUTE << min(state.failed(item), 7)), due(item, span or 0)
            )
    return frozenset((state,))


def _ended(state: State, item: str, how: str, again: Deadline, later: Deadline) -> frozenset[State]:
    """Return the states after the reconcile of an item has ended so.

    ``again``: its deadline if its rate limiter is asked; ``later``: that of RequeueAfter.
    """
    forgotten = forget(state, item)
    match how:
        case "ok":
            after = frozenset((forgotten,))
        case "terminal":
            after = frozenset((forgotten, state))
        case "requeue_after":
            after = add_later(forgotten, later)
        case _:
            after = fail(state, again)
    return frozenset(release(it, item) for it in after)


class Walk:
    """A queue or controller that is walked through, and the states in which the model says that it can be.

    A wrong order or a wrong number is often a consequence of something else, so it counts only if nothing
    else is broken on the rest of the walk. For the same reason, no number rules out a state: if the
    number is wrong by itself, the queue would be blamed for the states that are left.
    """

    def __init__(self, walked: Walked) -> None:
        self._walked = walked
        self._states = frozenset((walked.start,))
        self._now = walked.uptime
        self._minor: Broken | None = None
        """The first wrong order or number; None if there was none."""

    def go(self, steps: Iterable[str]) -> Broken | None:
        """Take these steps, and work off what is left; return the first promise that was broken, or None."""
        try:
            for said in steps:
                self._take(read(said))
            self._end()
        except Broken as broken:
            return broken
        return self._minor

    def _take(self, step: Step) -> None:
        """Take a step that makes sense here, and compare what the workers get with the model. Raises Broken."""
        match step:
            case ["pass", span]:
                self._pass_until(self._now + span)
            case ["until due"]:
                self._pass_until(self._next_deadline())
            case ["until nearly due"]:
                self._pass_until(min((it.begins for it in self._deadlines()), default=0) - SECOND)
            case _ if self._walked.makes_sense(step):
                self._call(step)
        self._compare()

    def _call(self, step: Step) -> None:
        begins = self._now
        try:
            answer = self._walked.take(step)
        except NotOffered:
            if step[0] != "ends":
                raise
            self._now = self._walked.uptime
            return  # no reconcile of this candidate can end so: it goes on
        self._now = self._walked.uptime
        ends = self._now + self._walked.patience
        # An item whose deadline is about now may have come before the call, or comes after it.
        self._states |= frozenset().union(*(at(it, self._now) for it in self._states))
        self._follow(partial(follow, step=step, begins=begins, ends=ends))
        match step:
            case ["len"]:
                self._expect(
                    Promise.LENGTH,
                    "Len returned",
                    answer,
                    lambda it: range(len(it.queue), len(it.dirty) + 1),
                )
            case ["depth"]:
                self._expect(
                    Promise.DEPTH,
                    "depth is",
                    answer,
                    lambda it: range(len({*it.dirty} - it.late), len(it.dirty) + 1),
                )
            case ["num_requeues", item]:
                self._expect(Promise.COUNT, "NumRequeues returned", answer, lambda it: [it.failed(item)])

    def _expect(
        self, promise: Promise, says: str, answer: float | None, expected: Callable[[State], Iterable[int]]
    ) -> None:
        possible = sorted({number for state in self._states for number in expected(state)})
        if answer not in possible and self._minor is None:
            due = " or ".join(map(str, possible))
            self._minor = Broken(promise, f"{says} {str(answer).removesuffix('.0')}, not {due}")

    def _end(self) -> None:
        """Work off what is left, at its last deadline, until nothing can be left. Raises Broken."""
        for _ in range(ROUNDS):
            self._take(("pass", max((it.ends - self._now for it in self._deadlines()), default=0) + MINUTE))
            for item in self._walked.held():
                self._take(self._walked.ending(item))
            for _ in range(WORKERS):
                self._take(("get",))

    def _deadlines(self) -> list[Deadline]:
        return [it for state in self._states for it in state.waiting]

    def _next_deadline(self) -> Nanoseconds:
        """Return the earliest deadline of any state; the present if there is none."""
        return min((it.ends for it in self._deadlines()), default=self._now)

    def _pass_until(self, instant: Nanoseconds) -> None:
        """Let time pass, and compare at each deadline at which a worker that waits may get something."""
        while self._walked.asking and self._now < (due := self._next_deadline()) < instant:
            self._elapse_until(due)
            self._compare()
        if instant > self._now:
            self._elapse_until(instant)

    def _elapse_until(self, instant: Nanoseconds) -> None:
        self._walked.elapse(instant - self._now)
        self._now = self._walked.uptime

    def _follow(self, after: Callable[[State], frozenset[State]]) -> None:
        self._states = frozenset[State]().union(*map(after, self._states))

    def _compare(self) -> None:
        """Compare what has been handed out with the model.

        A worker that waits while something may be queued is given its time: it may have taken the item already.
        """
        before = self._states
        self._follow(partial(at, now=self._now))
        came = self._walked.come()
        if self._walked.asking and any(
            state.shutting_down or len(state.queue) > len(came.items) for state in self._states
        ):
            self._walked.wait()
            self._now = self._walked.uptime
            self._follow(partial(at, now=self._now))
            more = self._walked.come()
            came = Came(came.items + more.items, came.told + more.told)
        items, told = came
        if not (items or told or self._walked.asking):
            return
        queued = self._states
        self._follow(partial(hand_out, came=items, waiting=self._walked.asking, told=told))
        if not self._states:
            raise _blame(queued, came)
        # What comes due at the same time as a more urgent item may be taken by a Get that waited.
        turns = before if self._walked.start.merges else queued
        if self._minor is None and not any(in_turn(state, items) for state in turns):
            self._minor = Broken(Promise.ORDER, _describe_turn(turns, items))


def _describe_turn(states: frozenset[State], came: Sequence[tuple[str, int]]) -> str:
    state = min(states, key=str)
    first = max(
        (item for item in state.queue if item not in dict(came)), key=state.priority, default="another"
    )
    return f"{came[-1][0]!r} came, and it was the turn of {first!r}"


def _blame(states: frozenset[State], came: Came) -> Broken:
    """Return the promise that is broken in all of these states if workers got this."""
    for n, (item, priority) in enumerate(came.items):
        if item in dict(came.items[:n]) or all(item in state.processing for state in states):
            return Broken(Promise.ONE, f"{item!r} came while a worker held it")
        if all(item not in state.queue for state in states):
            if any(state.waits(item) for state in states):
                return Broken(Promise.EARLY, f"{item!r} came, and no deadline of it was due")
            return Broken(Promise.ONCE, f"{item!r} came once too often")
        if priority not in (possible := {state.priority(item) for state in states if item in state.queue}):
            due = " or ".join(map(str, sorted(possible)))
            return Broken(Promise.PRIORITY, f"{item!r} came with the priority {priority}, not {due}")
    left = min(states, key=lambda state: (len(state.queue), str(state)))
    missing = next((item for item in left.queue if item not in dict(came.items)), None)
    if came.told and not left.shutting_down:
        return Broken(Promise.KEPT, "Get reports a shutdown, and there was none")
    if missing is None:
        return Broken(Promise.SHUTDOWN, "Get waits, and the queue is shutting down")
    return Broken(
        Promise.KEPT, f"Get {'reports the shutdown' if came.told else 'waits'}, and {missing!r} is queued"
    )
