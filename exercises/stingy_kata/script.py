"""A Python script: a learner's file, or one of ours, which is often built in memory only."""

from __future__ import annotations

import ast
from pathlib import Path

import msgspec

from stingy.process.reading import read_whole


class Script(msgspec.Struct, frozen=True):
    """A Python file: its bytes and its path."""

    path: str
    """Absolute path, because Python stores it in the code, and the engine finds code by it."""
    data: bytes

    @property
    def name(self) -> str:
        """Name of the script's file, for messages that have no room for the path."""
        return Path(self.path).name

    @property
    def text(self) -> str:
        return self.data.decode(errors="replace")

    @property
    def about(self) -> str:
        """First line of the script's docstring; empty if it has none."""
        return (ast.get_docstring(ast.parse(self.data)) or "").partition("\n")[0]


def read(file: Path) -> Script:
    return Script(str(file.resolve()), read_whole(file))


def build(file: Path, text: str) -> Script:
    """Return a script with this text, as if it were read from this file."""
    return Script(str(file.resolve()), text.encode())
