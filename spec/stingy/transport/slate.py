"""Detects whether the state of a candidate's modules has changed since their import.

A session must not start with state that an earlier session left, because the threads and the
virtual time of that session are gone. If anything in the modules cannot be inspected, they count as
changed.
"""

from __future__ import annotations

import functools
import sys
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextvars import ContextVar
from datetime import date, time, timedelta, timezone
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from itertools import chain
from logging import Logger
from operator import is_
from pathlib import PurePath
from struct import Struct
from threading import local
from types import (
    BuiltinFunctionType,
    CellType,
    ClassMethodDescriptorType,
    CodeType,
    FunctionType,
    GetSetDescriptorType,
    MappingProxyType,
    MemberDescriptorType,
    MethodDescriptorType,
    MethodType,
    MethodWrapperType,
    ModuleType,
    NoneType,
    WrapperDescriptorType,
)
from typing import Any
from uuid import UUID

from stingy.contract.kinds import is_a
from stingy.engine.primitives import Condition, Lock, RLock

MOST = 5_000
"""Maximum number of objects to inspect: this happens before each session, so it must be fast."""

_COMPARED = (int, float, str, bytes)
"""Types whose values are compared by equality; all other objects are compared by identity."""

_STATELESS = (
    *(NoneType, complex, range, slice, type(...), type(NotImplemented), *_COMPARED),
    *(date, time, timedelta, timezone, Decimal, Fraction, UUID, PurePath, Enum, Struct, CodeType, ModuleType),
    *(GetSetDescriptorType, MemberDescriptorType, MethodDescriptorType, ClassMethodDescriptorType),
    *(WrapperDescriptorType, Logger),
    *(ContextVar, local),  # each session has threads and contexts of its own
)
_STATELESS_MODULES = {"typing", "types", "abc", "_abc", "re", "enum", "dataclasses", "operator", "__future__"}

Parts = Iterable[object]
Look = Callable[[Any], Parts]


class Unknown(Exception):  # noqa: N818 - it is no error
    """The state of a module cannot be compared: an object cannot be inspected, or there are too many."""


class Slate:
    """A snapshot of the state of a candidate's modules."""

    def __init__(self, modules: Iterable[ModuleType]) -> None:
        self._ours = {module.__name__: module for module in modules}
        self._seen: dict[int, object] = {}
        self._waiting: list[object] = []
        self._looks: list[tuple[Look, object, list[object]]] = []
        """By object that can change: how to read its parts, the object, and its parts at first."""
        self._views: list[Parts] = []
        """Live views of the parts of most of these objects, for a quick comparison."""
        self._others: list[tuple[Look, object, list[object]]] = []
        """The entries of ``_looks`` whose parts no live view shows."""
        self.is_known = True
        """True if everything in the modules could be inspected."""
        try:
            for module in self._ours.values():
                self._keep(_list_named, vars(module), vars(module).values())
            while self._waiting:
                self._look_into(self._waiting.pop())
        except Unknown:
            self.is_known = False
        self._at_a_glance = self._glance()

    def is_clean(self) -> bool:
        """Return True if the modules' state has not changed since the snapshot.

        False if it has, or if ``is_known`` is False.
        """
        now = self._glance()
        same = (
            now is not None
            and len(now) == len(self._at_a_glance or ())
            and all(map(is_, now, self._at_a_glance or ()))
        )
        return self.is_known and all(
            _is_same(list(look(thing)), before)
            for look, thing, before in (self._others if same else self._looks)
        )

    def _glance(self) -> list[object] | None:
        try:
            return list(chain.from_iterable(self._views))
        except RuntimeError:  # another thread is changing it
            return None

    def _keep(self, look: Look, thing: object, *views: Parts) -> None:
        """Store the present parts of an object that can change; ``is_clean`` compares with them.

        The parts themselves are inspected later.
        """
        parts = list(look(thing))
        self._looks.append((look, thing, parts))
        if views:
            self._views.extend(views)
        else:
            self._others.append(self._looks[-1])
        self._add(parts)

    def _add(self, things: Parts) -> None:
        self._waiting.extend(things)
        if len(self._seen) + len(self._waiting) > MOST:
            raise Unknown

    def _look_into(self, thing: object) -> None:
        if is_a(thing, *_STATELESS) or type(thing).__module__ in _STATELESS_MODULES or type(thing) is object:
            return
        if id(thing) in self._seen:
            return
        self._seen[id(thing)] = thing
        if is_a(thing, Lock, RLock):  # which claim the types of real locks
            self._keep(_holder, thing)
            return
        if _claims_another_type(thing):
            raise Unknown  # a case would believe it
        match thing:
            case tuple() | frozenset():
                self._add(thing)
            case list() | deque() | set():
                self._keep(list, thing, thing)
            case dict() | MappingProxyType():
                self._keep(_entries, thing, thing.keys(), thing.values())
            case type():
                if thing.__module__ in self._ours and not issubclass(thing, Enum):
                    self._keep(_list_named, vars(thing), vars(thing).values())
            case FunctionType():
                if thing.__module__ in self._ours:
                    self._add([*(thing.__defaults__ or ()), *(thing.__kwdefaults__ or {}).values()])
                    self._add(thing.__closure__ or ())
                    if vars(thing):
                        self._keep(_entries, vars(thing), vars(thing).keys(), vars(thing).values())
            case CellType():
                self._keep(_content, thing)
            case staticmethod() | classmethod():
                self._add([thing.__func__])
            case property():
                self._add([thing.fget, thing.fset, thing.fdel])
            case functools.cached_property():
                self._add([thing.func])
            case functools.partial():
                self._add([thing.func, *thing.args, *thing.keywords.values()])
            case functools._lru_cache_wrapper():
                self._keep(_uses, thing)
            case MethodType():
                self._add([thing.__self__, thing.__func__])
            case BuiltinFunctionType() | MethodWrapperType():
                self._add([thing.__self__])
            case Condition():
                self._keep(_waiters, thing)
            case _ if _is_written_in_python(type(thing)):
                self._keep(_attributes, thing)
            case _:
                raise Unknown


def _claims_another_type(thing: object) -> bool:
    try:
        return thing.__class__ is not type(thing)
    except Exception:  # noqa: BLE001 - a candidate may raise anything
        return True


def _is_same(now: list[object], before: list[object]) -> bool:
    return len(now) == len(before) and all(
        one is other or (type(one) is type(other) and is_a(one, *_COMPARED) and one == other)
        for one, other in zip(now, before, strict=True)
    )


def _list_named(names: Mapping[str, object]) -> Iterator[object]:
    """Yield each name of a namespace and its object, for comparison.

    Names that begin with two underscores are left out. So are modules, because importing a
    submodule later adds its name.
    """
    for name, thing in names.items():
        if name[:2] != "__" and not is_a(thing, ModuleType):
            yield name
            yield thing


def _entries(mapping: Mapping[object, object]) -> Parts:
    return [*mapping.keys(), *mapping.values()]


def _content(cell: CellType) -> Parts:
    try:
        return [cell.cell_contents]
    except ValueError:  # it is empty
        return []


def _uses(cached: functools._lru_cache_wrapper[Any]) -> Parts:
    return [cached.cache_info().currsize]


def _holder(lock: Lock | RLock) -> Parts:
    return [lock.held]


def _waiters(condition: Condition) -> Parts:
    return [condition._lock, *condition._waiters]


def _attributes(thing: object) -> Parts:
    slots = (name for kind in type(thing).__mro__ for name in _slots(kind))
    return [*_entries(getattr(thing, "__dict__", {})), *(getattr(thing, name, None) for name in slots)]


def _slots(kind: type) -> Collection[str]:
    slots = vars(kind).get("__slots__", ())
    return [name for name in ([slots] if is_a(slots, str) else slots) if name[:2] != "__"]


def _is_written_in_python(kind: type) -> bool:
    """Return True if all state of an instance can be inspected, because no C code adds any.

    This is so if all its classes are from Python files, and an instance is no larger than its
    ``__dict__`` and its slots require.
    """
    kinds = kind.__mro__[:-1]
    files = (str(getattr(sys.modules.get(each.__module__), "__file__", "")) for each in kinds)
    room = 2 + sum(len(_slots(each)) for each in kinds)
    return kind.__basicsize__ <= object.__basicsize__ + 8 * room and all(
        file.endswith(".py") for file in files
    )
