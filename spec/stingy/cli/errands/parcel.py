"""The files of a candidate, to be sent with an errand."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

MOST = 8 << 20
"""Most bytes of all files: they are sent with each errand."""
LEFT_OUT = "__pycache__"


class ParcelError(Exception):
    """The candidate's files cannot be sent to workers; the message says what to do instead."""


def pack(target: str, here: Path) -> Mapping[str, bytes]:
    """Return the contents of the files in ``here`` from which the target is imported, by path.

    Paths are relative to ``here``. Installed packages are left out. Raises ParcelError if the files
    are too large.
    """
    found: dict[Path, bytes] = {}
    open_, seen = [target.partition(":")[0].partition(".")[0]], set[str]()
    while open_:
        name = open_.pop()
        if name in seen:
            continue
        seen.add(name)
        files = list(_files(here, name))
        if sum(file.stat().st_size for file in (*found, *files)) > MOST:
            raise ParcelError(
                f"the code of {target} is too large to send to the workers: more than {MOST >> 20} MB with {here / name}. Install "
                "it on the workers, and run this again from another folder"
            )
        found |= {file: file.read_bytes() for file in files}
        open_ += [other for file in files if file.suffix == ".py" for other in _imported_by(found[file])]
    return {file.relative_to(here).as_posix(): content for file, content in sorted(found.items())}


def _files(here: Path, name: str) -> Iterator[Path]:
    """Yield the files of the module or package ``name`` in ``here``; none if it is not there."""
    module, package = here / f"{name}.py", here / name
    if module.is_file():
        yield module
    elif package.is_dir():
        yield from (it for it in package.rglob("*") if it.is_file() and LEFT_OUT not in it.parts)


def _imported_by(code: bytes) -> Iterator[str]:
    """Yield the top-level names that a file's source code imports; none if it is not valid Python."""
    with suppress(SyntaxError, ValueError):
        for node in ast.walk(ast.parse(code)):
            if isinstance(node, ast.Import):
                yield from (alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
                yield node.module.partition(".")[0]
