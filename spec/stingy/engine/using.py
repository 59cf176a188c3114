"""Find the modules of a candidate's own packages that it uses, not all that are loaded."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable
from functools import cache
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any


def with_what_they_use(names: Iterable[str], packages: Collection[str]) -> dict[str, ModuleType]:
    """Return the modules ``names``, and all modules of ``packages`` that they use, by module name.

    Modules that are used indirectly are included. Modules outside ``packages`` are left out.
    """
    used: dict[str, ModuleType] = {}
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        module = sys.modules.get(name)
        if name not in used and isinstance(module, ModuleType) and name.partition(".")[0] in packages:
            used[name] = module
            waiting.extend(_used_by(module))
    return used


def _used_by(module: ModuleType) -> set[str]:
    """Return the names of modules whose objects a module holds, and all names in its own code."""
    things = {
        thing.__name__ if isinstance(thing, ModuleType) else str(getattr(thing, "__module__", ""))
        for name, thing in list(vars(module).items())
        if not _is_implicit_submodule(name, thing, module)
    }
    code = code_of(module)
    return things if code is None else things.union(code.co_names)


def _is_implicit_submodule(name: str, thing: object, package: ModuleType) -> bool:
    """Return True if Python put a submodule into its package only because other code imported it."""
    if not isinstance(thing, ModuleType) or thing.__name__ != f"{package.__name__}.{name}":
        return False
    code = code_of(package)
    return code is not None and _names(code).isdisjoint((name, thing.__name__))


def changed(file: str) -> int:
    """Return the time at which a file was last changed, in nanoseconds.

    0 if there is no such file, as for a module of a special loader.
    """
    try:
        return Path(file).stat().st_mtime_ns
    except (OSError, ValueError):
        return 0


def code_of(module: ModuleType) -> CodeType | None:
    """Return the code that runs when the module is imported; None if its loader has no code."""
    return _code(module, changed(getattr(module, "__file__", None) or ""))


@cache
def _code(module: ModuleType, changed: int) -> CodeType | None:  # noqa: ARG001 - a cache key
    loader: Any = getattr(module.__spec__, "loader", None)
    code: CodeType | None = loader.get_code(module.__name__) if hasattr(loader, "get_code") else None
    return code


def _names(code: CodeType) -> set[str]:
    """Return all names that occur in a code object and in code objects inside it."""
    inner = (const for const in code.co_consts if isinstance(const, CodeType))
    return {*code.co_names, *code.co_varnames}.union(*map(_names, inner))
