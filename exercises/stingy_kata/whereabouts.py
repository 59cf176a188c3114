"""Find the methods of the learner's file that the important steps of a story called."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from stingy.language.account import Line
from stingy.reports.places import Place, find_places
from stingy_kata.script import Script


def places(story: Sequence[Line], attempt: Script, shown: str) -> Sequence[Place]:
    """Return up to two places in the learner's file, which is ``shown`` by this name."""
    return find_places(story, {name: f"{shown}:{line}" for name, line in _methods(attempt).items()})


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
