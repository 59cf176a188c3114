"""An exercise, as it lies in its folder: the task, the rules it is graded by, the start and the solution."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from stingy_kata import EXERCISES


@dataclass(frozen=True)
class Exercise:
    name: str
    title: str
    task: str
    rules: tuple[str, ...]
    """Ids, in the order in which a learner meets them."""
    start: str
    """What the learner is given."""
    solution: str

    def attempt(self, folder: Path) -> Path:
        """The learner's own file."""
        return folder / f"{self.name}.py"

    def started(self, folder: Path) -> bool:
        return self.attempt(folder).is_file()


@cache
def exercises() -> tuple[Exercise, ...]:
    """All of them, in the order in which to do them."""
    return tuple(_loaded(name) for name in EXERCISES)


def _loaded(name: str) -> Exercise:
    folder = files("stingy_kata") / name
    start = (folder / "start.py").read_text(encoding="utf-8")
    solution = (folder / "solution.py").read_text(encoding="utf-8")
    # Read, not imported: an exercise is the learner's to run, and may be broken in any way.
    tree = ast.parse(start)
    title, _, task = (ast.get_docstring(tree) or "").partition("\n\n")
    return Exercise(name, title.removesuffix("."), task, _rules(tree), start, solution)


def _rules(tree: ast.Module) -> tuple[str, ...]:
    for statement in tree.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id="RULES")], value=value):
                return tuple(ast.literal_eval(value))
    return ()
