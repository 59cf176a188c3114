"""What the modules of a candidate use of their own packages, whatever else of those has been imported, and by whom."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable
from functools import cache
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any


def with_what_they_use(names: Iterable[str], packages: Collection[str]) -> dict[str, ModuleType]:
    """These modules, and those of the packages whose things they use, near and far; by name."""
    used: dict[str, ModuleType] = {}
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        module = sys.modules.get(name)
        if name not in used and isinstance(module, ModuleType) and name.partition(".")[0] in packages:
            used[name] = module
            waiting.extend(_taken_by(module))
    return used


def _taken_by(module: ModuleType) -> set[str]:
    """The modules whose things this one uses, or that it imports when it is imported."""
    things = {
        thing.__name__ if isinstance(thing, ModuleType) else str(getattr(thing, "__module__", ""))
        for name, thing in list(vars(module).items())
        if not _is_put_there(name, thing, module)
    }
    code = code_of(module)
    return things if code is None else things.union(code.co_names)


def _is_put_there(name: str, thing: object, package: ModuleType) -> bool:
    """Whether Python has put a module into its package, for somebody else has imported it, and not the package."""
    if not isinstance(thing, ModuleType) or thing.__name__ != f"{package.__name__}.{name}":
        return False
    code = code_of(package)
    return code is not None and _names(code).isdisjoint((name, thing.__name__))


def changed(file: str) -> int:
    """Return when a file was last changed, in nanoseconds; 0 if there is none, as for what a loader of its own brings."""
    try:
        return Path(file).stat().st_mtime_ns
    except (OSError, ValueError):
        return 0


def code_of(module: ModuleType) -> CodeType | None:
    """Return what is executed to import the module; None if its loader does not tell."""
    return _code(module, changed(getattr(module, "__file__", None) or ""))


@cache
def _code(module: ModuleType, changed: int) -> CodeType | None:  # noqa: ARG001 - a changed file has other code
    loader: Any = getattr(module.__spec__, "loader", None)
    code: CodeType | None = loader.get_code(module.__name__) if hasattr(loader, "get_code") else None
    return code


def _names(code: CodeType) -> set[str]:
    """All that this code speaks of."""
    inner = (const for const in code.co_consts if isinstance(const, CodeType))
    return {*code.co_names, *code.co_varnames}.union(*map(_names, inner))
