"""Stripped code: ``python -O`` leaves out asserts, which rules consist of, and ``-OO`` their sentences."""

from __future__ import annotations

IS_STRIPPED = not __debug__
"""True if this Python leaves out asserts."""


class StrippedError(Exception):
    """The rules cannot be used; the message says what to do instead."""


def refuse_stripped() -> None:
    """Raise StrippedError if this Python leaves out asserts: a rule would be kept whatever happens."""
    if IS_STRIPPED:
        raise StrippedError(
            "python -O and PYTHONOPTIMIZE leave out the asserts and docstrings that the rules consist of: "
            "run stingy without them"
        )
