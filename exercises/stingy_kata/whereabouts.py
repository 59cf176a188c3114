"""Where in the learner's file a step of a story ran: the method that was called, and its line."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from stingy.language.account import Line
from stingy.language.model import KNOWN
from stingy.transport.target import method
from stingy_kata.script import Script


@dataclass(frozen=True)
class Place:
    step: int
    """The number of the step in its story, from 1."""
    method: str
    line: int


def places(story: Sequence[Line], attempt: Script) -> Sequence[Place]:
    """The first wrong step of a story that goes wrong, and before it the last one about the same item: the fault is often there.

    Where a step is about no item, as a checkout or a sync is, it is the last call of another kind.
    """
    numbered = list(enumerate(story, 1))
    wrong = next(((n, line) for n, line in numbered if line.expected), None)
    # Where no model says which step is wrong, it is the last call that shows it.
    wrong = wrong or next(((n, line) for n, line in reversed(numbered) if line.op), None)
    if wrong is None:
        return ()
    steps = [*_before(numbered[: wrong[0] - 1], wrong[1]), wrong]
    lines = _methods(attempt)
    named = [(n, method(line.op)) for n, line in steps if line.op]
    return [Place(n, name, lines[name]) for n, name in named if name in lines]


def _before(earlier: Sequence[tuple[int, Line]], wrong: Line) -> Iterator[tuple[int, Line]]:
    about = wrong.item or _item(wrong.outcome) or _item(wrong.expected)
    for n, line in reversed(earlier):
        if wrong.item is None and wrong.op and wrong.op not in KNOWN:
            near = line.op not in ("", wrong.op)
        else:
            near = about is not None and about in (line.item, _item(line.outcome))
        if near:
            yield n, line
            return


def _item(text: str) -> str | None:
    """The item that an outcome names, or an expectation: ``'a'``, ``to return 'a'``."""
    _, quote, rest = text.partition("'")
    return rest.partition("'")[0] if quote else None


def _methods(attempt: Script) -> dict[str, int]:
    """The line of each method; of several by one name, of the last: it is the one that overrides."""
    try:
        tree = ast.parse(attempt.data)
    except (SyntaxError, ValueError):
        return {}
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    return {
        node.name: node.lineno
        for kind in classes
        for node in kind.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
