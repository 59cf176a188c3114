"""Whether a process is fit for another rule: what a candidate may change, and what it may not."""

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
from types import FunctionType, ModuleType
from typing import Any

THREADS = 64
"""More than that are no spare ones."""

_SHARED = (os, queue, random, signal, sys, threading, time)
"""Modules that everybody uses."""


class Fitness:
    """Compares the process with what it was before a candidate came."""

    def __init__(self) -> None:
        self._judges = [Contents(module) for module in _judges()]
        self._shared = [Contents(module) for module in _SHARED]
        self._settings = _settings()

    def is_imported(self) -> None:
        """What is changed from now on is changed by a call."""
        for module in self._shared:
            module.put_back()
        self._settings = _settings()

    def find_taken(self) -> str:
        """What stands in the place of a thing that judges, if anything does."""
        return next(
            filter(None, (module.find_replaced() or module.find_hidden() for module in self._judges)), ""
        )

    def find_changed(self) -> str:
        """What a rule has left behind that the next one would meet."""
        now = _settings()
        if replaced := next(filter(None, (module.find_replaced() for module in self._shared)), ""):
            return replaced
        other = next((name for name, before in self._settings.items() if now[name] != before), "")
        return f"changed {other}" if other else ""


class Contents:
    """What can be called in a module, and in the classes that are its own."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module
        self._names = vars(module)
        self._known = frozenset(self._names)
        self._things = list(self._list_things())

    def find_replaced(self) -> str:
        """Which of it no longer means the same."""
        if sys.modules.get(self._module.__name__) is not self._module:
            return _in_place_of(self._module.__name__)
        for owner, names, name, thing, code in self._things:
            if names.get(name) is not thing or getattr(thing, "__code__", None) is not code:
                return _in_place_of(f"{_name(owner)}.{name}")
        return ""

    def put_back(self) -> None:
        """All that no longer means the same."""
        for owner, names, name, thing, _ in self._things:
            if names.get(name) is not thing:
                setattr(owner, name, thing)

    def find_hidden(self) -> str:
        """What has been added to it, and hides what Python offers by that name."""
        if len(self._names) == len(self._known) or self._module is builtins:
            return ""
        added = next((name for name in self._names.keys() - self._known if hasattr(builtins, name)), "")
        return _in_place_of(added) if added else ""

    def _list_things(self) -> Iterator[_Thing]:
        for name, thing in self._names.items():
            if not callable(thing) or name.endswith("hook"):
                continue
            yield self._module, self._names, name, thing, getattr(thing, "__code__", None)
            if isinstance(thing, type) and thing.__module__ == self._module.__name__:
                inside = vars(thing)
                for inner, part in inside.items():
                    if isinstance(part, FunctionType | property | classmethod | staticmethod):
                        yield thing, inside, inner, part, getattr(part, "__code__", None)


_Thing = tuple[Any, Mapping[str, Any], str, Any, Any]
"""Whose it is, what is there by name, its name, itself, and its code where it is written in Python."""


def _name(owner: Any) -> str:
    return f"{owner.__module__}.{owner.__qualname__}" if isinstance(owner, type) else str(owner.__name__)


def _in_place_of(name: str) -> str:
    return f"put something of its own in the place of {name}"


def _judges() -> Iterable[ModuleType]:
    """What the judge is made of: its own code, and what Python offers to it."""
    return (builtins, *(it for name, it in sys.modules.items() if name.partition(".")[0] == "stingy"))


def _settings() -> Mapping[str, Any]:
    mask = os.umask(0)
    os.umask(mask)
    return {
        "the working directory": _folder(),
        "the environment": dict(os.environ),
        "the umask": mask,
        "the switch interval": sys.getswitchinterval(),
        "the locale": locale.setlocale(locale.LC_ALL),
        "the handlers of signals": [signal.getsignal(it) for it in signal.valid_signals()],
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
        else:  # one that has ended is taken from who started it, on macOS before Python 3.13
            os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return False
    return True
