"""The pages of the site, as Markdown that any builder of sites understands.

Nothing is said twice: what a page says of a rule is read off the very objects that the command runs, and
what it says that happens is run while the page is written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

Lines = Iterator[str]


class Unsaid(Exception):  # noqa: N818 - it reads as what it says
    """A page lacks something, or says what is not so; the message says what to write."""


def everything(root: Path) -> Mapping[str, bytes]:
    """Each file of ``build/``, by its path there."""
    from pages import tree

    return dict(tree.files(root))
