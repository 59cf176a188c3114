"""Generate the pages of the site, as Markdown for any site builder.

Pages about rules are generated from the rule objects that ``stingy run`` uses. The stories in them
are recorded by running the rules while the pages are written. So the pages cannot contradict the
code.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

Lines = Iterator[str]


class Unsaid(Exception):  # noqa: N818 - it reads as what it says
    """A page lacks a text, or its text contradicts the code. The message says what to write."""


def everything(root: Path) -> Mapping[str, bytes]:
    """Return the content of each file of the site, by the file's path in the folder ``build/``."""
    from pages import llms, tree

    files = dict(tree.files(root))
    return files | {"docs/llms.txt": "\n".join((*llms.page(files), "")).encode()}
