"""The notation for programs and steps in the rows of tables and in drawn examples.

There is one grammar for all of them:

| | |
|---|---|
| `add a, get, done a` | steps, one after the other |
| `add a, len \\| get` | lanes that run at once, each with its own steps: separated by a bar |
| `add a; 1 get; 2 get` | steps before a race: `1 get` on the first lane, `add a` on none of them |

A step has one of the *forms* that the reader of the text knows. Words in lower case stand for
themselves. Words in capitals are filled in: NUMBER by a whole number; SPAN by a number of minutes,
or by a number with its unit, such as `5 ms`, `30 s` or `3 min`; anything else by one word. Parts in
square brackets are optional. A step of any other form is refused.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

from stingy.contract import MILLISECOND, MINUTE, SECOND, Nanoseconds

Meant = TypeVar("Meant")

UNITS = {"ms": MILLISECOND, "s": SECOND, "min": MINUTE, "h": 60 * MINUTE}


def parse_steps(text: str) -> list[str]:
    return _part(text, ",")


def parse_lanes(text: str) -> list[list[str]]:
    """Split a program, such as ``add a, add b | get``, into the steps of each lane."""
    return [parse_steps(lane) for lane in text.split("|")]


def parse_steps_by_lane(text: str) -> list[tuple[int, str]]:
    """Return a program's steps in order, each with the number of its lane; 0 if it has none."""
    return [_on_a_lane(step) for step in _part(text, ";")]


class Forms(Generic[Meant]):
    """Patterns of steps, such as ``add ITEM after SPAN``, each with its meaning."""

    def __init__(self, forms: Mapping[str, Meant]) -> None:
        self._forms = {form: (_compile(form), meant) for form, meant in forms.items()}

    def read(self, step: str) -> tuple[Any, ...]:
        """Return the meaning of a step, followed by the values in it; None for a value left out.

        Raises ValueError with a message for rule authors if the step matches none of the patterns.
        """
        for form, (pattern, meant) in self._forms.items():
            if found := pattern.fullmatch(" ".join(step.split())):
                said = zip(_HOLE.findall(form), found.groups(), strict=True)
                return (meant, *(None if text is None else _READ.get(hole, str)(text) for hole, text in said))
        near = difflib.get_close_matches(step, self._forms, 1, 0)
        raise ValueError(f"{step!r} is nothing that can be said here; did you mean {near[0]!r}?")


def forms(*known: str) -> Forms[str]:
    """Return patterns of steps, each of which means its own words in lower case.

    For example, ``add ITEM after SPAN`` means ``add after``.
    """
    small = {form: _MAY_BE_LEFT_OUT.sub("", form).split() for form in known}
    return Forms({form: " ".join(filter(str.islower, words)) for form, words in small.items()})


def _part(text: str, mark: str) -> list[str]:
    return [step.strip() for step in text.split(mark)] if text.strip() else []


def _on_a_lane(step: str) -> tuple[int, str]:
    lane, _, did = step.partition(" ")
    return (int(lane), did) if lane.isdigit() else (0, step)


def _span(text: str) -> Nanoseconds:
    number, _, unit = text.partition(" ")
    return int(number) * UNITS[unit or "min"]


_READ: Mapping[str, Callable[[str], Any]] = {"NUMBER": int, "SPAN": _span}
_WRITTEN = {"NUMBER": r"-?\d+", "SPAN": rf"-?\d+(?: (?:{'|'.join(UNITS)}))?"}
_WORD = r"\S+"
_HOLE = re.compile(r"[A-Z]+")
_MAY_BE_LEFT_OUT = re.compile(r"( ?)\[(.+?)\]")


def _compile(form: str) -> re.Pattern[str]:
    pattern = _MAY_BE_LEFT_OUT.sub(r"(?:\1\2)?", form)
    return re.compile(_HOLE.sub(lambda hole: f"({_WRITTEN.get(hole[0], _WORD)})", pattern))
