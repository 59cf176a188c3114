"""The contract as a page: the text of ``stingy/contract/__init__.py``, class by class and method by method."""

from __future__ import annotations

import ast
import inspect

from pages import Lines
from stingy import contract

LAST = "Profile"
"""Class of the contract's module at which the page ends.

The rest of the module describes how the suite detects profiles.
"""


def page() -> Lines:
    module = ast.parse(inspect.getsource(contract))
    title, _, about = (ast.get_docstring(module) or "").partition("\n\n")
    yield "# The contract\n"
    yield f"{title} This page is its text, `stingy/contract/__init__.py`.\n\n{about}\n"
    for node in module.body:
        if isinstance(node, ast.ClassDef):
            if node.name == LAST:
                return
            yield from _class(node)


def _class(node: ast.ClassDef) -> Lines:
    yield f"## {node.name}\n\n{ast.get_docstring(node)}\n"
    bases = [it.id for it in node.bases if isinstance(it, ast.Name) and it.id != "Protocol"]
    if bases:
        yield f"It has all that [{bases[0]}](#{bases[0].lower()}) has, and:\n"
    for n, member in enumerate(node.body):
        match member:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield f"### `{_signature(member)}` {{ #{node.name.lower()}-{member.name.strip('_')} }}\n\n{ast.get_docstring(member)}\n"
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield f"- `{name}: {ast.unparse(member.annotation)}`{_read_below(node.body, n)}"
    yield ""


def _signature(method: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """Return the signature of a method as a caller sees it; for a property, without parentheses."""
    returns = f" -> {ast.unparse(method.returns)}" if method.returns else ""
    if any(isinstance(it, ast.Name) and it.id == "property" for it in method.decorator_list):
        return f"{method.name}{returns}"
    arguments = ast.unparse(method.args).removeprefix("self, /").removeprefix("self").removeprefix(", ")
    start = "async " if isinstance(method, ast.AsyncFunctionDef) else ""
    return f"{start}{method.name}({arguments.replace(', /', '')}){returns}"


def _read_below(body: list[ast.stmt], n: int) -> str:
    match body[n + 1 : n + 2]:
        case [ast.Expr(value=ast.Constant(value=str(text)))]:
            return f" – {' '.join(text.split())}"
    return ""
