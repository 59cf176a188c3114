"""Broken candidates that are a class of the reference with a few words of one method changed.

The TOML file beside a module has a table for each, under its name: what it ``says`` of itself, the rule that it
``breaks``, the method ``of`` a class that the module imports (``WorkQueue.get``, ``Measured.Metrics.taken``), and
what to ``find`` there and to ``replace`` it with: a part of a line, or whole lines without their common indentation.
Several changes are lists, and so are the methods if they change more than one.
"""

from __future__ import annotations
import __future__

import inspect
import linecache
import sys
import textwrap
import tomllib
from collections.abc import Iterable, Sequence
from operator import attrgetter
from pathlib import Path
from types import CodeType
from typing import Any

from stingy_broken import breaks as marked

_OneOrMore = str | list[str]


def define(namespace: dict[str, Any]) -> None:
    """Define in a module the classes that the TOML file beside it describes.

    Each is a subclass that overrides the changed method. Raises ValueError if a text to find is not there once.
    """
    file = Path(namespace["__file__"]).with_suffix(".toml")
    for name, row in tomllib.loads(file.read_text(encoding="utf-8")).items():
        _define(name, _file_of(file.stem, name), namespace, **row)


def source_of(cls: type) -> str:
    """Return the text of a class that ``define`` has made; empty for any other."""
    return "".join(linecache.getlines(_file_of(cls.__module__.rpartition(".")[2], cls.__name__)))


def _file_of(family: str, name: str) -> str:
    return f"<{family}.toml: {name}>"


def _define(
    name: str,
    file: str,
    namespace: dict[str, Any],
    *,
    says: str,
    breaks: str,
    of: _OneOrMore,
    find: _OneOrMore,
    replace: _OneOrMore,
) -> None:
    changes: dict[str, list[tuple[str, str]]] = {}
    for method, old, new in zip(_listed(of, find), _listed(find), _listed(replace), strict=True):
        changes.setdefault(method, []).append((old, new))
    scope: dict[str, Any] = {}
    methods = []
    for method, edits in changes.items():
        owner, *inner, last = method.split(".")
        original = attrgetter(".".join([*inner, last]))(namespace[owner])
        where = f"{file}, {method} of {original.__module__}"
        text = _change(textwrap.dedent(inspect.getsource(original)), edits, where)
        methods.append(_within(f"class {inner[0]}({owner}.{inner[0]}):", text) if inner else text)
        scope |= vars(sys.modules[original.__module__])
    text = _within(f"class {name}({owner}):", "\n".join(methods))
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    code = compile(text, file, "exec", flags=__future__.annotations.compiler_flag, dont_inherit=True)
    # As if the module had imported what the methods mention: the engine looks at the names of a module.
    for mentioned in _names(code) & scope.keys() - namespace.keys():
        namespace[mentioned] = scope[mentioned]
    exec(code, namespace)  # noqa: S102 - the text is the reference's own
    made = namespace[name]
    made.__doc__ = says
    marked(breaks)(made)


def _change(text: str, edits: Iterable[tuple[str, str]], where: str) -> str:
    for old, new in edits:
        this, that = old, new
        if old.endswith("\n"):
            depths = [" " * depth for depth in range(0, 24, 4)]
            indent = next((it for it in depths if f"\n{textwrap.indent(old, it)}" in f"\n{text}"), "")
            this, that = (f"\n{textwrap.indent(it, indent)}" for it in (old, new))
        if (times := f"\n{text}".count(this)) != 1:
            raise ValueError(f"{where}: find has {old!r}, which is there {times} times, not once")
        text = f"\n{text}".replace(this, that)[1:]
    return text


def _listed(texts: _OneOrMore, each: _OneOrMore = "") -> Sequence[str]:
    """Return a list as it is, and one text as a list of one; ``each``: once for each of these."""
    several = len(each) if isinstance(each, list) else 1
    return [texts] * several if isinstance(texts, str) else texts


def _within(head: str, body: str) -> str:
    return f"{head}\n{textwrap.indent(body, '    ')}"


def _names(code: CodeType) -> set[str]:
    """Return the names that a piece of code mentions, those of its functions and classes too."""
    inner = (it for it in code.co_consts if inspect.iscode(it))
    return {*code.co_names, *(name for it in inner for name in _names(it))}
