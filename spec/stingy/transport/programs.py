"""Running a lane's program against an object in this process, and stamping what happens."""

from __future__ import annotations

from _thread import allocate_lock
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from stingy.contract import SECOND
from stingy.language.call import Call
from stingy.language.session import Op
from stingy.testimony import shown
from stingy.transport.calling import raised_by, said
from stingy.transport.target import method


@dataclass
class Record:
    """A call that a program makes, and what comes of it."""

    lane: str
    op: str
    item: str | None
    others: tuple[Any, ...] = ()
    """The arguments beside the item, if it is about one."""
    opts: Mapping[str, Any] = field(default_factory=dict)
    """What ``add_with_opts`` is called with besides."""
    start: int | None = None
    end: int | None = None
    value: Any = None
    raised: str | None = None

    def made_on(self, candidate: Any) -> Any:
        """Make the call; what it returns may have to be waited for."""
        called = getattr(candidate, method(self.op))
        item = (self.item,) if self.op in WITH_ITEM else ()
        return called(*item, *self.others, **self.opts)


WITH_ITEM = ("add", "add_after", "add_with_opts", "done", "when")

HAND_OUTS = {
    "get": (2, "a pair of an item and a flag"),
    "get_with_priority": (3, "an item, its priority and a flag"),
}
"""What hands out an item: how much it returns, and what that is. The item comes first, the flag last."""


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


def _about(lane: str, op: str, item: Any, *said_besides: Any) -> Record:
    """A call about an item, in the candidate's terms."""
    match op, said_besides:
        case "add_after", (delay,):
            return Record(lane, op, item, (delay / SECOND,))
        case "add_with_opts", opts:
            return Record(lane, op, item, opts=said(*opts))
    return Record(lane, op, item)


def calls_of(lane: str, program: Sequence[Op]) -> Iterator[Record]:
    """The calls of a program, each to be made before the next is asked for: a Get says how it goes on.

    An op without an item means the one this lane has had longest.
    """
    held: list[Any] = []
    for op, *arguments in program:
        if op not in WITH_ITEM:
            record = Record(lane, op, None, tuple(arguments))
        elif arguments or held:
            record = _about(lane, op, *(arguments or held[:1]))
        else:
            continue
        if op == "done" and record.item in held:
            held.remove(record.item)
        yield record
        if op in HAND_OUTS and record.raised is None:
            got, shutdown = _handed_out(record)
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
                record.raised = raised_by(error)
            stamps.end(record)

    return run


def _handed_out(record: Record) -> tuple[Any, bool]:
    """The item, and whether there is none."""
    return (record.value[0], bool(record.value[-1])) if _has_form(record) else (None, True)


def _has_form(record: Record) -> bool:
    parts, _ = HAND_OUTS[record.op]
    return isinstance(record.value, tuple | list) and len(record.value) == parts


def _call(record: Record) -> Call:
    result, shutdown, raised = record.value, False, record.raised
    if record.op in HAND_OUTS and record.end is not None and raised is None:
        if not _has_form(record):
            raised = f"nothing, but returned {shown(result)}: not {HAND_OUTS[record.op][1]}"
        result, shutdown = _handed_out(record)
    start = record.start or 0
    return Call(record.lane, record.op, record.item, start, record.end, result, shutdown, raised)
