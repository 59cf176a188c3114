"""Words for the sentences of an examination."""

from __future__ import annotations

from collections.abc import Iterable


def enumerate_words(words: Iterable[str]) -> str:
    """Join words, as in ``a, b and c``; ``nothing`` if there are none."""
    *others, last = list(words) or ["nothing"]
    return f"{', '.join(others)} and {last}" if others else last
