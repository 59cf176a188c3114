"""Check whether a candidate has left its process fit for judging another rule."""

from __future__ import annotations

import builtins
import locale
import os
import queue
import random
import signal
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from operator import attrgetter, is_
from types import CodeType, FunctionType, ModuleType
from typing import Any

THREADS = 64
"""Most threads of a fit process: the suite keeps fewer spare ones, so more are the candidate's."""

_SHARED = (os, queue, random, signal, sys, threading, time)
"""Modules of Python that the suite and the candidate both use."""


class Fitness:
    """Detects what a candidate has changed in this process since before its import."""

    def __init__(self) -> None:
        self._judges = {module.__name__: Contents(module) for module in _judges()}
        self._shared = [Contents(module) for module in _SHARED]
        self._settings = _settings()

    def is_imported(self) -> None:
        """Put back functions that the import replaced, and record the settings of the process anew.

        Only functions of ``_SHARED`` modules are put back. ``find_changed`` compares with the
        record.
        """
        for module in self._shared:
            module.put_back()
        self._settings = _settings()

    def find_taken(self, guarantee: str = "") -> str:
        """Return how the candidate has changed the suite's code, as in "replaced stingy.x.y".

        Empty if it has not. The text continues a sentence that begins with "the candidate".
        ``guarantee``: the only module of rules to check; empty for all. To check all after each
        rule would take a tenth of the time for judging.
        """
        looked_at = (
            module
            for name, module in self._judges.items()
            if not guarantee or name == guarantee or not name.startswith(_RULES)
        )
        return next(
            filter(None, (module.find_replaced() or module.find_hidden() for module in looked_at)), ""
        )

    def find_changed(self) -> str:
        """Return what the last rule left changed in the process, as in "changed the umask".

        Empty if nothing. The text continues a sentence that begins with "the candidate".
        """
        now = _settings()
        if replaced := next(filter(None, (module.find_replaced() for module in self._shared)), ""):
            return replaced
        other = next((name for name, before in self._settings.items() if now[name] != before), "")
        return f"changed {other}" if other else ""


class Contents:
    """The original callables of one module and its classes, to detect that any was replaced."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module
        self._names = vars(module)
        self._known = frozenset(self._names)
        self._shelves = list(self._list_shelves())

    def find_replaced(self) -> str:
        """Return which callable was replaced, as in "replaced os.fork"; empty if none was."""
        if sys.modules.get(self._module.__name__) is not self._module:
            return _in_place_of(self._module.__name__)
        return next(
            (_in_place_of(shelf.find_other()) for shelf in self._shelves if not shelf.is_as_it_was()), ""
        )

    def put_back(self) -> None:
        """Put the original callables back in place of replaced ones."""
        for shelf in self._shelves:
            shelf.put_back()

    def find_hidden(self) -> str:
        """Return a name added to the module that hides a builtin, as in "replaced len".

        Empty if there is none.
        """
        if len(self._names) == len(self._known) or self._module is builtins:
            return ""
        added = next((name for name in self._names.keys() - self._known if hasattr(builtins, name)), "")
        return _in_place_of(added) if added else ""

    def _list_shelves(self) -> Iterator[_Shelf]:
        called = {name: it for name, it in self._names.items() if callable(it) and not name.endswith("hook")}
        yield _Shelf(self._module, self._names, called)
        for kind in called.values():
            if isinstance(kind, type) and kind.__module__ == self._module.__name__:
                inside = vars(kind)
                parts = {name: it for name, it in inside.items() if isinstance(it, _PARTS)}
                yield _Shelf(kind, inside, parts)


_PARTS = (FunctionType, property, classmethod, staticmethod)


class _Shelf:
    """The original callables of one module or one class, to detect that any was replaced.

    They are compared after every rule, so the comparison uses functions written in C. The name of a
    changed callable is searched for only if there is one.
    """

    def __init__(self, owner: Any, names: Mapping[str, Any], known: Mapping[str, Any]) -> None:
        """Record the callables ``known``, to compare them later with the owner's namespace ``names``."""
        self._owner = owner
        self._names = names
        self._known = dict(known)
        self._things = tuple(known.values())
        self._written = tuple(
            it for it in self._things if isinstance(getattr(it, "__code__", None), CodeType)
        )
        self._codes = tuple(map(_code, self._written))

    def is_as_it_was(self) -> bool:
        return all(map(is_, map(self._names.get, self._known), self._things)) and all(
            map(is_, map(_code, self._written), self._codes)
        )

    def find_other(self) -> str:
        """Return the full name of the callable that was replaced. Call it only if there is one."""
        recoded = {
            id(it) for it, code in zip(self._written, self._codes, strict=True) if _code(it) is not code
        }
        other = (
            name for name, it in self._known.items() if self._names.get(name) is not it or id(it) in recoded
        )
        return f"{_name(self._owner)}.{next(other)}"

    def put_back(self) -> None:
        for name, thing in self._known.items():
            if self._names.get(name) is not thing:
                setattr(self._owner, name, thing)


_code = attrgetter("__code__")


def _name(owner: Any) -> str:
    return f"{owner.__module__}.{owner.__qualname__}" if isinstance(owner, type) else str(owner.__name__)


def _in_place_of(name: str) -> str:
    return f"replaced {name}"


def _judges() -> Iterable[ModuleType]:
    """Return the modules whose code a candidate must not change: ``builtins`` and those of the suite."""
    ours = {name: it for name, it in sys.modules.items() if name.partition(".")[0] == "stingy"}
    return (builtins, *(it for name, it in ours.items() if not name.startswith(_OUTSIDE)))


_RULES = "stingy.guarantees."
_OUTSIDE = ("stingy.cli", "stingy.reports", "stingy.plugin")
"""Packages used only in the command's process: a candidate in its own process cannot reach them."""


_SIGNALS = tuple(signal.valid_signals())


def _settings() -> Mapping[str, Any]:
    mask = os.umask(0)
    os.umask(mask)
    return {
        "the working directory": _folder(),
        "the environment": dict(os.environ),
        "the umask": mask,
        "the switch interval": sys.getswitchinterval(),
        "the locale": locale.setlocale(locale.LC_ALL),
        "the handlers of signals": [signal.getsignal(it) for it in _SIGNALS],
        "the number of its threads": len(sys._current_frames()) > THREADS,
        "the number of its children": _has_children(),
    }


def _folder() -> str:
    try:
        return os.getcwd()  # noqa: PTH109
    except OSError:
        return ""


def _has_children() -> bool:
    try:
        if hasattr(os, "waitid"):
            os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        else:  # macOS before Python 3.13: this takes the status of a child away from its parent
            os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return False
    return True
