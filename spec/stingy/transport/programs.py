"""Runs a lane's program on an object in this process, and stamps when each call begins and ends."""

from __future__ import annotations

from _thread import allocate_lock
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from stingy.contract.forms import Changes
from stingy.contract.kinds import is_a
from stingy.contract.ops import OPS
from stingy.contract.testimony import show
from stingy.engine.places import BEGINS_A_CALL, HEAP
from stingy.engine.points import come_to
from stingy.engine.silence import silent
from stingy.engine.touching import Inside
from stingy.language.call import Call
from stingy.language.session import Operation
from stingy.transport import stop
from stingy.transport.calling import describe_raised, in_builtins, in_nanoseconds, in_python
from stingy.transport.target import method


@dataclass
class Record:
    """A call in a lane's program, and its outcome."""

    lane: str
    op: str
    item: str | None
    args: Sequence[Any] = ()
    """Arguments in the order that rules use: the item first, if the op has one."""
    start: int | None = None
    end: int | None = None
    value: Any = None
    early: Changes | None = None
    """A copy of the Changes that the call returned, made immediately; None for other results."""
    raised: str | None = None

    def made_by(self, called: Callable[..., Any]) -> Any:
        """Make this call by the candidate's method and return its result, which may be an awaitable."""
        positional, named = in_python(self.op, self.args)
        return called(*positional, **named)


class Told(Protocol):
    """An object whose methods are called whenever a lane's call begins or ends."""

    def call_begins(self) -> None: ...

    def call_ends(self) -> None: ...


class _Nobody:
    def call_begins(self) -> None: ...

    def call_ends(self) -> None: ...


_NOBODY = _Nobody()


class Stamps:
    """A counter that stamps the begin and end of all lanes' calls, and a list of these calls."""

    def __init__(self, told: Told = _NOBODY) -> None:
        """Create a counter; ``told`` is notified of each call's begin and end, in the calling thread."""
        self.drawn = 0
        self._told = told
        self._lock = allocate_lock()
        self._records: list[Record] = []
        self._seen = 0

    @property
    def returned(self) -> bool:
        """True if calls have been recorded, and all of them have ended."""
        return bool(self._records) and all(record.end is not None for record in self._records)

    def has_gone_on(self) -> bool:
        """Return True if a call is under way, and any has begun or ended since the last query."""
        before, self._seen = self._seen, self.drawn
        return before != self.drawn and any(record.end is None for record in self._records)

    def call(self, record: Record) -> None:
        """Record a call that a lane will make next."""
        self._records.append(record)

    def number_of(self, lane: str) -> int:
        """Return the number of the call that a lane makes now; 0 if it is no lane."""
        return sum(record.lane == lane for record in self._records)

    def begin(self, record: Record) -> None:
        if record.start is None:
            self._told.call_begins()
            record.start = self._draw()

    @silent
    def end(self, record: Record) -> None:
        if record.start is None:
            # The call has touched nothing, so it begins only here. This is a scheduling point:
            # other calls may still end before it.
            come_to(BEGINS_A_CALL)
        self.begin(record)
        record.early = _copy(record)
        self._told.call_ends()
        record.end = self._draw()

    def _draw(self) -> int:
        with self._lock:
            self.drawn += 1
            return self.drawn

    def calls(self) -> list[Call]:
        for record in self._records:
            if record.start is None:
                record.start = self._draw()  # the call has touched nothing, so it begins only now
        return [_call(record) for record in self._records]


def calls_of(lane: str, program: Sequence[Operation]) -> Iterator[Record]:
    """Yield the calls of a program; the caller makes each of them before it asks for the next.

    An op that lacks its item gets the one that this lane has held longest, and is skipped if the
    lane holds none. The program ends when a Get answers that the queue is shut down.
    """
    held: list[Any] = []
    for op, *said in program:
        takes_item = OPS[op].takes_item
        args = said or held[:1] if takes_item else said
        if takes_item and not args:
            continue
        record = Record(lane, op, args[0] if takes_item else None, args)
        if op == "done" and record.item in held:
            held.remove(record.item)
        if stop.current is not None:
            stop.current.before_call(lane)
        yield record
        if OPS[op].hands_out and record.raised is None:
            got, shutdown = _handed_out(record)
            if shutdown:
                return  # the worker stops
            held.append(got)


Beginning = Callable[[Any, Callable[[], None]], None]
"""Decides when a call begins: takes the method, and a function to call when the call begins."""


def _at_once(called: Any, begin: Callable[[], None]) -> None:  # noqa: ARG001
    begin()


def run_program(
    candidate: Any, lane: str, program: Sequence[Operation], stamps: Stamps, begins: Beginning = _at_once
) -> Callable[[], None]:
    """Return a function, to be run by a thread, that makes the calls of a lane's program."""

    def run() -> None:
        for record in calls_of(lane, program):
            stamps.call(record)
            called = getattr(candidate, method(record.op))
            begins(called, partial(stamps.begin, record))
            try:
                record.value = in_builtins(record.op, record.made_by(called))
            except Exception as error:  # noqa: BLE001 - whatever a candidate raises is an answer
                record.raised = describe_raised(error)
            stamps.end(record)

    return run


def _handed_out(record: Record) -> tuple[Any, bool]:
    """Return the item and the shutdown flag that a Get returned; ``(None, True)`` for a wrong form."""
    return (record.value[0], record.value[-1]) if _has_form(record) else (None, True)


def _has_form(record: Record) -> bool:
    value, parts = record.value, OPS[record.op].result.__struct_fields__
    return is_a(value, tuple, list) and len(value) == len(parts) and is_a(value[-1], bool)


def _call(record: Record) -> Call:
    result, shutdown, raised = in_nanoseconds(record.op, record.value), False, record.raised
    hands_out = OPS[record.op].hands_out
    if hands_out and record.end is not None and raised is None:
        if not _has_form(record):
            raised = f"nothing, but returned {show(result)}: not {hands_out}"
        result, shutdown = _handed_out(record)
    start = record.start or 0
    return Call(
        record.lane, record.op, record.item, start, record.end, result, shutdown, raised, early=record.early
    )


def _copy(record: Record) -> Changes | None:
    """Return a copy of a checkout's result, because other threads may still write to the original.

    None for other ops, or if it cannot be read: a rule that reads the original will report that.
    """
    if OPS[record.op].result is Changes and record.raised is None:
        come_to(Inside(reads=(HEAP,), thing=record.value))
        with suppress(Exception):
            times = {service: list(times) for service, times in record.value.trigger_times.items()}
            return Changes(list(record.value.services), times)
    return None
