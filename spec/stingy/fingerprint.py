"""A fingerprint of code: it changes when a definition, or anything that it uses, comes to mean something else.

What is used is read off the source: every name in a definition stands for the definition of that name, in its module or
where it is imported from, and so on. Comments, docstrings and layout mean nothing,
nor does what a rule says besides what it checks.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

DIGITS = 12
"""Of a fingerprint, in hexadecimal."""

Place = tuple[str, str]
"""A module, and a name that is defined in it; no name stands for the whole of it."""
WHOLE = ""


def fingerprint(places: Iterable[Place], apart: Collection[str] = ()) -> str:
    """Of these definitions and what they use, but for what stands in the modules ``apart``."""
    seen: dict[Place, str] = {}
    ahead = list(places)
    while ahead:
        place = ahead.pop()
        if place in seen or place[0] in apart:
            continue
        seen[place] = _text(place)
        ahead.extend(_uses(place))
    return _digest(f"{module} {name} {text}" for (module, name), text in sorted(seen.items()))


def modules_used(module: str, but: Collection[str] = ()) -> frozenset[str]:
    """The modules of its package that one imports, near and far, itself among them; not those of the packages ``but``."""
    found: set[str] = set()
    ahead = [module]
    while ahead:
        name = ahead.pop()
        if name not in found and not any(name == it or name.startswith(f"{it}.") for it in but):
            found.add(name)
            ahead.extend(_source(name).imports)
    return frozenset(found)


def fingerprint_of_modules(modules: Iterable[str]) -> str:
    """Of all that stands in these modules, and nothing else."""
    return _digest(f"{module} {_text((module, WHOLE))}" for module in sorted(modules))


def _digest(texts: Iterable[str]) -> str:
    return sha256("\n".join(texts).encode()).hexdigest()[:DIGITS]


@dataclass(frozen=True)
class _Source:
    definitions: dict[str, list[ast.stmt]] = field(default_factory=dict)
    """What is at the top of the module, by the name it defines."""
    imported: dict[str, Place] = field(default_factory=dict)
    imports: set[str] = field(default_factory=set)
    """Modules of the same package, wherever in this one they are imported."""
    everything: tuple[ast.stmt, ...] = ()


@cache
def _source(module: str) -> _Source:
    path = _file(module)
    if path is None:
        raise LookupError(f"there is no source of {module} to take a fingerprint of")
    tree = _Bare().visit(ast.parse(path.read_bytes()))
    source = _Source(everything=tuple(tree.body))
    inside = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(tree):
        for name, place in _find_imports(node, inside):
            source.imports.add(place[0])
            source.imported[name] = place
    for statement in tree.body:
        for name in _defines(statement):
            source.definitions.setdefault(name, []).append(statement)
    return source


@cache
def _file(module: str) -> Path | None:
    """Where its source is; found without importing it, or what it stands in."""
    top, *below = module.split(".")
    spec = find_spec(top) if top else None
    if spec is None or not spec.submodule_search_locations:
        return None
    place = Path(spec.submodule_search_locations[0]).joinpath(*below)
    return next((file for file in (place / "__init__.py", place.with_suffix(".py")) if file.is_file()), None)


WORDS = {"rule": ("cites", "covers", "hints")}
"""By the function that is called: arguments that are there for readers."""
MARKS = ("breaks",)
"""Decorators that say what a class is about, and change nothing of it."""


class _Bare(ast.NodeTransformer):
    """Takes away what is only said."""

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.decorator_list = [it for it in node.decorator_list if not _is_mark(it)]
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name):
            words = WORDS.get(node.func.id, ())
            node.keywords = [it for it in node.keywords if it.arg not in words]
        return node

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            node.body = [it for it in node.body if not _is_text(it)] or [ast.Pass()]
        return node


def _is_mark(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MARKS


def _is_text(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _find_imports(node: ast.AST, inside: str) -> Iterator[tuple[str, Place]]:
    """Names, and where they come from; only of our own packages, by their source."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            if _is_ours(alias.name):
                yield alias.asname or alias.name.partition(".")[0], (alias.name, WHOLE)
    elif isinstance(node, ast.ImportFrom):
        module = _absolute(node, inside)
        if not _is_ours(module):
            return
        for alias in node.names:
            below = f"{module}.{alias.name}"
            yield alias.asname or alias.name, (below, WHOLE) if _is_module(below) else (module, alias.name)


def _absolute(node: ast.ImportFrom, inside: str) -> str:
    if not node.level:
        return node.module or ""
    parts = inside.split(".")
    return ".".join([*parts[: len(parts) - node.level + 1], *filter(None, [node.module])])


def _is_ours(module: str) -> bool:
    return module.partition("_")[0].partition(".")[0] == __name__.partition(".")[0] and _is_module(module)


def _is_module(name: str) -> bool:
    return _file(name) is not None


def _defines(statement: ast.stmt) -> Iterator[str]:
    for node in [statement] if isinstance(statement, _DEFINITIONS) else ast.walk(statement):
        if isinstance(node, _DEFINITIONS):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


_DEFINITIONS = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@cache
def _text(place: Place) -> str:
    return "\n".join(ast.dump(node) for node in _nodes(place))


def _nodes(place: Place) -> Iterable[ast.stmt]:
    module, name = place
    source = _source(module)
    return source.everything if name == WHOLE else source.definitions.get(name, ())


@cache
def _uses(place: Place) -> tuple[Place, ...]:
    module, _ = place
    source = _source(module)
    found: set[Place] = set()
    for node in _nodes(place):
        for part in ast.walk(node):
            if isinstance(part, ast.Name) and part.id in source.definitions:
                found.add((module, part.id))
            elif isinstance(part, ast.Name) and part.id in source.imported:
                found.add(source.imported[part.id])
    if place[1] in source.imported:  # handed on from another module
        found.add(source.imported[place[1]])
    return tuple(sorted(found))
