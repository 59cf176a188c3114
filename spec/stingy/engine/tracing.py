"""Scheduling points inside the candidate's own code, wherever it touches what others could touch too."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from types import CodeType, FunctionType
from weakref import WeakKeyDictionary

from stingy.engine.monitoring import Monitor
from stingy.engine.settrace import Settrace
from stingy.engine.task import Tracing
from stingy.engine.using import changed, code_of, with_what_they_use


def tracer(kind: type) -> Tracing:
    """Return what makes scheduling points in all functions of the candidate's files; ``kind``: its class.

    A class that was imported anew has other code, though it may stand in the same files.
    """
    files, methods = files_of(kind), [code for _, code in _methods(kind)]
    key = files, tuple(map(id, methods))
    if key not in _tracers:
        made = Monitor(files) if sys.version_info >= (3, 12) else Settrace(files)
        _tracers[key] = made, methods
    return _tracers[key][0]


_tracers: dict[tuple[frozenset[str], tuple[int, ...]], tuple[Tracing, list[CodeType]]] = {}
"""The code is kept, so that no other has its id."""


def forget_tracers() -> None:
    """Look at all code again: there may be more by now."""
    _tracers.clear()


def files_of(kind: type) -> frozenset[str]:
    """The files that a candidate's own code stands in.

    Those of its class and the classes that it is made of, and what these take from their own packages;
    nothing of the standard library.
    """
    return _look_at(kind)[1]


def unseen_in(kind: type) -> str:
    """Return which methods of it no points are made in, as their code was compiled, or cannot be told from any other's."""
    return _look_at(kind)[2]


def _look_at(kind: type) -> tuple[int, frozenset[str], str]:
    """Return how many modules there are, its files, and in which of its methods nothing is seen."""
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
    """The methods of a class that stand in no file: some code has made them by ``exec``."""

    named: frozenset[str]
    """What was given to ``compile`` for a file."""
    unnamed: bool
    """Whether there are others."""


_seen: WeakKeyDictionary[type, _MadeByCode] = WeakKeyDictionary()


def _made_by_code(kind: type) -> _MadeByCode:
    if kind not in _seen:
        files = {
            code.co_filename
            for name, code in _methods(kind)
            if not (name[:2] == name[-2:] == "__" and name != "__len__")
        }
        made = {file for file in files if file[:1] == "<" and not file.startswith("<frozen")}
        _seen[kind] = _MadeByCode(frozenset(made - _FOR_ANYBODY), not made.isdisjoint(_FOR_ANYBODY))
    return _seen[kind]


def _methods(kind: type) -> Iterator[tuple[str, CodeType]]:
    """Yield the name and the code of each method of a class, and of those that it is made of."""
    for base in kind.__mro__:
        for name, thing in vars(base).items():
            if isinstance(thing, FunctionType):
                yield name, thing.__code__


_COMPILED = tuple(EXTENSION_SUFFIXES)
"""As by Cython or mypyc."""

_FOR_ANYBODY = {"<string>", "<stdin>"}
"""What code stands in whose file nobody has named; that of each dataclass, too."""


@cache
def _files_of(places: frozenset[tuple[str, str, int]]) -> frozenset[str]:
    """Return the files of modules and of what they use; a place is a name, a file, and when the file was changed."""
    ours = {name for name, _, _ in places if _is_ours(name)}
    packages = {name.partition(".")[0] for name in ours}
    used = with_what_they_use(ours, packages)
    codes = [code for module in used.values() if (code := code_of(module)) is not None]
    # A .pyc names the source that it was made of.
    files = {*map(_file, used), *(code.co_filename for code in codes)}
    return frozenset(files - {""})


def _file(module: str) -> str:
    return getattr(sys.modules.get(module), "__file__", None) or ""


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] not in sys.stdlib_module_names
