"""Table of hostile candidates: what each does to the run, stingy's report, and the exit status."""

from __future__ import annotations

import tomllib
from html import escape
from pathlib import Path

from pages import Lines


def table(file: Path) -> Lines:
    """Yield a Markdown table with a row for each hostile candidate of a TOML file."""
    yield "| what it does | what you see | exit |\n|---|---|---|"
    for told in tomllib.loads(file.read_text(encoding="utf-8")).values():
        finding, _, because = told["says"].partition(": ")
        seen = f"`{finding}`" + (f": {escape(because)}" if because else "")
        yield f"| {told['does']} | {seen} | {told['exit']} |"
