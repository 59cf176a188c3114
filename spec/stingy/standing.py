"""Import from the folder where the user stands: candidates are found there, and what the suite itself needs is not.

A file there may have the name of a module of the standard library, or of a package that the suite needs and imports later than the
candidate.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import BuiltinImporter, FrozenImporter, ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

PACKAGES = frozenset(
    (
        *(
            "_pytest",
            "attr",
            "click",
            "execnet",
            "hypothesis",
            "iniconfig",
            "jinja2",
            "markdown_it",
            "markupsafe",
        ),
        *(
            "mdurl",
            "msgspec",
            "packaging",
            "pluggy",
            "pygments",
            "pytest",
            "rich",
            "sortedcontainers",
            "xdist",
        ),
    )
)
"""Packages that the suite takes from others, and those that they take."""


def stand_here() -> None:
    """Make modules of the current folder importable, except those whose names the suite needs."""
    here = str(Path.cwd())
    sys.meta_path.insert(0, _Installed([place for place in sys.path if place not in ("", here)]))
    sys.path.insert(0, here)


def pytest_configure(config: pytest.Config) -> None:
    """Stand here in a process that xdist has started, where pytest loads this module as a plugin."""
    if hasattr(config, "workerinput"):
        stand_here()


class _Installed:
    """A finder that finds what the suite needs where it is installed, and nothing else."""

    def __init__(self, places: Sequence[str]) -> None:
        self._places = places

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if path is not None or (name not in PACKAGES and name not in sys.stdlib_module_names):
            return None
        for finder in (BuiltinImporter, FrozenImporter):
            if finder.find_spec(name) is not None:
                return None  # that is looked at next
        spec = PathFinder.find_spec(name, self._places, target)
        if (
            spec is None and name in sys.stdlib_module_names
        ):  # as of a module of another system: whoever asks for that does without
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return spec
