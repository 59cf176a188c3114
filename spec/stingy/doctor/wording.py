"""How what has been found is put into words."""

from __future__ import annotations

from collections.abc import Iterable


def enumerate_words(words: Iterable[str]) -> str:
    """``a, b and c``."""
    *others, last = list(words) or ["nothing"]
    return f"{', '.join(others)} and {last}" if others else last
