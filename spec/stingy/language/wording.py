"""Spelling of calls, in stories and in the programs of races; both come from the table of ops."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from stingy.contract.forms import Ns
from stingy.contract.ops import OPS, Argument, Op, Part, of
from stingy.language.notation import Forms
from stingy.language.session import Operation
from stingy.language.values import format_span


def spell(op: str, *args: Any) -> str:
    """Return a call as upstream writes it: ``AddAfter('a', 1 min)``."""
    items = map(repr, args[:1]) if OPS[op].takes_item else ()
    return f"{OPS[op].upstream}({', '.join(filter(None, [*items, besides(op, *args)]))})"


def besides(op: str, *args: Any) -> str:
    """Return a call's arguments other than the item, as text, without options that are not set."""
    row = OPS[op]
    others = zip(row.others, args[1:] if row.takes_item else args, strict=False)
    return ", ".join(_said(argument, value) for argument, value in others if value or not argument.option)


def _said(argument: Argument, value: Any) -> str:
    if argument.form is bool:
        return argument.label
    return argument.label + (format_span(value) if argument.form is Ns else str(value))


@cache
def operation(step: str, *parts: Part) -> Operation:
    """Return the operation that a step such as ``add a after 1 min`` stands for.

    ``parts``: the parts of a queue whose ops are known. A step without an item means the item that
    the lane holds. Raises ValueError with a message for rule authors if the step has no known form.
    """
    op, *said = _calls(parts).read(step)
    if op.takes_item and not said:
        return (op.name,)
    items, rest = said[: op.takes_item], said[op.takes_item :]
    given = dict(zip([it.key for it in op.others if it.word], rest, strict=True))
    others = [(it, given.get(it.key)) for it in op.others]
    return (op.name, *items, *(it.unset if value is None else value for it, value in others))


@cache
def _calls(parts: tuple[Part, ...]) -> Forms[Op]:
    return Forms({form: op for op in of(*parts) for form in _forms(op)})


def _forms(op: Op) -> Iterator[str]:
    """Yield the patterns of steps that call this op; none if it needs an argument without a word."""
    if any(not (it.word or it.option) for it in op.others):
        return
    said = [("[{}]" if it.option else "{}").format(_written(it)) for it in op.others if it.word]
    yield " ".join([op.spoken, *(["ITEM"] if op.takes_item else []), *said])
    if op.takes_item and all(it.option for it in op.others):
        yield op.spoken


def _written(argument: Argument) -> str:
    return f"{argument.word} {'SPAN' if argument.form is Ns else 'NUMBER'}"
