"""Record of the data that threads touch in a run, named as in the candidate's source."""

from __future__ import annotations

import dis
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from itertools import takewhile
from types import CodeType, FrameType
from typing import NamedTuple

from stingy.engine.access import Deferred
from stingy.engine.blocks import leaves_a_block
from stingy.engine.frames import outwards
from stingy.engine.operands import Attribute, Method, Operands, Spot, Unknown, Value, is_plain, look_up
from stingy.engine.places import HEAP, Access, Place
from stingy.engine.record import Record
from stingy.engine.task import State, Task
from stingy.language import conflict
from stingy.language.conflict import Cut, Does, Touch


class Onlooker:
    """Records what threads touch, and where they are interrupted, until it is no longer called."""

    def __init__(self, record: Record, call_of: Callable[[str], int]) -> None:
        """Record the run whose turns are in ``record``.

        ``call_of`` returns the number of the call that a thread makes now.
        """
        self._record = record
        self._call_of = call_of
        self.touches: list[Touch] = []
        self.cuts: list[Cut] = []
        self._steps = Counter[str]()
        """Number of steps of each thread so far: from one scheduling point to the next."""
        self._unknown = Counter[str]()
        """Number of the last step of each thread that may have changed anything; 0 for none."""
        self._parked: set[str] = set()
        """Threads whose last step is a wait for a notify, which takes a lock again at its end."""
        self._kept: list[object] = []
        """The touched objects: as long as they exist, no other object has the ``id`` of one of them."""

    def sees(self, task: Task, access: Access, spot: Spot) -> None:
        """Record what a thread touches with its next step, as far as that is certain."""
        self._steps[task.name] += 1
        self._parked.discard(task.name)
        certain = access.seen_from(spot)
        if certain is None:
            return
        who, code = task.name.replace("_", " "), spot.frame.f_code
        path = (*_path(spot),)[::-1]
        done: list[tuple[Does, Place]] = [("reads", place) for place in certain.reads]
        done += [("changes", place) for place in certain.changes]
        for does, place in done:
            named = _name(access, place, spot)
            if named is None:
                if (does, place) == ("changes", HEAP) and not leaves_a_block(spot.frame):
                    self._unknown[task.name] = self._steps[task.name]
                continue
            self._kept += named.things
            touched = conflict.Access(
                who, does, named.what, code.co_filename, spot.frame.f_lineno, code.co_name
            )
            self.touches.append(Touch(touched, named.place, named.variable, *self._now(task), path))

    def stops(self, task: Task, frame: FrameType | None) -> None:
        """Record that a thread stops running; ``frame`` is where in the candidate's files, or None."""
        if task.state is State.PARKED:
            self._parked.add(task.name)
        waits = task.state is State.WANTS_LOCK and task.name not in self._parked
        if frame is not None and (waits or task.state is State.READY):
            self.cuts.append(Cut(*self._now(task), self._unknown[task.name], waits))

    def _now(self, task: Task) -> tuple[int, int, int]:
        """Return the numbers of a thread's call, of the turn, and of the thread's step."""
        return self._call_of(task.name), len(self._record.trail), self._steps[task.name]


def _path(spot: Spot) -> Iterator[tuple[int, int]]:
    """Yield the line and the offset of each of the candidate's functions that run, innermost first."""
    for frame in takewhile(lambda frame: frame.f_code.co_filename in spot.files, outwards(spot.frame)):
        offsets, first_copies = _instructions(frame.f_code)
        # A frame that calls another may be in the cache of its instruction, which comes after it.
        yield frame.f_lineno, first_copies[bisect_right(offsets, frame.f_lasti) - 1]


@cache
def _instructions(code: CodeType) -> tuple[Sequence[int], Sequence[int]]:
    """Return the offset of each instruction, and the offset of its first copy.

    CPython has the condition of a ``while`` loop twice: before the loop, and at its end.
    """
    first: dict[tuple[object, ...], int] = {}
    offsets, first_copies = [], []
    for step in dis.get_instructions(code):
        what = "POP_JUMP" if step.opname.startswith("POP_JUMP") else step.opname
        offsets.append(step.offset)
        first_copies.append(first.setdefault((what, step.positions), step.offset))
    return offsets, first_copies


class _Named(NamedTuple):
    """A place, as the source names it."""

    what: str
    place: Place
    variable: Place
    """The attribute by which a container was found; otherwise the place itself."""
    things: Sequence[object]
    """The objects whose ``id`` is in ``place`` and ``variable``."""


def _name(access: Access, place: Place, spot: Spot) -> _Named | None:
    """Return what the source calls a place; None if that is not known, or if it is no certain place."""
    kind, number = place
    if kind.startswith(_VARIABLE):
        return _name_global(kind, spot.frame)
    if not isinstance(access, Deferred) or access.operands is None:
        return None
    for value in _objects(access.operands):
        with suppress(Unknown):
            thing = value.find(spot)
            if value.written and (id(thing) == number or (number is None and _will_have(thing, kind))):
                return _name_part(place, value, thing, spot)
    return None


def _will_have(thing: object, kind: str) -> bool:
    """Return True if a place of this kind is an attribute that the object, not its class, is to get.

    The engine does not know the place of such an attribute before its first assignment.
    """
    of = type(thing)
    usual = is_plain(of) and look_up(of, "__setattr__") is look_up(object, "__setattr__")
    return kind.startswith(".") and usual and look_up(of, kind[1:]) is None


_VARIABLE = "variable "


def _name_global(kind: str, frame: FrameType) -> _Named | None:
    """Return the name of a global; None for a variable of an outer function."""
    code, name = frame.f_code, kind.removeprefix(_VARIABLE)
    if name in code.co_freevars or name in code.co_cellvars or name not in frame.f_globals:
        return None
    place = kind, id(frame.f_globals)
    return _Named(name, place, place, [frame.f_globals])


def _name_part(place: Place, value: Value, thing: object, spot: Spot) -> _Named | None:
    """Return the name of an object's attribute, or of a container; None for any other place."""
    kind = place[0]
    if kind.startswith("."):
        place = kind, id(thing)
        return _Named(f"{value.written}{kind}", place, place, [thing])
    if kind != HEAP[0]:
        return None
    if not isinstance(value, Attribute):
        return _Named(value.written, place, place, [thing])
    owner = value.of.find(spot)
    return _Named(value.written, place, (f".{value.name}", id(owner)), [thing, owner])


def _objects(operands: Operands) -> Iterator[Value]:
    """Yield the operands that may be touched: for a method's call, the object of the method."""
    for value in (operands.subject, *operands.others):
        yield value.of if isinstance(value, Method) else value
