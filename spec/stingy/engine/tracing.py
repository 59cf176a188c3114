"""Scheduling points inside the candidate's own code, wherever it touches what others could touch too."""

from __future__ import annotations

import sys
from functools import cache

from stingy.engine.monitoring import Monitor
from stingy.engine.settrace import Settrace
from stingy.engine.task import Tracing
from stingy.engine.using import with_what_they_use


@cache
def tracer(files: frozenset[str]) -> Tracing:
    """What makes scheduling points in all functions that stand in these files."""
    return Monitor(files) if sys.version_info >= (3, 12) else Settrace(files)


def files_of(kind: type) -> frozenset[str]:
    """The files that a candidate's own code stands in.

    Those of its class and the classes that it is made of, and what these take from their own packages;
    nothing of the standard library.
    """
    names = {base.__module__ for base in kind.__mro__}
    return _files_of(frozenset((name, _file(name)) for name in names))


@cache
def _files_of(places: frozenset[tuple[str, str]]) -> frozenset[str]:
    """Of modules, by their names and where each stands: it may be executed anew, and what it makes is new then."""
    ours = {name for name, _ in places if _is_ours(name)}
    packages = {name.partition(".")[0] for name in ours}
    files = map(_file, with_what_they_use(ours, packages))
    return frozenset(file for file in files if file)


def _file(module: str) -> str:
    return getattr(sys.modules.get(module), "__file__", None) or ""


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] not in sys.stdlib_module_names
