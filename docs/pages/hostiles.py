"""Table of hostile candidates: what each does to the run, stingy's report, and the exit status."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

from pages import Lines, Unsaid


def table(folder: Path) -> Lines:
    """Read, and not imported: some of them end the process that does."""
    paths = sorted(folder.glob("*.py"))
    if not paths:
        raise Unsaid(f"there are no hostile candidates in {folder}: say where they are")
    yield "| what it does | what you see | exit |\n|---|---|---|"
    for path in paths:
        module = ast.parse(path.read_text(encoding="utf-8"))
        said = _read_constants(module)
        finding, _, because = said["SAYS"].partition(": ")
        seen = f"`{finding}`" + (f": {escape(because)}" if because else "")
        yield f"| {ast.get_docstring(module)} | {seen} | {said['EXIT']} |"


def _read_constants(module: ast.Module) -> Mapping[str, Any]:
    return {
        target.id: ast.literal_eval(statement.value)
        for statement in module.body
        if isinstance(statement, ast.Assign) and isinstance(target := statement.targets[0], ast.Name)
        if target.id in ("SAYS", "EXIT")
    }
