"""Find the methods of the learner's file that the important steps of a story called."""

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
    """A step of a story, and the method in the learner's file that the step called."""

    step: int
    """The number of the step in its story, from 1."""
    method: str
    line: int
    """Line of the method's ``def``, from 1."""


def places(story: Sequence[Line], attempt: Script) -> Sequence[Place]:
    """Return up to two places: of the step that may have caused the failure, and of the wrong step.

    The wrong step is the first one that is marked, or else the last call. The cause is the last
    earlier step about the same item. For a call that is about no item, such as a checkout or a
    sync, it is the last earlier call of another op. Steps whose method is not in the file are left
    out.
    """
    numbered = list(enumerate(story, 1))
    wrong = next(((n, line) for n, line in numbered if line.expected), None)
    # If no model says which step is wrong, the last call is the one that showed it.
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
    """Return the first quoted item of an outcome such as ``to return 'a'``; None if it has none."""
    _, quote, rest = text.partition("'")
    return rest.partition("'")[0] if quote else None


def _methods(attempt: Script) -> dict[str, int]:
    """Return the line of each method in the learner's file by name; empty if it has a syntax error.

    Of several methods with one name, it is the last one, which overrides the others.
    """
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
