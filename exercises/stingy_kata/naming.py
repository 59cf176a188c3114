"""Check that an attempt still defines the classes that the rules look for by name."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from stingy.guarantees import all_rules
from stingy.transport.target import names
from stingy_kata.exercise import Exercise
from stingy_kata.importing import Unreadable
from stingy_kata.script import Script


def require_names(exercise: Exercise, attempt: Script) -> None:
    """Raise Unreadable if the attempt lacks a class that the rules look for by its name, or has it for asyncio.

    The solution has these classes, such as ``WorkQueue``. If exactly one class of the attempt has
    all methods of the missing one, the message suggests to rename it.
    """
    theirs, ours = _read(attempt), _read(exercise.solution)
    if theirs is None or ours is None:
        return  # the import reports syntax errors
    there = set(_defined(theirs))
    for name in _asked_for(exercise, ours):
        if name not in there:
            raise Unreadable(_describe(name, exercise, theirs, ours))
        _refuse_coroutines(name, theirs, ours)


def _asked_for(exercise: Exercise, ours: ast.Module) -> list[str]:
    profiles = [all_rules()[id_].profile for id_ in exercise.card.rules if id_ in all_rules()]
    looked_for = {name for profile in profiles for name in names(profile)}
    return [cls.name for cls in _classes(ours) if cls.name in looked_for]


def _describe(name: str, exercise: Exercise, theirs: ast.Module, ours: ast.Module) -> str:
    methods = next(_methods(cls) for cls in _classes(ours) if cls.name == name)
    alike = [cls.name for cls in _classes(theirs) if methods <= _methods(cls)]
    if len(alike) == 1:
        return f"there is no class {name} in it, but {alike[0]} has all its methods: rename it to {name}"
    return f"there is no class {name} in it: write it again, or reset the exercise with stingy-kata reset {exercise.name}"


def _refuse_coroutines(name: str, theirs: ast.Module, ours: ast.Module) -> None:
    """Raise Unreadable if a method of the class is a coroutine, which our solution calls from a thread."""
    threaded = {
        it.name
        for cls in _classes(ours)
        if cls.name == name
        for it in cls.body
        if isinstance(it, ast.FunctionDef)
    }
    for cls in _classes(theirs):
        for method in cls.body if cls.name == name else ():
            if isinstance(method, ast.AsyncFunctionDef) and method.name in threaded:
                raise Unreadable(
                    f"line {method.lineno}: {method.name} is an async def, and its callers here are threads: nobody awaits "
                    "it, so it would never begin; write def, without await"
                )


def _classes(tree: ast.Module) -> list[ast.ClassDef]:
    return [node for node in tree.body if isinstance(node, ast.ClassDef)]


def _methods(cls: ast.ClassDef) -> set[str]:
    """Return the names of a class's public methods, and of special methods such as ``__init__``."""
    named = (node.name for node in cls.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return {name for name in named if not name.startswith("_") or name.startswith("__")}


def _defined(tree: ast.Module) -> Iterator[str]:
    """Yield every name that a module binds anywhere, in inner scopes too.

    It yields too many names rather than too few, so that no existing name is reported as missing.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.alias):
            yield node.asname or node.name


def _read(script: Script) -> ast.Module | None:
    try:
        return ast.parse(script.data)
    except (SyntaxError, ValueError):
        return None
