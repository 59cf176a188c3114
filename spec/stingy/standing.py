"""Where the user stands: who is judged may be imported from there, and what the suite itself is made of is not.

Some of that is imported only when it is first needed, which is after a candidate has been.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType

NEEDED = ("execnet", "hypothesis", "jinja2", "markupsafe", "msgspec", "pygments", "pytest", "rich", "xdist")
"""What the suite takes from others."""


def stand_here() -> None:
    """Let the candidate be imported from where the user stands."""
    here = str(Path.cwd())
    sys.meta_path.insert(0, _Installed([place for place in sys.path if place not in ("", here)]))
    sys.path.insert(0, here)


class _Installed:
    """Finds what the suite needs where it is installed, whatever else is called so."""

    def __init__(self, places: Sequence[str]) -> None:
        self._places = places

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return PathFinder.find_spec(name, self._places, target) if path is None and name in NEEDED else None
