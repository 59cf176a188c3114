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
    """A page lacks something, or contradicts the code. The message says what to write."""


def everything(root: Path) -> Mapping[str, bytes]:
    """Return the contents of all files of ``build/``, by their paths there."""
    from pages import tree

    return dict(tree.files(root))
