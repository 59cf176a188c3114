"""Import candidates from the current folder, but never the suite's own dependencies.

A file in that folder may be named like a module of the standard library, or like a package that the
suite imports after the candidate.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import BuiltinImporter, FrozenImporter, ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType

PACKAGES = frozenset(
    (
        *("_pytest", "attr", "click", "hypothesis", "iniconfig", "jinja2", "markdown_it", "markupsafe"),
        *("mdurl", "msgspec", "packaging", "pluggy", "pygments", "pytest", "rich", "sortedcontainers"),
    )
)
"""Packages that the suite depends on, directly or indirectly."""


def is_reserved(name: str) -> bool:
    """Return True if no file in the current folder is imported as the top-level module ``name``.

    Reserved are the names of the standard library, of the suite, and of what the suite depends on.
    """
    return name in PACKAGES or name in sys.stdlib_module_names or name == "stingy"


def stand_here() -> None:
    """Make modules of the current folder importable, except those with names the suite needs."""
    here = str(Path.cwd())
    sys.meta_path.insert(0, _Installed([place for place in sys.path if place not in ("", here)]))
    sys.path.insert(0, here)


class _Installed:
    """An import finder that finds the modules the suite needs only where they are installed."""

    def __init__(self, places: Sequence[str]) -> None:
        self._places = places

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if path is not None or not is_reserved(name):
            return None
        for finder in (BuiltinImporter, FrozenImporter):
            if finder.find_spec(name) is not None:
                return None  # built-in and frozen modules have finders of their own
        spec = PathFinder.find_spec(name, self._places, target)
        if (
            spec is None and name in sys.stdlib_module_names
        ):  # a module that only other systems have: whoever imports it expects this error
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return spec
