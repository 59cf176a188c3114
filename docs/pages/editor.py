"""The editor of the pages: packages of npm as they are, but that each finds the others beside it, so that nothing has to be bundled."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from pages import Unsaid
from provisions import are_there, of_the_editor

IMPORT = re.compile(r"""^((?:import|export)\b[^;"']*\bfrom\s*)(["'])([^"'\n]+)\2""", re.MULTILINE)
"""Also of what is imported on several lines; the part behind it is the name of another module."""


def is_provided(docs: Path) -> bool:
    return are_there(docs.parent, of_the_editor().values())


def files(docs: Path) -> Iterator[tuple[str, bytes]]:
    known = of_the_editor()
    paths = {name: docs.parent / "provisions" / name for name in known.values()}
    paths["editor.mjs"] = docs / "try" / "editor.mjs"
    for name, path in paths.items():
        yield name, _find_beside(name, path.read_text(encoding="utf-8"), known).encode()


def _find_beside(name: str, text: str, known: Mapping[str, str]) -> str:
    """A browser takes the address of a module, and not its name."""

    def find(statement: re.Match[str]) -> str:
        begins, _, module = statement.groups()
        if module not in known:
            raise Unsaid(f"{name} imports {module}, which is not in provisions.toml: add it there")
        return f'{begins}"./{known[module]}"'

    return IMPORT.sub(find, text)
