"""Scheduling points in the candidate's own code, where it touches what others could touch too."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from types import CodeType, FunctionType
from weakref import WeakKeyDictionary

from stingy.engine.cpython import EVENTS_OF_CODE
from stingy.engine.monitoring import Monitor
from stingy.engine.settrace import Settrace
from stingy.engine.task import Tracing
from stingy.engine.using import changed, code_of, with_what_they_use


def tracer(kind: type) -> Tracing:
    """Return the tracer that makes scheduling points in all functions of the candidate's files.

    ``kind`` is the candidate's class. A class that was imported again gets a new tracer: its files
    may be the same, but its code objects are new.
    """
    files, methods = files_of(kind), [code for _, code in _methods(kind)]
    key = files, tuple(map(id, methods))
    if key not in _tracers:
        made = Monitor(files) if EVENTS_OF_CODE else Settrace(files)
        _tracers[key] = made, methods
    return _tracers[key][0]


_tracers: dict[tuple[frozenset[str], tuple[int, ...]], tuple[Tracing, list[CodeType]]] = {}
"""Tracers by the candidate's files and the ``id`` of its methods' code.

The code is kept alive, so that no other code gets its ``id``.
"""


def forget_tracers() -> None:
    """Forget all tracers, so that new ones also cover code that was loaded meanwhile."""
    _tracers.clear()


def files_of(kind: type) -> frozenset[str]:
    """Return the files with a candidate's own code, without files of the standard library.

    They are the files of its class, of the base classes, and of the modules that these use from
    their own packages.
    """
    return _look_at(kind)[1]


def unseen_in(kind: type) -> str:
    """Return text on code of a class in which no thread can be preempted, and why; "" if none.

    Such code was compiled to machine code, or made by ``exec`` without a file name of its own.
    """
    return _look_at(kind)[2]


def _look_at(kind: type) -> tuple[int, frozenset[str], str]:
    """Return the number of modules loaded, the files of a class, and what ``unseen_in`` returns."""
    known = _known.get(kind)
    if known is None or known[0] != len(sys.modules):
        places = frozenset(
            (base.__module__, file, changed(file))
            for base in kind.__mro__
            for file in [_file(base.__module__)]
        )
        made = _made_by_code(kind)
        compiled = [name for name, file, _ in places if _is_ours(name) and file.endswith(_COMPILED)]
        unseen = f"{kind.__qualname__}, made by exec" if made.unnamed else ""
        unseen = f"{min(compiled)}, which is compiled" if compiled else unseen
        known = len(sys.modules), _files_of(places) | made.named, unseen
        _known[kind] = known
    return known


_known: WeakKeyDictionary[type, tuple[int, frozenset[str], str]] = WeakKeyDictionary()


@dataclass(frozen=True)
class _MadeByCode:
    """Methods of a class that were made by ``exec``, by the file names in their code."""

    named: frozenset[str]
    """File names such as "<attrs generated 1>" that were given to ``compile``."""
    unnamed: bool
    """True if any such method has no file name of its own."""


_seen: WeakKeyDictionary[type, _MadeByCode] = WeakKeyDictionary()


def _made_by_code(kind: type) -> _MadeByCode:
    if kind not in _seen:
        files = {
            code.co_filename
            for name, code in _methods(kind)
            if not (name[:2] == name[-2:] == "__" and name != "__len__")
        }
        made = {file for file in files if file[:1] == "<" and not file.startswith("<frozen")}
        _seen[kind] = _MadeByCode(frozenset(made - _UNNAMED_FILES), not made.isdisjoint(_UNNAMED_FILES))
    return _seen[kind]


def _methods(kind: type) -> Iterator[tuple[str, CodeType]]:
    """Yield the name and the code of each method of a class and its bases."""
    for base in kind.__mro__:
        for name, thing in vars(base).items():
            if isinstance(thing, FunctionType):
                yield name, thing.__code__


_COMPILED = tuple(EXTENSION_SUFFIXES)
"""Endings of the files of compiled modules, as Cython and mypyc make them."""

_UNNAMED_FILES = {"<string>", "<stdin>"}
"""File names of code that was compiled without one, such as the methods of a dataclass."""


@cache
def _files_of(places: frozenset[tuple[str, str, int]]) -> frozenset[str]:
    """Return the files of the modules at these places, and the files of what they use.

    A place is a module, its file, and when the file was changed, in nanoseconds.
    """
    ours = {name for name, _, _ in places if _is_ours(name)}
    packages = {name.partition(".")[0] for name in ours}
    used = with_what_they_use(ours, packages)
    codes = [code for module in used.values() if (code := code_of(module)) is not None]
    # The code in a .pyc has the name of the source file that it was made from.
    files = {*map(_file, used), *(code.co_filename for code in codes)}
    return frozenset(files - {""})


def _file(module: str) -> str:
    return getattr(sys.modules.get(module), "__file__", None) or ""


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] not in sys.stdlib_module_names
