"""How a call is told in a story, and written in a program of a race; both are read off the table of ops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stingy.contract import MILLISECOND, MINUTE, SECOND
from stingy.forms import Ns
from stingy.language.session import Operation
from stingy.language.values import spoken
from stingy.ops import OPS, Argument, Op, Part, of

UNITS = {"ms": MILLISECOND, "s": SECOND, "min": MINUTE}
"""Of a span in a program; one that is written without is in minutes."""


def spelled(op: str, *args: Any) -> str:
    """``AddAfter('a', 1 min)``, as upstream would write it."""
    items = map(repr, args[:1]) if OPS[op].takes_item else ()
    return f"{OPS[op].upstream}({', '.join(filter(None, [*items, besides(op, *args)]))})"


def besides(op: str, *args: Any) -> str:
    """What a call says besides the item; nothing of an option that is not set."""
    row = OPS[op]
    others = zip(row.others, args[1:] if row.takes_item else args, strict=False)
    return ", ".join(_said(argument, value) for argument, value in others if value or not argument.option)


def _said(argument: Argument, value: Any) -> str:
    if argument.form is bool:
        return argument.label
    return argument.label + (spoken(value) if argument.form is Ns else str(value))


def operation(written: str, *parts: Part) -> Operation:
    """``add a after 1 min`` as an operation, of those that these parts of a queue have."""
    verb, *rest = written.split()
    for op in of(*parts):
        if op.spoken == verb and (args := _arguments(op, rest)) is not None:
            return (op.name, *args)
    raise ValueError(f"no call of {' or '.join(parts)} is written {written.strip()!r} in a race")


def _arguments(op: Op, words: Sequence[str]) -> Sequence[Any] | None:
    """What the words say; None if this op is not meant. Without an item, the one that the lane has in hand is."""
    item, rest = words[: op.takes_item], list(words[op.takes_item :])
    said = {argument.word: argument for argument in op.others if argument.word}
    values: dict[str, Any] = {}
    while rest and rest[0] in said:
        argument = said[rest.pop(0)]
        values[argument.key] = _number(argument, rest)
    if rest or any(argument.key not in values for argument in op.others if not argument.option):
        return None
    if op.takes_item and not item:
        return ()
    return [*item, *(values.get(argument.key, argument.unset) for argument in op.others)]


def _number(argument: Argument, words: list[str]) -> int:
    """The number that comes next, and the unit of a span."""
    number = int(words.pop(0))
    if argument.form is not Ns:
        return number
    return number * (UNITS[words.pop(0)] if words and words[0] in UNITS else MINUTE)
