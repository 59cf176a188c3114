"""Walks: many calls of all kinds, one after the other, each of whose answers the model has to explain."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from functools import cache, partial
from typing import Any

from stingy.contract import MINUTE, SECOND, Nanoseconds
from stingy.contract.kinds import is_a
from stingy.language.delaying import DelayingQueue, RateLimitingQueue
from stingy.language.model import Deadline, State, add, add_later, at, done, fail, forget, hand_out, in_turn
from stingy.language.notation import forms
from stingy.language.priority import PriorityQueue
from stingy.language.queue import Asked

STEPS = forms(
    "get",
    "done ITEM",
    "add ITEM[ at NUMBER]",
    "ITEM after SPAN[ at NUMBER]",
    "ITEM fails[ at NUMBER]",
    "ITEM is forgotten",
    "ITEM is counted",
    "len",
    "SPAN pass",
    "until due",
    "until nearly due",
)
"""Steps of a walk. ``at NUMBER``: with this priority. ``until due``: until the earliest deadline."""

WORKERS = 2
"""Number of Gets that wait at once, at most."""

ROUNDS = 4
"""Number of times that what has come is worked off at the end of a walk."""

Step = tuple[Any, ...]
"""A step as it is read: its words in lower case, and the values of the others."""

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


class Broken(Exception):  # noqa: N818 - the rule decides whether it is an error
    """An answer that no state of the model explains breaks this promise."""

    def __init__(self, promise: Promise, says: str) -> None:
        super().__init__(says)
        self.promise = promise


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
            return frozenset((done(state, item),))
    return frozenset((state,))


class Walk:
    """A queue that is walked through, and the states in which the model says that it can be.

    A wrong order or a wrong number is often a consequence of something else, so it counts only if nothing
    else is broken on the rest of the walk.
    """

    def __init__(self, queue: DelayingQueue | PriorityQueue) -> None:
        self._queue = queue
        self._is_priority = isinstance(queue, PriorityQueue)
        self._states = frozenset((State(merges=self._is_priority),))
        self._now = queue.uptime
        self._asked: list[Asked] = []
        """Gets that wait."""
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
            case ["get"] if len(self._asked) < WORKERS:
                self._asked.append(self._queue.ask())
            case ["done", item] if item not in self._queue.held:
                return
            case _:
                begins = self._now
                self._call(step)
                self._now = self._queue.uptime
                ends = self._now + self._queue.patience
                self._follow(partial(follow, step=step, begins=begins, ends=ends))
        self._compare()

    def _call(self, step: Step) -> None:
        queue = self._queue
        match step:
            case ["done", item]:
                queue.done(item)
            case ["len"] if not queue.is_slow:
                self._expect(Promise.LENGTH, "Len", len(queue), lambda state: len(state.queue))
            case ["is counted", item] if isinstance(queue, RateLimitingQueue):
                counted = queue.num_requeues(item)
                self._expect(Promise.COUNT, "NumRequeues", counted, lambda state: state.failed(item))
            case ["is forgotten", item] if isinstance(queue, RateLimitingQueue):
                queue.forget(item)
            case ["add", item, priority] if isinstance(queue, PriorityQueue):
                queue.add_with(item, priority=priority or 0)
            case ["after", item, span, priority] if isinstance(queue, PriorityQueue):
                queue.add_with(item, priority=priority or 0, after=span)
            case ["fails", item, priority] if isinstance(queue, PriorityQueue):
                queue.add_with(item, priority=priority or 0, rate_limited=True)
            case ["add", item, _]:
                queue.add(item)
            case ["after", item, span, _] if isinstance(queue, DelayingQueue):
                queue.add_after(item, span)
            case ["fails", item, _] if isinstance(queue, RateLimitingQueue):
                queue.add_rate_limited(item)

    def _expect(self, promise: Promise, call: str, answer: int, expected: Callable[[State], int]) -> None:
        possible = sorted({expected(state) for state in self._states})
        if answer in possible:
            self._follow(lambda state: frozenset((state,) if expected(state) == answer else ()))
        elif self._minor is None:
            due = " or ".join(map(str, possible))
            self._minor = Broken(promise, f"{call} returned {answer}, not {due}")

    def _end(self) -> None:
        """Work off what is left, at its last deadline, until nothing can be left. Raises Broken."""
        for _ in range(ROUNDS):
            self._take(("pass", max((it.ends - self._now for it in self._deadlines()), default=0) + MINUTE))
            for item in self._queue.held:
                self._take(("done", item))
            for _ in range(WORKERS):
                self._take(("get",))

    def _deadlines(self) -> list[Deadline]:
        return [it for state in self._states for it in state.waiting]

    def _next_deadline(self) -> Nanoseconds:
        """Return the earliest deadline of any state; the present if there is none."""
        return min((it.ends for it in self._deadlines()), default=self._now)

    def _pass_until(self, instant: Nanoseconds) -> None:
        """Let time pass, and compare at each deadline at which a worker that waits may get something."""
        while self._asked and self._now < (due := self._next_deadline()) < instant:
            self._elapse_until(due)
            self._compare()
        if instant > self._now:
            self._elapse_until(instant)

    def _elapse_until(self, instant: Nanoseconds) -> None:
        self._queue.elapse(instant - self._now)
        self._now = self._queue.uptime

    def _follow(self, after: Callable[[State], frozenset[State]]) -> None:
        self._states = frozenset[State]().union(*map(after, self._states))

    def _compare(self) -> None:
        """Compare which Gets have returned with the model.

        One that has not, while something may be queued, is given its time: it may have taken the item already.
        """
        before, slow = self._states, list(self._asked)
        self._follow(partial(at, now=self._now))
        if not slow:
            return
        while True:
            came = [_handed_out(it) for it in self._asked if it.call.returned]
            slow = [it for it in slow if not it.call.returned]
            if not slow or not any(len(state.queue) > len(came) for state in self._states):
                break
            _ = slow.pop(0).ended
            self._now = self._queue.uptime
            self._follow(partial(at, now=self._now))
        hand = partial(hand_out, came=came, waiting=len(self._asked) - len(came))
        after = frozenset[State]().union(*map(hand, self._states))
        if not after:
            raise _blame(self._states, came)
        # What comes due at the same time as a more urgent item may be taken by a Get that waited.
        turns = before if self._is_priority else self._states
        if self._minor is None and not any(in_turn(state, came) for state in turns):
            self._minor = Broken(Promise.ORDER, _describe_turn(turns, came))
        self._states = after
        self._asked = [it for it in self._asked if not it.call.returned]


def _handed_out(asked: Asked) -> tuple[str, int]:
    """Return the item that a Get returned, with its priority: 0 if the queue has no priorities."""
    item, told = str(asked.got), asked.call.value
    return item, told[1] if is_a(told, tuple, list) else 0


def _describe_turn(states: frozenset[State], came: Sequence[tuple[str, int]]) -> str:
    state = min(states, key=str)
    first = max(
        (item for item in state.queue if item not in dict(came)), key=state.priority, default="another"
    )
    return f"{came[-1][0]!r} came, and it was the turn of {first!r}"


def _blame(states: frozenset[State], came: Sequence[tuple[str, int]]) -> Broken:
    """Return the promise that is broken in all of these states if these items are handed out."""
    for item, priority in came:
        if all(item in state.processing for state in states):
            return Broken(Promise.ONE, f"{item!r} came while a worker held it")
        if all(item not in state.queue for state in states):
            if any(state.waits(item) for state in states):
                return Broken(Promise.EARLY, f"{item!r} came before its deadline")
            return Broken(Promise.ONCE, f"{item!r} came once too often")
        if priority not in (possible := {state.priority(item) for state in states if item in state.queue}):
            due = " or ".join(map(str, sorted(possible)))
            return Broken(Promise.PRIORITY, f"{item!r} came with the priority {priority}, not {due}")
    left = min(states, key=lambda state: (len(state.queue), str(state)))
    missing = next(item for item in left.queue if item not in dict(came))
    return Broken(Promise.KEPT, f"Get waits, and {missing!r} is queued")
