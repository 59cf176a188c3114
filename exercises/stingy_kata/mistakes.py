"""What ``mistakes.toml`` says: how people go wrong, as changes to what is right, so that nothing is written twice."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec


class Change(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    find: str
    """What stands exactly once in what is changed."""
    replace: str


class Variant(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Another script, but for some changes."""

    name: str
    of: str
    """Which one."""
    says: str
    """What is wrong with it."""
    changes: tuple[Change, ...]


class Mistake(Variant, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A whole attempt that goes wrong in a way in which people do."""

    of: str = "solution"
    says: str
    """The misconception, to whom it looks as if had it."""
    breaks: tuple[str, ...]
    because: str = ""
    """What the reason given for the first of them has to match as well, where others break the same: a regular expression."""


class Mistakes(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    mistakes: tuple[Mistake, ...]
    right: tuple[Variant, ...] = ()
    """What a learner's rule is not to accuse, besides the files in ``right/``; each may be of another exercise."""
    wrong: tuple[Variant, ...] = ()
    """What a learner's rule is to catch, where rules are written; what each says is its docstring."""


class Unfound(Exception):  # noqa: N818 - the fault is the author's
    """A change does not say where it is made; the message says why, and what to do."""


def apply_changes(text: str, changes: Sequence[Change]) -> str:
    """The text with each change made where it belongs; in which order they stand is all the same. Raises Unfound."""
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
