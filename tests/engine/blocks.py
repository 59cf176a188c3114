"""Blocks of code on the pages that are written by hand, and what a reader types there."""

import re
import textwrap
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = {
    path.relative_to(ROOT).as_posix(): path
    for path in (*sorted(ROOT.glob("docs/*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md")
}
BLOCK = re.compile(r"^( *)```(.*)\n((?:.*\n)*?)\1```$", re.MULTILINE)

SHELL = ("console", "sh")
"""Languages of the blocks that a reader types."""

ELSEWHERE = {
    "python3 -m venv": "the gate sets itself up so",
    "python -m venv": "the gate sets itself up so",
    ". ": "the gate sets itself up so",
    ".venv/bin/python": "the gate is run so",
    "bash .ci/run": "that is the gate",
    "python docs/provisions.py": "the gate does",
    "pip install": "asks a registry",
    "pip wheel": "asks a registry",
    "pip download": "asks a registry",
    "stingy-kata": "tests/test_kata.py does",
    "stingy watch": "lab/tests/test_watch.py does, and it never ends",
    "stingy run attach:": "lab/tests/transport/test_driver.py has a driver that listens",
    "dask ": "lab/tests/test_cluster.py does",
    "stingy run mypkg.queue:WorkQueue --cluster": "lab/tests/test_cluster.py does",
    "go run stingy.invalid/driver/control": "lab/tests/test_starters.py does",
    "java -cp classes stingy.Control": "lab/tests/test_starters.py does",
    "git": "is about a checkout of one's own",
    "python docs/generate.py": "lab/tests/site does",
    "mkdocs": "lab/tests/site does, and serve never ends",
    "python -m pytest": "these very tests",
    "python -m lab": "the lab itself",
    "pytest --pyargs stingy": "tests/test_plugin.py does",
}
"""Beginnings of lines that a reader types and lab/tests/test_blocks.py does not, and why."""


def blocks(page, *languages):
    """Yield the language and the text of each block of a page, in these languages or in any."""
    for indent, language, text in BLOCK.findall(PAGES[page].read_text(encoding="utf-8")):
        if not languages or language in languages:
            yield language, textwrap.dedent(text) if indent else text


def typed(page):
    """Yield the lines that a reader types."""
    for language, text in blocks(page, *SHELL):
        for line in text.replace("\\\n", "").splitlines():
            if language == "sh" or line.startswith("$ "):
                yield line.removeprefix("$ ").partition("  #")[0].strip()


def is_elsewhere(line):
    """Return True if something else than lab/tests/test_blocks.py types the line."""
    return any(line.startswith(known) for known in ELSEWHERE)


COMMANDS = sorted(
    {line for page in PAGES for line in typed(page) if line.startswith("stingy ") and not is_elsewhere(line)}
)
"""Lines that lab/tests/test_blocks.py types."""
