"""Table of the annotations that a rule may use, and the notation of steps, from the source code."""

from __future__ import annotations

import ast
import inspect
from itertools import pairwise
from typing import Annotated, Any

from pages import Lines
from stingy.language import Limiters, With, notation, words


def table() -> Lines:
    yield "| annotation | what the rule is handed | profile |\n|---|---|---|"
    for name, says in _documented():
        yield f"| `{name}` | {says} | {_profile(words.WORDS[name])} |"


def grammar() -> Lines:
    yield inspect.getdoc(notation) or ""


def _profile(word: Any) -> str:
    """Return the name of the profile that an annotation of a rule's parameter asks for.

    ``Limiters`` stands for several profiles; return the name of one of them.
    """
    return words.read(Annotated[word, With("bucket")] if word is Limiters else word).profile.name


def _documented() -> list[tuple[str, str]]:
    """Return the name of each annotation for a rule's parameters, with the docstring below it."""
    body = ast.parse(inspect.getsource(words)).body
    found = []
    for statement, below in pairwise(body):
        match statement, below:
            case ast.Assign(targets=[ast.Name(id=name)]), ast.Expr(value=ast.Constant(value=str(says))):
                if name in words.WORDS:
                    found.append((name, " ".join(says.split())))
    return found
