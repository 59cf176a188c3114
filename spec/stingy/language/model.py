"""The sequential model of a work queue: three sets, deadlines, priorities, failures and two flags.

It specifies the queue a second time, independently of every implementation. States are immutable;
``step`` returns the next state, or None if the call cannot have this result in this state. Where upstream
leaves something open, as it does where an item that waits for a deadline is added, a function returns all
states that are possible then.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, combinations
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from stingy.contract import MILLISECOND, Nanoseconds

Some = TypeVar("Some")

ANYTHING = object()
"""Result of a call that has not returned: any result is possible."""

KNOWN = ("add", "get", "done", "len", "shut_down", "shut_down_with_drain", "shutting_down")
"""Calls that the model knows. ``step`` has two for a drain: ``drain begins``, ``drain ends``."""

SHUTDOWN = object()
"""Result of a Get that reports the shutdown."""

EARLY = MILLISECOND
"""Nanoseconds by which an item may come before its deadline, since clocks and timers count in milliseconds."""


class Deadline(Struct, frozen=True, order=True):
    """An item that is to be added later. The instants are nanoseconds since the queue was made."""

    ends: Nanoseconds
    """Instant at which it must have been added."""
    begins: Nanoseconds
    """Earliest instant at which it may be added."""
    item: str


class State(Struct, frozen=True):
    queue: tuple[str, ...] = ()
    """Items that are dirty and not in processing, in the order in which Get returns them."""
    processing: frozenset[str] = frozenset()
    owed: frozenset[str] = frozenset()
    """Items that are in processing and were added again meanwhile."""
    shutting_down: bool = False
    draining: bool = False
    waiting: tuple[Deadline, ...] = ()
    """Deadlines that have not come, sorted; an item has at most one, unless they may be separate."""
    urgent: frozenset[tuple[str, int]] = frozenset()
    """Items that are dirty or wait, with their priority if it is not 0."""
    failures: frozenset[tuple[str, int]] = frozenset()
    """Items that have failed since they were forgotten last, and how often."""
    merges: bool = False
    """True for a priority queue: an item that waits is one entry with the same item added meanwhile."""
    separates: bool = False
    """True for a controller: each deadline of a key may count, not only the earliest."""
    late: frozenset[str] = frozenset()
    """Dirty items that came due since somebody looked: a queue without a thread of its own may not know it yet."""
    early: frozenset[str] = frozenset()
    """Queued items that may have had their place since they became dirty in processing, or began to wait."""
    ahead: frozenset[tuple[str, str]] = frozenset()
    """Pairs of an item that was queued when another became dirty in processing or began to wait, and that other."""

    @property
    def dirty(self) -> tuple[str, ...]:
        """All items that still have to be processed: queued now, or to be queued again on Done."""
        return (*self.queue, *sorted(self.owed))

    def priority(self, item: str) -> int:
        return next((priority for other, priority in self.urgent if other == item), 0)

    def failed(self, item: str) -> int:
        """Return how often the item has failed since it was forgotten."""
        return next((times for other, times in self.failures if other == item), 0)

    def waits(self, item: str) -> bool:
        return any(it.item == item for it in self.waiting)

    def __str__(self) -> str:
        sets = {"queue": list(self.queue), "processing": sorted(self.processing), "owed": sorted(self.owed)}
        flags = " shutting down" * self.shutting_down + " draining" * self.draining
        return " ".join(f"{name} {items}" for name, items in sets.items()) + flags


def step(state: State, op: str, item: str | None, answer: object, *, in_order: bool = True) -> State | None:
    """Return the model's state after a call with this result; None if the model forbids the result.

    ``in_order=False``: Get may return any queued item.
    """
    match op:
        case "add":
            return _add(state, str(item))
        case "get":
            return _get(state, answer, in_order=in_order)
        case "done":
            return done(state, str(item))
        case "len":
            return state if answer in (ANYTHING, len(state.queue)) else None
        case "shutting_down":
            return state if answer in (ANYTHING, state.shutting_down) else None
        case "shut_down":
            return shut_down(state)
        case "drain begins":
            return replace(shut_down(state), draining=True)
        case "drain ends":
            return state if not (state.processing and state.draining) else None
    raise ValueError(op)


def must_return(state: State, op: str, item: str | None) -> bool:
    """Return True if a call that still waits in this state should have returned.

    A drain *may* end once nothing is in processing, as in client-go; it *must* have ended only when
    nothing is queued either.
    """
    if op == "drain ends":
        return not state.draining or not (state.processing or state.queue)
    return step(state, op, item, ANYTHING) is not None


def _add(state: State, item: str) -> State:
    if state.shutting_down or item in state.queue or item in state.owed:
        return state
    if item in state.processing:
        return replace(state, owed=state.owed | {item})
    return replace(state, queue=(*state.queue, item))


def shut_down(state: State) -> State:
    return replace(state, shutting_down=True, draining=False, waiting=())


def _get(state: State, answer: object, *, in_order: bool) -> State | None:
    if not state.queue:
        return state if state.shutting_down and answer in (ANYTHING, SHUTDOWN) else None
    item = state.queue[0] if in_order or answer not in state.queue else str(answer)
    if answer not in (ANYTHING, item):
        return None
    left = tuple(other for other in state.queue if other != item)
    return replace(state, queue=left, processing=state.processing | {item})


def done(state: State, item: str) -> State:
    queue = (*state.queue, item) if item in state.owed else state.queue
    return replace(state, queue=queue, processing=state.processing - {item}, owed=state.owed - {item})


def release(state: State, item: str) -> State:
    """Return the state after a Done, which may find the item in its place already."""
    after = done(state, item)
    return replace(after, early=after.early | {item}) if item in state.owed else after


def add(state: State, item: str, priority: int = 0) -> frozenset[State]:
    """Return the states after an Add. A deadline of the item may remain, or the Add takes its place.

    What came due without being seen is queued here, or in its place; what waits may have had its place
    since its AddAfter, as in controller-runtime.
    """
    if state.shutting_down:
        return frozenset((state,))
    after = _become_dirty(_raised(state, item, priority), item)
    if state.waits(item) and item not in state.dirty:
        after = replace(after, early=after.early | {item})
    after = replace(after, late=after.late - {item})
    places = [after]
    if item in state.queue and item in state.late and not state.merges:
        others = (other for other in state.queue if other != item)
        places.append(replace(after, queue=(*others, item)))
    kept = [()] if state.merges else [*_subsets(_deadlines(state, item))]
    return frozenset(_with_deadlines(place, item, it) for place in places for it in kept)


def add_later(state: State, called: Deadline, priority: int = 0) -> frozenset[State]:
    """Return the states after an AddAfter: of two deadlines of an item the earlier counts.

    What is queued, or queued at its Done, may wait besides, or AddAfter changes nothing.
    """
    if state.shutting_down:
        return frozenset((state,))
    state = _raised(state, called.item, priority)
    is_dirty = called.item in state.queue or called.item in state.owed
    if is_dirty and state.merges:
        return frozenset((state,))
    if not is_dirty and not state.waits(called.item):
        state = _noting_ahead(state, called.item)
    first, *later = sorted((*_deadlines(state, called.item), called))
    kept = _subsets(later) if state.separates else [()]
    after = frozenset(_with_deadlines(state, called.item, (first, *it)) for it in kept)
    return after | {state} if is_dirty else after


def fail(state: State, called: Deadline, priority: int = 0) -> frozenset[State]:
    """Return the states after an AddRateLimited, with the deadline that its rate limiter gave.

    A priority queue need not ask the limiter about an item that it has already.
    """
    failures = _with(state.failures, called.item, state.failed(called.item) + 1)
    after = add_later(replace(state, failures=failures), called, priority)
    has_it = called.item in state.dirty or state.waits(called.item)
    return after | add_later(state, called, priority) if state.merges and has_it else after


def forget(state: State, item: str) -> State:
    return replace(state, failures=_with(state.failures, item, 0))


def look(state: State) -> frozenset[State]:
    """Return the states after a call that looks for what is due: a queue may queue it only now, behind all others."""
    seen = replace(state, late=frozenset())
    on_time = tuple(item for item in state.queue if item not in state.late)
    late = tuple(item for item in state.queue if item in state.late)
    return frozenset((seen, replace(seen, queue=on_time + late)))


def shut_down_unseen(state: State) -> frozenset[State]:
    """Return the states after a ShutDown: what came due since somebody looked may be dropped by then."""
    after = shut_down(state)
    return frozenset(
        replace(
            after,
            queue=tuple(item for item in state.queue if item not in dropped),
            owed=state.owed.difference(dropped),
            late=state.late.difference(dropped),
        )
        for dropped in _subsets(sorted(state.late))
    )


def hand_out(state: State, came: Sequence[tuple[str, int]], waiting: int, told: int = 0) -> frozenset[State]:
    """Return the states after these items were handed out while ``waiting`` further Gets go on waiting.

    ``came``: items with their priorities; any queued item may be handed out. ``told``: number of Gets that
    then reported the shutdown.
    """
    items = [item for item, _ in came]
    left = tuple(item for item in state.queue if item not in items)
    if (
        len(left) + len(items) != len(state.queue)
        or any(priority != state.priority(item) for item, priority in came)
        or (waiting and (left or state.shutting_down))
        or (told and (left or not state.shutting_down))
    ):
        return frozenset()
    after = replace(
        state,
        queue=left,
        processing=state.processing.union(items),
        urgent=frozenset(it for it in state.urgent if it[0] not in items),
        late=state.late.difference(items),
        early=state.early.difference(items),
        ahead=frozenset(it for it in state.ahead if not {*it}.intersection(items)),
    )
    return frozenset((after,))


def in_turn(state: State, came: Sequence[tuple[str, int]]) -> bool:
    """Return True if none of these items was handed out before the turn of one that was queued in this state."""
    items = dict(came)
    if state.merges:
        left = [state.priority(item) for item in state.queue if item not in items]
        return not (items and left) or min(items.values()) >= max(left)
    for n, item in enumerate(state.queue):
        passed = {other for other in state.queue[:n] if item in items and other not in items}
        if item in state.early:
            passed = {other for other in passed if (other, item) in state.ahead}
        if passed:
            return False
    return True


def at(state: State, now: Nanoseconds) -> frozenset[State]:
    """Return the states at this instant: what is due has been added, in the order of the deadlines."""
    if all(it.begins - EARLY > now for it in state.waiting):
        return frozenset((state,))
    found, reached = set[State](), [state]
    while reached:
        state = reached.pop()
        may = [it for it in state.waiting if it.begins - EARLY <= now]
        if not may or may[0].ends > now:
            found.add(state)
        first = [it for it in may if it.begins <= may[0].ends]
        reached += [after for due in first for after in _come(state, due)]
    return frozenset(found)


def _come(state: State, due: Deadline) -> Iterable[State]:
    """Yield the states after this deadline has come.

    If another deadline of the item had come just before, a worker may have taken the item in between.
    """
    rest = list(state.waiting)
    rest.remove(due)
    late = state.late if due.item in state.dirty else state.late | {due.item}
    after = replace(state, waiting=tuple(rest), late=late)
    yield _become_dirty(after, due.item)
    if state.separates and due.item in state.queue:
        yield replace(after, owed=state.owed | {due.item})


def _become_dirty(state: State, item: str) -> State:
    after = _add(state, item)
    return after if after.owed == state.owed else _noting_ahead(after, item)


def _noting_ahead(state: State, item: str) -> State:
    return replace(state, ahead=state.ahead.union((other, item) for other in state.queue))


def _deadlines(state: State, item: str) -> list[Deadline]:
    return [it for it in state.waiting if it.item == item]


def _with_deadlines(state: State, item: str, deadlines: Iterable[Deadline]) -> State:
    """Return the state with these deadlines of an item, in place of those that it had."""
    others = [it for it in state.waiting if it.item != item]
    return replace(state, waiting=tuple(sorted((*others, *deadlines))))


def _subsets(some: Sequence[Some]) -> Iterable[tuple[Some, ...]]:
    return chain.from_iterable(combinations(some, n) for n in range(len(some) + 1))


def _raised(state: State, item: str, priority: int) -> State:
    """Return the state with the higher one of this priority and that of the item, if it is there already."""
    if not state.merges:
        return state
    if item in state.dirty or state.waits(item):
        priority = max(priority, state.priority(item))
    return replace(state, urgent=_with(state.urgent, item, priority))


def _with(numbers: frozenset[tuple[str, int]], item: str, number: int) -> frozenset[tuple[str, int]]:
    """Return the numbers of items, which are 0 unless they are told, with this number of this item."""
    others = frozenset(it for it in numbers if it[0] != item)
    return others | {(item, number)} if number else others
