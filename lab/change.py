"""Rules and candidates that the commits since a base have changed."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Collection, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
MAIN = "origin/main"
LANDING_S = 12 * 3600
"""A landing's commits lie within this many seconds, where the main branch is the very commit that is looked at."""
REST = ""
"""Stands for the statements of a file that define nothing by a name of their own."""


def base() -> str:
    """Return the commit to compare with: where main was left; on main itself, the last commit before this landing; or nothing."""
    head = _git("rev-parse", "HEAD")
    left = _git("merge-base", "HEAD", MAIN)
    if left and left != head:
        return left
    last = _git("log", "-1", "--format=%ct", "HEAD")
    return _git("rev-list", "-1", f"--before={int(last) - LANDING_S}", "HEAD") if last else ""


def changed(since: str, folder: str) -> dict[Path, frozenset[str]]:
    """Return, by changed Python file under ``folder``, the names whose definitions differ; ``REST`` for all other statements."""
    names = _git("diff", "--name-only", "--diff-filter=d", since, "--", folder).splitlines()
    found = {}
    for name in names:
        if name.endswith(".py"):
            before = definitions(_git("show", f"{since}:{name}"))
            now = definitions((ROOT / name).read_text(encoding="utf-8"))
            differ = frozenset(it for it in before.keys() | now.keys() if before.get(it) != now.get(it))
            if differ:
                found[ROOT / name] = differ
    return found


def touched(names: Collection[str], known: Collection[str]) -> frozenset[str]:
    """Return which of the ``known`` definitions of a file a change of these names touches: all, where it is of anything else."""
    return frozenset(known).intersection(names) if set(names) <= set(known) else frozenset(known)


def definitions(text: str) -> dict[str, str]:
    """Return what the top-level functions and classes of a file mean, by name; comments, docstrings and layout mean nothing."""
    found: dict[str, str] = {}
    for node in ast.parse(text).body:
        name = node.name if isinstance(node, ast.FunctionDef | ast.ClassDef) else REST
        found[name] = found.get(name, "") + "\n".join(_meaning(node))
    return found


def _meaning(node: ast.stmt) -> Iterator[str]:
    for inner in ast.walk(node):
        body = getattr(inner, "body", None)
        if isinstance(body, list):
            inner.body = [it for it in body if not _is_text(it)]  # type: ignore[attr-defined]
    if not _is_text(node):
        yield ast.dump(node)


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _git(*words: str) -> str:
    """Return what git says, or nothing if it fails."""
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""
