"""Rules and candidates that the commits since a base have changed."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
MAIN = "origin/main"
LANDING_S = 3 * 3600
"""On the main branch itself, commits of the last three hours count as the change."""
REST = ""
"""Key of all statements of a file that define no name."""

SAID_OF_A_RULE = frozenset({"after", "cites"})
"""Keywords of ``@rule`` that cannot make a sound candidate fail: a new value does not change the rule.

``after`` matters only behind a rule that is broken.
"""

Place = tuple[Path, str]
"""A file, and a name that it defines."""


@dataclass(frozen=True)
class Definition:
    """A function, class, value or import at the top of a file."""

    meaning: str
    """Its syntax tree as text: without comments, docstrings, layout and messages of assertions."""
    mentions: frozenset[str] = frozenset()
    """The names that occur in it."""
    comes_from: tuple[str, str] | None = None
    """Module and name of the import; None if it is not imported."""


def base() -> str:
    """Return the commit with which the current one is compared; empty if git finds none.

    It is the commit where the branch left main. On main itself, it is the last commit that is at
    least three hours older than the newest one.
    """
    head = _git("rev-parse", "HEAD")
    left = _git("merge-base", "HEAD", MAIN)
    if left and left != head:
        return left
    last = _git("log", "-1", "--format=%ct", "HEAD")
    return _git("rev-list", "-1", f"--before={int(last) - LANDING_S}", "HEAD") if last else ""


def changed(since: str, folder: str) -> dict[Path, frozenset[str]]:
    """Return the names whose meaning changed since the commit ``since``, by Python file in ``folder``.

    The meaning of a name changes with its own definition, and with every name that it depends on.
    """
    files = sorted((ROOT / folder).rglob("*.py"))
    now = {file: definitions(file.read_text(encoding="utf-8")) for file in files}
    differ: set[Place] = set()
    for name in _git("diff", "--name-only", "--diff-filter=d", since, "--", folder).splitlines():
        if (file := ROOT / name) in now:
            before = definitions(_git("show", f"{since}:{name}"))
            differ |= {
                (file, it) for it in before.keys() | now[file].keys() if before.get(it) != now[file].get(it)
            }
    names = spread(now, differ)
    return {file: found for file in files if (found := frozenset(it for at, it in names if at == file))}


def spread(now: Mapping[Path, Mapping[str, Definition]], differ: Collection[Place]) -> frozenset[Place]:
    """Return the places in ``differ``, and all places that depend on one of them, also indirectly.

    A place is a file and a name in it. It depends on the names of its file that it mentions, and on
    what it imports. ``now`` has the definitions of each file, by name.
    """
    found = set(differ)
    while True:
        modules = {(file.stem, name) for file, name in found}
        modules |= {(file.parent.name, file.stem) for file, _ in found}
        more = {
            (file, name)
            for file, known in now.items()
            for name, it in known.items()
            if (file, name) not in found
            and (it.comes_from in modules or any((file, other) in found for other in it.mentions))
        }
        if not more:
            return frozenset(found)
        found |= more


def touched(names: Collection[str], known: Collection[str]) -> frozenset[str]:
    """Return those of the ``known`` names that are among the changed ``names``.

    If ``REST`` is among ``names``, return all ``known``: a changed statement that defines no name
    may affect each of them.
    """
    return frozenset(known) if REST in names else frozenset(known).intersection(names)


def definitions(text: str) -> dict[str, Definition]:
    """Return the top-level definitions in the text of a Python file, by name.

    Statements that define no name are combined under the key ``REST``.
    """
    found: dict[str, Definition] = {}
    for node in ast.parse(text).body:
        if _is_text(node):
            continue
        for name, it in _defined(node):
            had = found.get(name, Definition(""))
            found[name] = Definition(had.meaning + it.meaning, had.mentions | it.mentions, it.comes_from)
    return found


def _defined(node: ast.stmt) -> Iterator[tuple[str, Definition]]:
    if isinstance(node, ast.ImportFrom):
        for alias in node.names:
            # Without the package: an import from a module that moves to another package is no change.
            source = (node.module or "").rpartition(".")[2], alias.name
            yield alias.asname or alias.name, Definition(" ".join(source), comes_from=source)
        return
    for name in _names(node):
        yield name, Definition("\n".join(_meaning(node)), _mentions(node) - {name})


def _names(node: ast.stmt) -> Iterator[str]:
    match node:
        case ast.FunctionDef() | ast.ClassDef():
            yield node.name
        case ast.Import(names=names):
            yield from (it.asname or it.name.partition(".")[0] for it in names)
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            yield name
        case _:
            yield REST


def _mentions(node: ast.stmt) -> frozenset[str]:
    return frozenset(it.id for it in ast.walk(node) if isinstance(it, ast.Name))


def _meaning(node: ast.stmt) -> Iterator[str]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Call):
            inner.keywords = [it for it in inner.keywords if it.arg not in SAID_OF_A_RULE]
        if isinstance(inner, ast.Assert):
            inner.msg = None  # a hint, which does not change what is asserted
        body = getattr(inner, "body", None)
        if isinstance(body, list):
            inner.body = [it for it in body if not _is_text(it)]  # type: ignore[attr-defined]
    yield ast.dump(node)


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _git(*words: str) -> str:
    """Run git with these arguments, and return its output; empty if git fails."""
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""
