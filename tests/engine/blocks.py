"""Blocks of code on the hand-written pages, and the commands that a reader types there."""

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

ELSEWHERE = ("stingy watch", "stingy run attach:", "stingy run mypkg.queue:WorkQueue --cluster")
"""Beginnings of commands that lab/tests/test_blocks.py does not run; other tests in lab/tests do."""


def blocks(page, *languages):
    """Yield language and text of each code block of a page; of these languages only, if any are given."""
    for indent, language, text in BLOCK.findall(PAGES[page].read_text(encoding="utf-8")):
        if not languages or language in languages:
            yield language, textwrap.dedent(text) if indent else text


def typed(page):
    """Yield the shell commands that a page tells its reader to type."""
    for language, text in blocks(page, *SHELL):
        for line in text.replace("\\\n", "").splitlines():
            if language == "sh" or line.startswith("$ "):
                yield line.removeprefix("$ ").partition("  #")[0].strip()


COMMANDS = sorted(
    {it for page in PAGES for it in typed(page) if it.startswith("stingy ") and not it.startswith(ELSEWHERE)}
)
"""Lines that lab/tests/test_blocks.py types."""
