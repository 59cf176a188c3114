"""Checks that Python runs the suite with its asserts, and from files instead of an archive."""

from __future__ import annotations

import os

HAS_ASSERTS = __debug__
"""False under ``python -O``, which leaves out asserts, and ``-OO``, which leaves out docstrings, too."""


class NotIntactError(Exception):
    """The suite cannot be used as Python has imported it; the message says what to do instead."""


def refuse_without_asserts() -> None:
    """Raise NotIntactError if Python leaves out asserts: a rule would be kept whatever happens."""
    if not HAS_ASSERTS:
        raise NotIntactError(
            "python -O and PYTHONOPTIMIZE leave out the asserts and docstrings that the rules consist of: "
            "run stingy without them"
        )


def refuse_archive(file: str) -> None:
    """Raise NotIntactError if this file of the suite is in an archive.

    The data files of the suite are not found there, and pytest does not explain its asserts.
    """
    if not os.path.exists(file):  # noqa: PTH110 - never raises
        raise NotIntactError("stingy cannot run from within an archive: unpack it, or install it with pip")
