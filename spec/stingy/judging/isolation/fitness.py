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
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from locale import LC_ALL, setlocale
from operator import attrgetter, getitem, is_
from os import getcwd, umask
from signal import getsignal
from sys import _current_frames, getswitchinterval
from types import CodeType, FunctionType, ModuleType
from typing import Any

__builtins__ = dict(vars(builtins))  # type: ignore[assignment]  # a dict is allowed as well
"""The builtins of this module, such as ``len``, copied before the candidate is imported.

The candidate may replace a function in ``builtins`` or ``os``. So this module calls only functions
that it has bound before that.
"""

_modules = sys.modules

THREADS = 64
"""Most threads of a fit process: the suite keeps fewer spare ones, so more are the candidate's."""

_SHARED = (locale, os, queue, random, signal, sys, threading, time)
"""Modules of Python that the suite and the candidate both use."""


class Fitness:
    """Detects what a candidate has changed in this process since before its import."""

    def __init__(self) -> None:
        suite = {module.__name__: module for module in _judges()}
        rules = {name: module for name, module in suite.items() if name.startswith(_RULES)}
        self._judges = Contents(*(module for name, module in suite.items() if name not in rules))
        self._rules = {name: Contents(module) for name, module in rules.items()}
        self._shared = Contents(*_SHARED)
        self._settings = _settings()

    def is_imported(self) -> None:
        """Put back functions that the import replaced, and record the settings of the process anew.

        Only functions of ``_SHARED`` modules are put back. ``find_changed`` compares with the
        record.
        """
        self._shared.put_back()
        self._settings = _settings()

    def find_taken(self, guarantee: str = "") -> str:
        """Return how the candidate has changed the suite's code, as in "replaced stingy.x.y".

        Empty if it has not. The text continues a sentence that begins with "the candidate".
        ``guarantee``: the only module of rules to check; empty for all. To check all after each
        rule would take a tenth of the time for judging.
        """
        rules = (it for name, it in self._rules.items() if guarantee in ("", name))
        looked_at = (self._judges, *rules)
        return next(filter(None, (it.find_replaced() or it.find_hidden() for it in looked_at)), "")

    def find_changed(self) -> str:
        """Return what the last rule left changed in the process, as in "changed the umask".

        Empty if nothing. The text continues a sentence that begins with "the candidate".
        """
        if replaced := self._shared.find_replaced():
            return replaced
        now = _settings()
        other = next((name for name, before in self._settings.items() if _differ(before, now[name])), "")
        return f"changed {other}" if other else ""


class Contents:
    """The original callables of modules and their classes, to detect that any was replaced.

    They are compared after every rule, so the comparison uses functions written in C. The name of a
    changed callable is searched for only if there is one.
    """

    def __init__(self, *modules: ModuleType) -> None:
        self._modules = {module.__name__: module for module in modules}
        self._known = [frozenset(vars(module)) for module in modules]
        self._owners: list[Any] = []
        self._spaces: list[Mapping[str, Any]] = []
        """The namespace of each owner, which is a module or a class."""
        self._names: list[str] = []
        self._things: list[Any] = []
        for owner, known in (shelf for module in modules for shelf in _list_shelves(module)):
            self._owners += [owner] * len(known)
            self._spaces += [vars(owner)] * len(known)
            self._names += known
            self._things += known.values()
        self._written = [it for it in self._things if isinstance(getattr(it, "__code__", None), CodeType)]
        self._codes = [*map(_code, self._written)]

    def find_replaced(self) -> str:
        """Return which callable was replaced, as in "replaced os.fork"; empty if none was."""
        if vars(sys).get("modules") is not _modules:
            return _in_place_of("sys.modules")
        for name, module in self._modules.items():
            if _modules.get(name) is not module:
                return _in_place_of(name)
        return "" if self._are_as_they_were() else _in_place_of(self._find_other())

    def put_back(self) -> None:
        """Put the original callables back in place of replaced ones."""
        for owner, space, name, thing in self._list_places():
            if space.get(name) is not thing:
                setattr(owner, name, thing)

    def find_hidden(self) -> str:
        """Return a name added to a module that hides a builtin, as in "replaced len".

        Empty if there is none.
        """
        for module, known in zip(self._modules.values(), self._known, strict=True):
            names = vars(module)
            if len(names) == len(known) or module is builtins:
                continue
            if added := next((name for name in names.keys() - known if hasattr(builtins, name)), ""):
                return _in_place_of(added)
        return ""

    def _are_as_they_were(self) -> bool:
        try:
            return all(map(is_, map(getitem, self._spaces, self._names), self._things)) and all(
                map(is_, map(_code, self._written), self._codes)
            )
        except KeyError:
            return False  # a callable was deleted

    def _find_other(self) -> str:
        """Return the full name of the callable that was replaced. Call it only if there is one."""
        recoded = {
            id(it) for it, code in zip(self._written, self._codes, strict=True) if _code(it) is not code
        }
        return next(
            f"{_name(owner)}.{name}"
            for owner, space, name, thing in self._list_places()
            if space.get(name) is not thing or id(thing) in recoded
        )

    def _list_places(self) -> Iterator[tuple[Any, Mapping[str, Any], str, Any]]:
        return zip(self._owners, self._spaces, self._names, self._things, strict=True)


_PARTS = (FunctionType, property, classmethod, staticmethod)


def _list_shelves(module: ModuleType) -> Iterator[tuple[Any, Mapping[str, Any]]]:
    """Yield the module, then each of its classes, with their callables by name."""
    called = {name: it for name, it in vars(module).items() if callable(it) and not name.endswith("hook")}
    yield module, called
    for kind in called.values():
        if isinstance(kind, type) and kind.__module__ == module.__name__:
            yield kind, {name: it for name, it in vars(kind).items() if isinstance(it, _PARTS)}


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
    return {name: _read(setting) for name, setting in _SETTINGS.items()}


def _read(setting: Callable[[], Any]) -> Any:
    try:
        return setting()
    except Exception:  # noqa: BLE001 - the candidate may have put anything in place of os.environ
        return _UNREADABLE


def _differ(before: Any, now: Any) -> bool:
    try:
        return bool(before != now)
    except Exception:  # noqa: BLE001 - a handler of a signal is the candidate's, and so is its __ne__
        return True


_UNREADABLE = "cannot be read"


def _read_umask() -> int:
    mask = umask(0)
    umask(mask)
    return mask


def _read_folder() -> str:
    try:
        return getcwd()  # noqa: PTH109
    except OSError:
        return ""


def _find_look_for_children() -> Callable[[], object]:
    """Return a function that raises ChildProcessError if this process has no children."""
    if hasattr(os, "waitid"):
        return partial(os.waitid, os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    # macOS before Python 3.13: this takes the status of a child away from its parent
    return partial(os.waitpid, -1, getattr(os, "WNOHANG", 0))


_look_for_children = _find_look_for_children()


def _has_children() -> bool:
    try:
        _look_for_children()
    except ChildProcessError:
        return False
    return True


_SETTINGS: Mapping[str, Callable[[], Any]] = {
    "the working directory": _read_folder,
    "the environment": lambda: dict(os.environ),
    "the umask": _read_umask,
    "the switch interval": getswitchinterval,
    "the locale": lambda: setlocale(LC_ALL),
    "the handlers of signals": lambda: [getsignal(it) for it in _SIGNALS],
    "the number of its threads": lambda: len(_current_frames()) > THREADS,
    "the number of its children": _has_children,
}
"""How to read each setting of the process that a candidate must leave as it was."""
