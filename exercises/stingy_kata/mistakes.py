"""The format of ``mistakes.toml``: common mistakes as changes to a correct script.

Only the changes are written down, so that no code is repeated.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec


class Change(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A change to a script: a text to find, and its replacement."""

    find: str
    """Must occur exactly once in the script."""
    replace: str


class Variant(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A script of an exercise, described as another script with some changes."""

    name: str
    of: str
    """Name of the script that is changed, such as ``solution``."""
    says: str
    """Docstring of the variant: what is wrong with it, or how it works."""
    changes: tuple[Change, ...]


class Mistake(Variant, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A wrong attempt, as learners commonly write it."""

    of: str = "solution"
    says: str
    """Feedback to a learner whose attempt resembles this mistake."""
    breaks: tuple[str, ...]
    """Ids of the rules that it breaks."""
    because: str = ""
    """Regular expression that the reason of the first broken rule must match.

    It tells this mistake from others that break the same rules.
    """


class Mistakes(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Contents of an exercise's ``mistakes.toml``.

    Only exercises of the kind ``catch``, in which learners write rules, have ``right`` and
    ``wrong``.
    """

    mistakes: tuple[Mistake, ...]
    right: tuple[Variant, ...] = ()
    """Candidates that a learner's rules must accept, in addition to the files in ``right/``."""
    wrong: tuple[Variant, ...] = ()
    """Candidates that a learner's rules must catch."""


class Unfound(Exception):  # noqa: N818 - the fault is the author's
    """A change cannot be applied: its text does not occur exactly once, or overlaps another change."""


def apply_changes(text: str, changes: Sequence[Change]) -> str:
    """Return the text with all changes made.

    All changes refer to the original text, so their order does not matter. Raises Unfound if one
    cannot be applied.
    """
    for change in changes:
        if (times := text.count(change.find)) != 1:
            raise Unfound(
                f"it finds {change.find!r} {times} times, not once: "
                + (
                    "shorten it, or copy the current text"
                    if times == 0
                    else "make it longer, until it is unique"
                )
            )
    parts: list[str] = []
    done = 0
    for change in sorted(changes, key=lambda change: text.index(change.find)):
        if (begins := text.index(change.find)) < done:
            raise Unfound(
                f"{change.find!r} overlaps the text that the change before it finds: make one change of the two"
            )
        parts += text[done:begins], change.replace
        done = begins + len(change.find)
    return "".join([*parts, text[done:]])
