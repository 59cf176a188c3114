"""A file of Python: a learner's as it lies there, or one of ours as it is built, which lies nowhere."""

from __future__ import annotations

import ast
from pathlib import Path

import msgspec


class Script(msgspec.Struct, frozen=True):
    path: str
    """Whole, for Python gives a module its whole path, and the engine looks for code by that."""
    data: bytes

    @property
    def name(self) -> str:
        """What it is called where there is no room for its path."""
        return Path(self.path).name

    @property
    def text(self) -> str:
        return self.data.decode(errors="replace")

    @property
    def about(self) -> str:
        """What it is, in a line: the first of its docstring."""
        return (ast.get_docstring(ast.parse(self.data)) or "").partition("\n")[0]


def read(file: Path) -> Script:
    return Script(str(file.resolve()), file.read_bytes())


def build(file: Path, text: str) -> Script:
    """As if it were this file."""
    return Script(str(file.resolve()), text.encode())
