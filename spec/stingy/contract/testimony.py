"""Texts from a candidate: bounded in length, and safe to show.

Texts of exceptions, ``repr``, a driver's remarks, names and versions are all under the candidate's
control. They enter the suite here. Characters that a terminal or the log of a CI job would obey are
escaped, as in ``\\x1b``. A long text is cut, with a note of its length. A safe text that is made
safe again stays the same. Reports still have to escape texts by the rules of their format.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NewType

from stingy.contract.kinds import is_a

Testimony = NewType("Testimony", str)
"""A text that is safe to show: no terminal or log takes a part of it for a command."""

NAME = 80
"""Limit of characters of a name or version."""
VALUE = 400
"""Limit of characters of a value within a sentence."""
LINE = 2_000
TEXT = 12_000
"""Limit of characters of a whole text."""

_COMMAND = re.compile(r"^( *)::|##(?=[\w.-]*\[)")
"""Commands that CI runners (GitHub, Azure, TeamCity) look for in a log.

Examples: ``::add-mask::x``, ``##[group]``, ``##vso[x]``.
"""


def in_a_line(text: str, most: int = LINE) -> Testimony:
    """Return a candidate's text on one line, safe to print.

    If it has more than ``most`` characters, its middle is left out.
    """
    text = str.__str__(text)  # a subclass of str could override anything
    return _in_a_short_line(text, most) if len(text) <= NAME else _bound(text, most, _line)


@lru_cache(maxsize=4096)
def _in_a_short_line(text: str, most: int) -> Testimony:
    """Return the text on one line, from a cache: the same few words recur in every run of a race."""
    return _bound(text, most, _line)


def in_lines(text: str, most: int = TEXT) -> Testimony:
    """Return a candidate's text with its line breaks, safe to print.

    If it has more than ``most`` characters, its middle is left out.
    """
    return _bound(str.__str__(text), most, _lines)


def show(value: object, most: int = VALUE) -> Testimony:
    """Return ``repr(value)``, safe to print; for a long string, its beginning and its length.

    If ``repr`` raises, return a description of that.
    """
    if is_a(value, str) and len(value) > most:
        return in_a_line(f"{value[: most // 2]!r} {_length(value)}", most)
    try:
        return in_a_line(repr(value), most)
    except Exception as error:  # noqa: BLE001 - a candidate may raise anything
        kind = type(value).__name__
        if is_a(value, int) and is_a(error, ValueError):
            return in_a_line(f"a {kind} with more digits than can be read", most)
        return in_a_line(f"a {kind} whose repr raises {type(error).__name__}", most)


def cut_short(text: str, most: int = LINE) -> str:
    """Return the text; if it has more than ``most`` characters, its beginning and its length.

    The result is not made safe to print.
    """
    return text if len(text) <= most else f"{text[: VALUE // 2]}… {_length(text)}"


def describe(error: BaseException) -> Testimony:
    """Return an exception as text, even if its ``str`` raises."""
    kind = type(error).__name__
    try:
        said = str(error)
    except Exception as another:  # noqa: BLE001 - a candidate may raise anything
        said = f"its text cannot be had, for that raises {type(another).__name__}"
    return in_a_line(f"{kind}: {said}" if said else kind)


def throughout(document: Any) -> Any:
    """Return the document (lists, mappings, texts) with each text made safe to print, and none cut."""
    match document:
        case str():
            return _lines(str.__str__(document))
        case dict():
            return {throughout(key): throughout(value) for key, value in document.items()}
        case list() | tuple():
            return [throughout(each) for each in document]
    return document


def disarm(line: str) -> str:
    """Return the line with commands to a CI service, such as ``::error``, escaped."""
    return _COMMAND.sub(_write_out, line) if "::" in line or "##" in line else line


def _write_out(command: re.Match[str]) -> str:
    blanks = command[1]
    return "#\\x23" if blanks is None else f"{blanks}\\x3a:"


def _bound(text: str, most: int, safe: Callable[[str], str]) -> Testimony:
    if len(text) <= most:
        whole = safe(text)
        if len(whole) <= most:
            return Testimony(whole)
    note = f" … {_length(text)} … "
    room = (most - len(note)) // 2
    return Testimony(safe(text[:room])[:room] + note + safe(text[-room:])[-room:])


def _length(text: str) -> str:
    return f"({len(text):,} characters)"


def _line(text: str) -> str:
    if not text.isprintable():
        text = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)
    return disarm(text)


def _lines(text: str) -> str:
    if text.isprintable():
        return disarm(text)
    return "\n".join(map(_line, text.replace("\r\n", "\n").expandtabs(4).split("\n")))
