"""Running a lane's program against an object in this process, and stamping what happens."""

from __future__ import annotations

from _thread import allocate_lock
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from stingy.language.call import Call
from stingy.language.session import Op
from stingy.transport.calling import described
from stingy.transport.target import method


@dataclass
class Record:
    """A call that a program makes, and what comes of it."""

    lane: str
    op: str
    item: str | None
    others: tuple[Any, ...] = ()
    """The arguments of a call that is about no item."""
    start: int | None = None
    end: int | None = None
    value: Any = None
    raised: str | None = None

    def made_on(self, candidate: Any) -> Any:
        """Make the call; what it returns may have to be waited for."""
        called = getattr(candidate, method(self.op))
        return called(self.item) if self.op in WITH_ITEM else called(*self.others)


WITH_ITEM = ("add", "done", "when")


class Stamps:
    """One counter for all lanes, and the calls that drew from it."""

    def __init__(self) -> None:
        self.drawn = 0
        self._lock = allocate_lock()
        self._records: list[Record] = []

    def call(self, record: Record) -> None:
        """Note it; it has not begun yet."""
        self._records.append(record)

    def begin(self, record: Record) -> None:
        if record.start is None:
            record.start = self._draw()

    def end(self, record: Record) -> None:
        self.begin(record)
        record.end = self._draw()

    def _draw(self) -> int:
        with self._lock:
            self.drawn += 1
            return self.drawn

    def calls(self) -> list[Call]:
        for record in self._records:
            self.begin(record)  # what has touched nothing so far has not begun before now
        return [_call(record) for record in self._records]


def calls_of(lane: str, program: Sequence[Op]) -> Iterator[Record]:
    """The calls of a program, each to be made before the next is asked for: a Get says how it goes on.

    An op without an item means the one this lane has had longest.
    """
    held: list[Any] = []
    for op, *arguments in program:
        if op not in WITH_ITEM:
            record = Record(lane, op, None, tuple(arguments))
        elif arguments or held:
            record = Record(lane, op, arguments[0] if arguments else held[0])
        else:
            continue
        if op == "done" and record.item in held:
            held.remove(record.item)
        yield record
        if op == "get" and record.raised is None:
            got, shutdown = _pair(record.value)
            if shutdown:
                return  # the worker goes home
            held.append(got)


Beginning = Callable[[Any, Callable[[], None]], None]
"""Given what is about to be called: sees to it that its beginning is stamped in time."""


def _at_once(called: Any, begin: Callable[[], None]) -> None:  # noqa: ARG001
    begin()


def run_program(
    candidate: Any, lane: str, program: Sequence[Op], stamps: Stamps, begins: Beginning = _at_once
) -> Callable[[], None]:
    """The program as a job for a thread."""

    def run() -> None:
        for record in calls_of(lane, program):
            stamps.call(record)
            begins(getattr(candidate, method(record.op)), partial(stamps.begin, record))
            try:
                record.value = record.made_on(candidate)
            except Exception as error:  # noqa: BLE001 - whatever a candidate raises is an answer
                record.raised = described(error)
            stamps.end(record)

    return run


def _pair(value: Any) -> tuple[Any, bool]:
    if isinstance(value, tuple | list) and len(value) == 2:
        return value[0], bool(value[1])
    return None, True


def _call(record: Record) -> Call:
    result, shutdown, raised = record.value, False, record.raised
    if record.op == "get" and record.end is not None and raised is None:
        if not (isinstance(result, tuple | list) and len(result) == 2):
            raised = f"nothing, but returned {result!r}: not a pair of an item and a flag"
        result, shutdown = _pair(record.value)
    start = record.start or 0
    return Call(record.lane, record.op, record.item, start, record.end, result, shutdown, raised)
