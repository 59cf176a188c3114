"""Places that an operation on an object touches: the object, others, or nothing that can change.

A known object is a place of its own. Code that cannot be inspected may touch everything. The
candidate's own code is left out, since it makes scheduling points wherever it touches anything.

The functions ``of_...`` return None for an operation that touches nothing that can change.
"""

from __future__ import annotations

import datetime as dt
import gc
import heapq
import itertools
import re
import threading
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Collection, Sequence
from decimal import Decimal
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    GeneratorType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any

from stingy.engine.operands import (
    Called,
    Iterating,
    Leaving,
    Method,
    Operands,
    Spot,
    Unknown,
    Value,
    attribute,
    is_plain,
    look_up,
)
from stingy.engine.places import (
    BY_UNKNOWN_CODE,
    HEAP,
    READS_HEAP,
    SURROUNDINGS,
    WRITES_HEAP,
    Access,
    Place,
    of_variable,
)

Files = Collection[str]

_UNCHANGING = frozenset(
    (
        *(int, float, complex, bool, str, bytes, type(None), tuple, frozenset, range, slice, type(...)),
        *(type, object, Decimal, FunctionType, BuiltinFunctionType, MethodType, CodeType, ModuleType),
        *(dt.date, dt.datetime, dt.time, dt.timedelta, dt.timezone, re.Pattern, re.Match),
    )
)
_NUMBERS = (int, float)
_ATOMS = (*_NUMBERS, bool, str, bytes, type(None))
_LEADING_ON = (list, dict, set, tuple, frozenset, deque)
_CONTAINERS = frozenset((list, dict, set, deque, bytearray, OrderedDict, defaultdict, Counter))
_VIEWS = frozenset(map(type, ({}.keys(), {}.values(), {}.items())))
_ITERATORS = frozenset(
    (
        *map(type, map(iter, ([], (), {}, {}.values(), {}.items(), set(), deque(), range(0), "", b""))),
        *(type(reversed([])), type(reversed({})), itertools.count),
    )
)
_READING = frozenset(
    (
        *("get", "keys", "values", "items", "copy", "index", "count", "isdisjoint", "issubset", "issuperset"),
        *("__contains__", "__len__", "__getitem__", "__iter__"),
    )
)
"""Methods of containers that only read."""
_CHANGING = frozenset(
    (
        *("append", "appendleft", "add", "discard", "remove", "pop", "popleft", "popitem", "clear", "insert"),
        *("setdefault", "rotate", "reverse", "move_to_end", "__setitem__", "__delitem__"),
    )
)
"""Methods of containers that change the container, and touch nothing else."""
_QUESTIONS = frozenset(
    (
        *("index", "count", "isdisjoint", "issubset", "issuperset", "__contains__", "__len__"),
        *("append", "appendleft", "add", "discard", "remove", "clear", "insert", "rotate", "reverse"),
    )
)
"""Methods of containers whose result is a value that never changes: a number, a bool or None."""
_ASKING: list[Any] = [len, isinstance, issubclass, callable, id, hash, bool, int, float, str, repr, any, all]
"""Functions whose result is a value that never changes, such as a number or a text."""
_CALLING_BACK = frozenset(("join", "format", "format_map"))
"""Methods of immutable objects, such as ``str.join``, that run code of their arguments."""
_FILLED_BY = (None, list, dict, set, deque, int, float, str, tuple, frozenset)
"""Factories of a ``defaultdict`` that run no code of a candidate or a library."""

_ON_HEAPS = (heapq.heappush, heapq.heappop, heapq.heapify, heapq.heapreplace, heapq.heappushpop)
_OVER_ALL = (list, tuple, set, frozenset, dict, deque, sorted, min, max, any, all, sum)
_HARMLESS: list[Any] = [
    *(isinstance, issubclass, callable, id, type, object, range, super),
    *(threading.Event, threading.Semaphore, threading.BoundedSemaphore, threading.Thread, threading.Timer),
]
"""Functions and classes that touch nothing when they are called."""


_LOCKS: set[type] = set()
"""Classes of locks, which make scheduling points of their own."""
_ALONE: set[type] = set()
"""Classes whose objects touch nothing but themselves, whatever is called on them."""


def is_harmless(*functions: Any) -> None:
    """Register functions whose calls touch nothing that other threads could touch."""
    _HARMLESS.extend(functions)


class Inside(Access, frozen=True):
    """A read of an object and of everything that it contains, by the suite's own code."""

    thing: Any = None

    def by_others(self) -> Access:
        reads: list[Place] = []
        seen: set[int] = set()
        waiting = [self.thing]
        while waiting:
            thing = waiting.pop()
            if id(thing) in seen or type(thing) in _ATOMS:
                continue
            seen.add(id(thing))
            own = _own_names(thing)
            reads += [*_parts([thing]), *((f".{name}", id(thing)) for name in own)]
            waiting += (
                gc.get_referents(thing) if type(thing) in _LEADING_ON else [vars(thing)[it] for it in own]
            )
        return Access(reads=tuple(reads))


def are_clocks(*functions: Any) -> None:
    """Register functions that return a number and touch nothing, such as clocks."""
    is_harmless(*functions)
    _ASKING.extend(functions)


def are_locks(*kinds: type) -> None:
    """Register classes of locks, whose methods make scheduling points by themselves."""
    is_harmless(*kinds)
    _LOCKS.update(kinds)


def are_alone(*kinds: type) -> None:
    """Register classes of the suite whose methods touch nothing but their own object."""
    _ALONE.update(kinds)


def find(value: Value, spot: Spot) -> Any:
    """Return the object that an operand stands for. Raises Unknown if it cannot be found.

    For the result of a call, 0 is returned if that result is immutable.
    """
    if isinstance(value, Called):
        if _returns_immutable(value.call, spot):
            return 0
        raise Unknown
    return value.find(spot)


def _returns_immutable(call: Operands, spot: Spot) -> bool:
    """Return True if a call that was just made has returned a value that never changes."""
    if spot.returned is not None and spot.returned.to == id(spot.frame):
        return spot.returned.kind in _UNCHANGING
    called = call.subject
    if isinstance(called, Method):
        thing = find(called.of, spot)
        return _is_question(type(thing), called.name)
    function = find(called, spot)
    return any(function is it for it in _ASKING)


def _is_question(kind: type, name: str) -> bool:
    owner = getattr(look_up(kind, name), "__objclass__", None)
    return owner in _UNCHANGING or (owner in _CONTAINERS and name in _QUESTIONS)


def of_attribute(thing: Any, name: str, *, changes: bool) -> Access:
    """Return the access to an attribute that the candidate's own code assigns.

    ``changes``: True for an assignment, False for a read.
    """
    own = name in _own_names(thing) or type(look_up(type(thing), name)) is MemberDescriptorType
    # Otherwise it may be an attribute of the class, which all instances share.
    place = f".{name}", id(thing) if own else None
    return Access(changes=(place,)) if changes else Access(reads=(place,))


def of_foreign_attribute(thing: Any, name: str) -> Access:
    """Return the access of reading an attribute that the candidate's own code never assigns."""
    if type(thing) is ModuleType:
        return Access(reads=(of_variable(name),))
    attribute(thing, name)
    return Access(reads=_parts([thing]))


def of_truth(thing: Any, files: Files) -> Access | None:
    """Return the access of testing whether an object is true, such as whether it is not empty."""
    for name in ("__bool__", "__len__"):
        if look_up(type(thing), name) is not None:
            return of_special(thing, name, files)
    return None


def of_next(iterator: Value, spot: Spot) -> Access | None:
    """Return the access of a ``for`` loop that takes its next item."""
    thing = find(iterator, spot)
    return of_special(thing, "__iter__" if isinstance(iterator, Iterating) else "__next__", spot.files)


def of_special(thing: Any, name: str, files: Files, *, changes: bool = False) -> Access | None:
    """Return the access of a special method that Python calls for syntax, as for ``thing[key]``."""
    kind = type(thing)
    if kind in _UNCHANGING:
        return None
    if kind in _VIEWS:
        return Access(reads=_parts(gc.get_referents(thing)))
    if kind in _ITERATORS:  # to take the next value changes the iterator
        return Access(reads=_parts(gc.get_referents(thing)), changes=_parts([thing]))
    if kind is GeneratorType:
        ours = thing.gi_code.co_filename in files
        return Access(changes=_parts([thing])) if ours else BY_UNKNOWN_CODE
    found = look_up(kind, name) or (look_up(kind, "__iter__") if name == "__contains__" else None)
    if name == "__getitem__" and not _fills_in_nothing(thing, files):
        return WRITES_HEAP
    changes = changes or (kind is defaultdict and name == "__getitem__")
    return _of_method(thing, found, files, WRITES_HEAP if changes else READS_HEAP, changes=changes)


def of_operator(given: Operands, operator: str, spot: Spot) -> Access | None:
    """Return the access of an operator; one such as ``+=`` may change its left operand."""
    left, right = given.subject, given.others[0]
    if any(_is_number(it, spot) for it in (left, right)) and operator in ("+", "-", "/", "//"):
        return None  # then the other operand is a number, too
    return _of_known(find(left, spot), find(right, spot), operator)


def _is_number(value: Value, spot: Spot) -> bool:
    try:
        return type(find(value, spot)) in _NUMBERS
    except Unknown:
        return False


def _of_known(left: Any, right: Any, operator: str) -> Access | None:
    known = _UNCHANGING | _CONTAINERS
    if type(left) not in known or type(right) not in known:
        return WRITES_HEAP
    changeable = [it for it in (left, right) if type(it) in _CONTAINERS]
    changed = operator.endswith("=") and type(left) in _CONTAINERS
    if not changeable:
        return None
    return Access(reads=_parts(changeable), changes=_parts([left]) if changed else ())


def of_comparison(given: Operands, name: str, spot: Spot) -> Access | None:
    """Return the access of a comparison; ``name`` is the special method that Python calls."""
    things = [find(it, spot) for it in (given.subject, *given.others)]
    found = [of_special(thing, name, spot.files) for thing in things if not _is_plain(thing, name)]
    parts = [access for access in found if access is not None]
    return Access(tuple(place for access in parts for place in access.reads)) if parts else None


def _is_plain(thing: Any, name: str) -> bool:
    """Return True if the object is compared by identity, the default, so that no code runs."""
    return look_up(type(thing), name) is look_up(object, name)


def of_call(called: Operands, spot: Spot) -> Access | None:
    """Return the access of a call. Raises Unknown if the callee or an argument is not known."""
    subject = called.subject
    if isinstance(subject, Leaving):
        return _of_leaving(subject, spot)
    if isinstance(subject, Method):
        return _of_named(find(subject.of, spot), subject.name, called, spot)
    return _of_function(find(subject, spot), called, spot)


def _of_leaving(block: Leaving, spot: Spot) -> Access | None:
    """Return what a step touches that leaves a ``with`` block; None if nothing that threads share.

    The context manager is one of ``block.managers``: which one is not known before the step.
    """
    for manager in block.managers:
        if manager.loose:
            raise Unknown
        kind = type(find(manager, spot))
        if kind not in _LOCKS and not _is_ours(look_up(kind, "__exit__"), spot.files):
            return BY_UNKNOWN_CODE
    return None


def _of_named(thing: Any, name: str, called: Operands, spot: Spot) -> Access | None:
    """Return the access of a call of the method ``name`` of an object."""
    kind = type(thing)
    if kind is ModuleType or name in _own_names(thing):
        return _of_function(attribute(thing, name), called, spot)
    if isinstance(thing, type):
        stays = thing in _UNCHANGING and name not in _CALLING_BACK
        return None if stays or _is_ours(look_up(thing, name), spot.files) else BY_UNKNOWN_CODE
    if kind in _ALONE:
        return Access(changes=((SURROUNDINGS[0], id(thing)),))
    found = look_up(kind, name)
    owner = getattr(found, "__objclass__", None)
    if owner in _UNCHANGING and name in _CALLING_BACK:
        return BY_UNKNOWN_CODE
    if owner in _CONTAINERS and name not in _READING and name not in _CHANGING:
        return BY_UNKNOWN_CODE
    return _of_method(thing, found, spot.files, BY_UNKNOWN_CODE, changes=name not in _READING)


def _own_names(thing: Any) -> Collection[str]:
    """Return the names of the attributes that are in the object itself, not in its class."""
    return getattr(thing, "__dict__", ()) if is_plain(type(thing)) else ()


def _of_method(thing: Any, method: Any, files: Files, otherwise: Access, *, changes: bool) -> Access | None:
    if _is_ours(method, files):
        return None
    owner = getattr(method, "__objclass__", None)
    if owner in _UNCHANGING:
        return None
    if owner in _CONTAINERS:
        return Access(changes=_parts([thing])) if changes else Access(reads=_parts([thing]))
    return otherwise


def _fills_in_nothing(thing: Any, files: Files) -> bool:
    """Return True if reading a missing key of a mapping runs no code that cannot be inspected."""
    if type(thing) is defaultdict:
        return any(thing.default_factory is it for it in _FILLED_BY)
    missing = look_up(type(thing), "__missing__")
    return missing is None or missing is look_up(Counter, "__missing__") or _is_ours(missing, files)


def _of_function(function: Any, called: Operands, spot: Spot) -> Access | None:
    if any(function is it for it in _HARMLESS) or _is_ours(function, spot.files):
        return None
    if any(function is it for it in _ON_HEAPS):
        return _of_heap(find(called.others[0], spot))
    if function is len or function is bool or function is iter or function is next:
        return _of_question(function, find(called.others[0], spot), spot.files)
    if any(function is it for it in _OVER_ALL):
        return _over_all(called, spot)
    if isinstance(function, type):
        return None if _makes_only(function, spot.files) else BY_UNKNOWN_CODE
    if isinstance(function, BuiltinFunctionType) and type(function.__self__) is not ModuleType:
        return _of_named(function.__self__, function.__name__, called, spot)
    return BY_UNKNOWN_CODE


def _of_heap(heap: Any) -> Access:
    return Access(changes=_parts([heap])) if type(heap) is list else WRITES_HEAP


def _of_question(function: Any, thing: Any, files: Files) -> Access | None:
    if function is bool:
        return of_truth(thing, files)
    return of_special(thing, f"__{function.__name__}__", files, changes=function is next)


def _over_all(called: Operands, spot: Spot) -> Access | None:
    """Return the access of a call such as ``sum(items)``, which reads every item of an argument."""
    if not called.others:
        return None
    given = [find(it, spot) for it in called.others]
    if len(given) == 1 and called.plain:
        return of_special(given[0], "__iter__", spot.files)
    return None if called.plain and all(type(it) in _UNCHANGING for it in given) else BY_UNKNOWN_CODE


def _makes_only(kind: type, files: Files) -> bool:
    """Return True if creating an instance runs no code that cannot be inspected."""
    if look_up(type(kind), "__call__") is not look_up(type, "__call__"):
        return False
    made, begun = look_up(kind, "__new__"), look_up(kind, "__init__")
    if issubclass(kind, tuple):
        return hasattr(kind, "_fields")
    is_error = issubclass(kind, BaseException)
    makes = isinstance(made, BuiltinFunctionType) and (is_error or made is look_up(object, "__new__"))
    begins = isinstance(begun, WrapperDescriptorType) and (is_error or begun is look_up(object, "__init__"))
    return makes and (begins or _is_ours(begun, files) or _is_written_for(kind, begun))


def _is_written_for(kind: type, function: Any) -> bool:
    """Return True if ``dataclass`` generated this ``__init__``, which only stores its arguments."""
    generated = isinstance(function, FunctionType) and function.__code__.co_filename == "<string>"
    return generated and hasattr(kind, "__dataclass_fields__")


def _is_ours(function: Any, files: Files) -> bool:
    """Return True if the function is defined in the candidate's own files."""
    if isinstance(function, staticmethod | classmethod | MethodType):
        function = function.__func__
    return type(function) is FunctionType and function.__code__.co_filename in files


def _parts(things: Sequence[object]) -> tuple[Place, ...]:
    """Return the places in memory of these objects, one for each."""
    return tuple((HEAP[0], id(thing)) for thing in things)
