"""Record of the data that threads touch in a run, named as in the candidate's source."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from types import FrameType
from typing import NamedTuple

from stingy.engine.access import Deferred
from stingy.engine.operands import Attribute, Method, Operands, Spot, Unknown, Value
from stingy.engine.places import HEAP, Access, Place
from stingy.engine.record import Record
from stingy.engine.task import State, Task
from stingy.language import conflict
from stingy.language.conflict import Cut, Does, Touch
from stingy.process.file import from_here


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
        self._kept: list[object] = []
        """The touched objects: as long as they exist, no other object has the ``id`` of one of them."""

    def sees(self, task: Task, access: Access, spot: Spot) -> None:
        """Record what a thread touches with its next instruction, as far as that is certain."""
        certain = access.seen_from(spot)
        if certain is None:
            return
        who, code = task.name.replace("_", " "), spot.frame.f_code
        file, line = from_here(code.co_filename), spot.frame.f_lineno
        done: list[tuple[Does, Place]] = [("reads", place) for place in certain.reads]
        done += [("changes", place) for place in certain.changes]
        for does, place in done:
            named = _name(access, place, spot)
            if named is None:
                continue
            self._kept += named.things
            touched = conflict.Access(who, does, named.what, file, line, code.co_name)
            call, turn = self._call_of(task.name), len(self._record.trail)
            self.touches.append(Touch(touched, named.place, named.variable, call, turn))

    def stops(self, task: Task, frame: FrameType | None) -> None:
        """Record that a thread stops running; ``frame`` is where in the candidate's files, or None."""
        if task.state is State.READY and frame is not None:
            self.cuts.append(Cut(self._call_of(task.name), len(self._record.trail)))


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
    if number is None or not isinstance(access, Deferred) or access.operands is None:
        return None
    for value in _objects(access.operands):
        with suppress(Unknown):
            thing = value.find(spot)
            if id(thing) == number and value.written:
                return _name_part(place, value, thing, spot)
    return None


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
    kind, _ = place
    if kind.startswith("."):
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
