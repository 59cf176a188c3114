"""The code editor of the pages: npm packages, used without a bundler.

Only their imports are changed: each module imports the others as files in the same folder.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from pages import Unsaid
from provisions import are_there, of_the_editor

IMPORT = re.compile(r"""^((?:import|export)\b[^;"']*\bfrom\s*)(["'])([^"'\n]+)\2""", re.MULTILINE)
"""An import or re-export of another module, also on several lines; group 3 is the module's name."""


def is_provided(docs: Path) -> bool:
    return are_there(docs.parent, of_the_editor().values())


def files(docs: Path) -> Iterator[tuple[str, bytes]]:
    known = of_the_editor()
    paths = {name: docs.parent / "provisions" / name for name in known.values()}
    paths["editor.mjs"] = docs / "try" / "editor.mjs"
    for name, path in paths.items():
        yield name, _find_beside(name, path.read_text(encoding="utf-8"), known).encode()


def _find_beside(name: str, text: str, known: Mapping[str, str]) -> str:
    """Return a JavaScript file's ``text`` with file paths in place of the names of imported modules.

    A browser cannot resolve such names. ``known`` has the file of each module. Raises Unsaid if one
    is missing there.
    """

    def find(statement: re.Match[str]) -> str:
        begins, _, module = statement.groups()
        if module not in known:
            raise Unsaid(f"{name} imports {module}, which is not in provisions.toml: add it there")
        return f'{begins}"./{known[module]}"'

    return IMPORT.sub(find, text)
