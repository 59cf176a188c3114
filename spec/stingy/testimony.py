"""What a candidate says, on its way in: of a bounded length, and safe to show.

The text of an exception, a value as ``repr`` spells it, a remark of a driver, a name, a version: whoever wrote the candidate
chose every character of it. Here is where such a text enters. What a terminal or the log of a CI job would obey is written out,
as in ``\\x1b``; what is too long to read is cut, and says how long it was. Said twice, it stays the same. That a text has been
here spares no report from escaping it by its own rules.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NewType

Testimony = NewType("Testimony", str)
"""A text in which nothing is obeyed by whatever shows it as it stands."""

NAME = 80
"""Characters of a name, or of a version."""
VALUE = 400
"""Of a value, which stands within a sentence."""
LINE = 2_000
TEXT = 12_000
"""Of all that is said at once."""

_COMMAND = re.compile(r"^( *)::|##(?=[\w.-]*\[)")
"""Where the runners of GitHub, Azure and TeamCity look for commands in a log: ``::add-mask::x``, ``##[group]``, ``##vso[x]``."""


def in_a_line(text: str, most: int = LINE) -> Testimony:
    """All of it on one line."""
    text = str.__str__(text)  # one of a class derived from it can be anything
    return _in_a_short_line(text, most) if len(text) <= NAME else _bound(text, most, _line)


@lru_cache(maxsize=4096)
def _in_a_short_line(text: str, most: int) -> Testimony:
    """The same few words are told in every run of a race."""
    return _bound(text, most, _line)


def in_lines(text: str, most: int = TEXT) -> Testimony:
    """The same, but its lines stay lines."""
    return _bound(str.__str__(text), most, _lines)


def show(value: object, most: int = VALUE) -> Testimony:
    """A value as ``repr`` spells it; of a long text the beginning, and how long it is. Whatever ``repr`` raises is said instead."""
    if isinstance(value, str) and len(value) > most:
        return in_a_line(f"{value[: most // 2]!r} {_length(value)}", most)
    try:
        return in_a_line(repr(value), most)
    except Exception as error:  # noqa: BLE001 - whatever a candidate raises
        kind = type(value).__name__
        if isinstance(value, int) and isinstance(error, ValueError):
            return in_a_line(f"a {kind} with more digits than can be read", most)
        return in_a_line(f"a {kind} whose repr raises {type(error).__name__}", most)


def cut_short(text: str, most: int = LINE) -> str:
    """What a candidate answered with, to be compared: itself, or of a long text the beginning, and how long it is."""
    return text if len(text) <= most else f"{text[: VALUE // 2]}… {_length(text)}"


def describe(error: BaseException) -> Testimony:
    """What was raised; a candidate can raise what cannot even say what it is."""
    kind = type(error).__name__
    try:
        said = str(error)
    except Exception as another:  # noqa: BLE001 - whatever a candidate raises
        said = f"its text cannot be had, for that raises {type(another).__name__}"
    return in_a_line(f"{kind}: {said}" if said else kind)


def throughout(document: Any) -> Any:
    """Lists and mappings of texts, and of whatever else, with every text in them safe, and none of them cut."""
    match document:
        case str():
            return _lines(str.__str__(document))
        case dict():
            return {throughout(key): throughout(value) for key, value in document.items()}
        case list() | tuple():
            return [throughout(each) for each in document]
    return document


def disarm(line: str) -> str:
    """The same line, in which no runner of CI jobs sees a command."""
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
