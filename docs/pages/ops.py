"""Table of the calls to a candidate, for the page on the driver protocol."""

from __future__ import annotations

from pages import Lines
from stingy.contract.ops import OPS


def table() -> Lines:
    yield "| op | further keys | `val` | profile |\n|---|---|---|---|"
    for op in OPS.values():
        keys = ", ".join(f"`{argument.key}`{argument.remark}" for argument in op.arguments)
        yield f"| `{op.name}` | {f'{keys} ' if keys else ''}| {op.answer} | {', '.join(op.profiles)} |"
