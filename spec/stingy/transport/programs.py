"""Running a lane's program against an object in this process, and stamping what happens."""

from __future__ import annotations

from _thread import allocate_lock
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from stingy.language.call import Call
from stingy.language.session import Op
from stingy.transport.calling import described
from stingy.transport.target import method


@dataclass
class _Record:
    lane: str
    op: str
    item: str | None
    start: int | None = None
    end: int | None = None
    value: Any = None
    raised: str | None = None


class Stamps:
    """One counter for all lanes, and the calls that drew from it."""

    def __init__(self) -> None:
        self.drawn = 0
        self._lock = allocate_lock()
        self._records: list[_Record] = []

    def call(self, lane: str, op: str, item: str | None) -> _Record:
        record = _Record(lane, op, item)
        self._records.append(record)
        return record

    def begin(self, record: _Record) -> None:
        if record.start is None:
            record.start = self._draw()

    def end(self, record: _Record) -> None:
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


Beginning = Callable[[Any, Callable[[], None]], None]
"""Given what is about to be called: sees to it that its beginning is stamped in time."""


def _at_once(called: Any, begin: Callable[[], None]) -> None:  # noqa: ARG001
    begin()


def run_program(
    candidate: Any, lane: str, program: Sequence[Op], stamps: Stamps, begins: Beginning = _at_once
) -> Callable[[], None]:
    """The program as a job. An op without an item means the one this lane has had longest."""

    def run() -> None:
        held: list[Any] = []
        for op, *items in program:
            needs_item = op in ("add", "done")
            if needs_item and not items and not held:
                continue
            item = items[0] if items else held[0] if needs_item else None
            if op == "done" and item in held:
                held.remove(item)
            record = stamps.call(lane, op, item)
            called = getattr(candidate, method(op))
            begins(called, partial(stamps.begin, record))
            try:
                record.value = called(item) if needs_item else called()
            except Exception as error:  # noqa: BLE001 - whatever a candidate raises is an answer
                record.raised = described(error)
            stamps.end(record)
            if op == "get" and record.raised is None:
                got, shutdown = _pair(record.value)
                if shutdown:
                    return  # the worker goes home
                held.append(got)

    return run


def _pair(value: Any) -> tuple[Any, bool]:
    if isinstance(value, tuple | list) and len(value) == 2:
        return value[0], bool(value[1])
    return None, True


def _call(record: _Record) -> Call:
    result, shutdown, raised = record.value, False, record.raised
    if record.op == "get" and record.end is not None and raised is None:
        if not (isinstance(result, tuple | list) and len(result) == 2):
            raised = f"nothing, but returned {result!r}: not a pair of an item and a flag"
        result, shutdown = _pair(record.value)
    start = record.start or 0
    return Call(record.lane, record.op, record.item, start, record.end, result, shutdown, raised)
