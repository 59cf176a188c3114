"""The lines of a story for a report, with the model's state after each step and the first error."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from stingy.contract.kinds import is_a
from stingy.contract.ops import OPS
from stingy.contract.testimony import in_a_line
from stingy.language.call import Call
from stingy.language.linearizability import Explanation, Placed, Trouble, Unknown, explanation
from stingy.language.model import KNOWN, State
from stingy.language.story import IN_A_SECOND, NO_LONGER_WAITS, RECONCILES, Step


@dataclass(frozen=True)
class Held:
    """Items in a work queue's three sets after one step of the story, according to the model."""

    queue: tuple[str, ...]
    dirty: tuple[str, ...]
    processing: tuple[str, ...]


@dataclass(frozen=True)
class Line:
    """One step of a story, as a report shows it."""

    lane: str
    did: str
    outcome: str = ""
    op: str = ""
    """Name of the op, if this step is a call of a queue; otherwise empty."""
    item: str | None = None
    held: Held | None = None
    """Content of the work queue after this step; None if that is unknown."""
    expected: str = ""
    """Expected outcome; non-empty only on the line where the story first goes wrong."""
    expected_of: str = ""
    """Lane of a waiting call that should have returned by then; empty if this line's own call is wrong."""
    still: bool = False
    """True if this call and the last one before it that may queue an item are in one instant."""

    def __post_init__(self) -> None:
        """Escape control characters in every text: a line may come from a file or another process."""
        for name in ("lane", "did", "outcome", "expected", "expected_of"):
            object.__setattr__(self, name, in_a_line(getattr(self, name)))
        if self.item is not None:
            object.__setattr__(self, "item", str.__str__(self.item))  # msgspec cannot encode a Value

    def __str__(self) -> str:
        return f"{self.lane}: {self.did}" + (f" → {self.outcome}" if self.outcome else "")

    @property
    def wanted(self) -> str:
        """Text of ``expected``, with the lane if it is another one; for reports without columns."""
        return " ".join(filter(None, (self.expected_of, self.expected)))


def find_wrong(story: Sequence[Line]) -> int | None:
    """Return the index of the first wrong line of a story; None if no line is marked as wrong."""
    return next((n for n, line in enumerate(story) if line.expected), None)


def mark(story: Sequence[Line], row: int, expected: str) -> tuple[Line, ...]:
    """Return the story with the line of this index marked as wrong."""
    return (*story[:row], replace(story[row], expected=expected), *story[row + 1 :])


def account(steps: Sequence[Step]) -> tuple[Line, ...]:
    """Return the lines of a story, as a report shows them, for its steps.

    If the model knows every call, the lines include the model's sets. A call that raises is marked
    as wrong, and the steps after it are not compared with the model.
    """
    raised = next((row for row, step in enumerate(steps) if step.call and step.call.raised), None)
    if raised is None:
        lines = [*_account_for(steps, quiet=True)]
    else:
        lines = [*_account_for(steps[:raised], quiet=False), *map(_line, steps[raised:])]
        lines[raised] = replace(lines[raised], expected="not to raise")
    twice = next((row for row, line in enumerate(lines) if line.outcome == IN_A_SECOND), None)
    if twice is not None and find_wrong(lines) is None:
        key = lines[twice].did.removeprefix(RECONCILES)
        lines[twice] = replace(lines[twice], expected=f"{TO_WAIT}{key} is{IN_PROCESSING}")
    for row in _find_still(steps):
        lines[row] = replace(lines[row], still=True)
    return tuple(lines)


def _find_still(steps: Sequence[Step]) -> Iterator[int]:
    """Yield the row of each call that may queue an item in the same instant as the last such call.

    A Done may, too, if its item was added meanwhile.
    """
    at: int | None = None
    for row, step in enumerate(steps):
        call = step.call
        if call is None:
            at = None  # time may have passed, or the clock was set
        elif may_queue(call.op):
            if call.at is not None and call.at == at:
                yield row
            at = call.at


def may_queue(op: str) -> bool:
    """Return True if a call of this op may queue an item, now or later."""
    return op == "done" or (op in OPS and OPS[op].adds)


def _texts(items: Iterable[str]) -> tuple[str, ...]:
    return tuple(map(str.__str__, items))


def _account_for(steps: Sequence[Step], *, quiet: bool) -> Sequence[Line]:
    """Return the lines for steps in which no call raised, with the model's sets where possible.

    ``quiet``: True if these steps end in quiescence, so that a call that still waits never returns
    by itself.
    """
    lines = [_line(step) for step in steps]
    if any(step.many for step in steps):
        return lines
    rows = _rows(steps)
    cancelled = {step.who: row for row, step in enumerate(steps) if step.outcome == NO_LONGER_WAITS}
    calls: Sequence[Call] = [
        call
        for row in rows.values()
        if (call := steps[row].call) and (call.end is not None or row > cancelled.get(call.lane, -1))
    ]
    is_whole = all(call.op in KNOWN for call in calls)
    calls = calls if is_whole else _of_known_items(calls)
    try:
        explained = _explain(calls)
    except Unknown:
        return lines
    trouble = explained.trouble
    followed = rows[_key(trouble.call)] if trouble and not trouble.waits else len(lines)
    for n, state in _states(explained.order, rows, followed) if calls and is_whole else ():
        lines[n] = replace(
            lines[n], held=Held(*map(_texts, (state.queue, state.dirty, sorted(state.processing))))
        )
    if trouble and (quiet or not trouble.waits):
        wrong = min(followed, len(lines) - 1)
        lane = trouble.call.lane
        lines[wrong] = replace(
            lines[wrong],
            expected=find_expected(trouble),
            expected_of=lane if trouble.waits and lane != lines[wrong].lane else "",
        )
    return lines


def _of_known_items(calls: Sequence[Call]) -> Sequence[Call]:
    """Return the calls about items that are never delayed, which the model can follow by themselves.

    No calls if another call may change the order of items. A drain may wait for an item that was
    delayed, and Len counts it, so no story with a drain is followed, and no Len.
    """
    if not {call.op for call in calls} <= {*KNOWN, *BESIDE} - {"shut_down_with_drain"}:
        return ()
    delayed = {call.item for call in calls if call.op in DELAYS}
    return [
        call
        for call in calls
        if call.op not in (*BESIDE, "len")
        and not delayed.intersection(it for it in (call.item, call.result) if is_a(it, str))
    ]


DELAYS = ("add_after", "add_rate_limited")
"""Calls after which an item is queued at a time that the model does not know."""
BESIDE = (*DELAYS, "forget", "num_requeues")
"""Calls that change nothing for other items."""

TO_RETURN = "to return "
"""Beginning of the text on a Get that waits and should return; the item or ``SHUTDOWN`` follows."""
SHUTDOWN = "shutdown"
TO_WAIT = "to wait: "
"""Beginning of the text on a call that should wait; the reason follows."""
IN_PROCESSING = " in processing"
"""End of the text on a call that should wait because a worker has an item, which is named before."""


def find_expected(trouble: Trouble) -> str:
    """Return text that says what the model expects of the call that fits into no order."""
    call, state = trouble.call, trouble.state
    if trouble.waits:
        return f"{TO_RETURN}{_from_get(call, state)}" if call.op == "get" else TO_RETURN.strip()
    if call.op == "get":
        return _from_get(call, state)
    if call.op == "shut_down_with_drain":
        return f"{TO_WAIT}{_name(sorted(state.processing))}{IN_PROCESSING}"
    return repr(len(state.queue) if call.op == "len" else state.shutting_down)


def _from_get(call: Call, state: State) -> str:
    if state.queue:
        return repr(state.queue[0])
    if state.shutting_down:
        return SHUTDOWN
    if call.result in state.processing:
        return f"{TO_WAIT}{_name([str(call.result)])}{IN_PROCESSING}"
    return f"{TO_WAIT}nothing is queued"


def _name(items: Sequence[str]) -> str:
    return f"{', '.join(map(repr, items))} {'is' if len(items) == 1 else 'are'}"


def _explain(calls: Sequence[Call]) -> Explanation:
    """Search for a sequential order that explains the calls; return it, or the longest partial one.

    The first search lets a Get return any queued item. Only if it succeeds, a second one requires
    the first item of the queue. A call that is wrong in the first search makes the clearer message.
    """
    whatever = explanation(calls, in_order=False)
    return whatever if whatever.trouble else explanation(calls)


def _states(order: Sequence[Placed], rows: Mapping[Key, int], end: int) -> Iterator[tuple[int, State]]:
    """Yield the number of each row of a story before row ``end``, with the model's state after it.

    The state is known only if the calls up to the row are the first ones of the explaining order.
    Other rows are left out.
    """
    placed = [rows[_key(it.call)] for it in order]
    for row in range(end):
        above = sum(other <= row for other in placed)
        if all(other <= row for other in placed[:above]):
            yield row, order[above - 1].state if above else State()


Key = tuple[str, int]
"""Lane and start stamp, which identify a call.

A story may record one call in two steps: when it waits, and when it returns.
"""


def _key(call: Call) -> Key:
    return call.lane, call.start


def _rows(steps: Sequence[Step]) -> Mapping[Key, int]:
    """Map each call to the last row of the story about it, which shows how the call ended."""
    return {_key(step.call): row for row, step in enumerate(steps) if step.call}


def _line(step: Step) -> Line:
    op, item = (step.call.op, step.call.item) if step.call else ("", None)
    return Line(step.who, step.did, step.outcome, op, item)
