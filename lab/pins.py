"""Commits of the actions that the docs, the starters and ``action.yml`` use.

The workflows of this project hold each commit, and Dependabot renews it there. ``python -m lab
derive`` copies it to the other files.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]
STARTERS = ROOT / "spec" / "stingy" / "starters"
PIN = re.compile(r"uses: ([\w.-]+/[\w./-]+)@([0-9a-f]{40}  # v[\d.]+)")
USE = re.compile(r"uses: ([\w.-]+/[\w./-]+)@[\w.]+(?:  # [\w.]+)?")


def pins() -> Mapping[str, str]:
    """Return the commit of each action in the workflows, with its tag as a comment, by the action's name."""
    workflows = sorted(ROOT.glob(".github/workflows/*.yml"))
    return dict(pin for file in workflows for pin in PIN.findall(file.read_text(encoding="utf-8")))


def files() -> Mapping[Path, str]:
    """Return the text of each other file that uses one of these actions, by the file's path."""
    pinned = pins()

    def pin(use: re.Match[str]) -> str:
        return f"uses: {use[1]}@{pinned[use[1]]}" if use[1] in pinned else use[0]

    shown = (
        ROOT / "action.yml",
        *sorted(ROOT.glob("docs/**/*.md")),
        *(STARTERS / "README.md.jinja", STARTERS / "__init__.py"),
    )
    texts = {path: path.read_text(encoding="utf-8") for path in shown}
    return {path: USE.sub(pin, text) for path, text in texts.items() if USE.search(text)}
