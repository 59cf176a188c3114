"""Executes a candidate's modules anew, so that they hold no state of earlier sessions."""

from __future__ import annotations

import marshal
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import CodeType, ModuleType
from typing import Any


def modules_of(packages: Collection[str]) -> dict[str, ModuleType]:
    """Return the imported modules of these packages, by name."""
    return {
        name: module
        for name, module in list(sys.modules.items())
        if name.partition(".")[0] in packages and isinstance(module, ModuleType)
    }


class Edition(MetaPathFinder):
    """An import finder that executes the modules of some packages anew at each import.

    It reuses the code objects of the first import, so that caches with code objects as keys stay
    valid.
    """

    def __init__(self, packages: Collection[str]) -> None:
        self._packages = packages
        specs = [(name, module.__spec__) for name, module in modules_of(packages).items()]
        self._known = {name: (spec, code) for name, spec in specs if spec and (code := _code(spec))}

    def size(self, names: Iterable[str]) -> int:
        """Return the size of the code of these modules, in bytes."""
        return sum(len(marshal.dumps(self._known[name][1])) for name in names if name in self._known)

    @contextmanager
    def in_force(self) -> Iterator[None]:
        """Until the block ends, make imports execute these modules anew; then restore the old modules."""
        before = modules_of(self._packages)
        _take_out(before)
        sys.meta_path.insert(0, self)
        try:
            yield
        finally:
            sys.meta_path.remove(self)
            _take_out(modules_of(self._packages))
            sys.modules.update(before)

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: Any = None) -> ModuleSpec | None:  # noqa: ARG002
        known = self._known.get(fullname)
        if known is None:
            return None
        was, code = known
        spec = ModuleSpec(
            fullname, _Again(was.loader, code), origin=was.origin, loader_state=was.loader_state
        )
        spec.submodule_search_locations = was.submodule_search_locations
        spec.has_location, spec.cached = was.has_location, was.cached
        return spec


class _Again(Loader):
    """An import loader that executes a module from known code, and else acts like the original."""

    def __init__(self, real: Any, code: CodeType) -> None:
        self._real = real
        self._code = code

    def exec_module(self, module: ModuleType) -> None:
        exec(self._code, vars(module))  # noqa: S102 - as an import does

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)


def _take_out(names: Collection[str]) -> None:
    for name in names:
        sys.modules.pop(name, None)


def _code(spec: ModuleSpec) -> CodeType | None:
    loader: Any = spec.loader
    try:
        code: CodeType | None = loader.get_code(spec.name)
    except (AttributeError, ImportError, SyntaxError, OSError):
        return None
    return code
