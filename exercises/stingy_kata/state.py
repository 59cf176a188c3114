"""A learner's progress, and the text file that keeps it.

The file contains names, so that it stays valid if a new version renumbers the exercises. Learners
may edit and commit it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from stingy.process.file import put
from stingy.process.reading import read_whole

FILE = ".stingy-kata"

HEAD = "# Where you are in stingy-kata: a line each, by name. You may edit and commit this file.\n"


@dataclass
class State:
    """Progress of a learner, as saved in the workshop; exercises are given by name."""

    at: str = ""
    """The current exercise."""
    plan: tuple[str, ...] = ()
    """The exercises of the class, in their order; empty for all."""
    done: dict[str, str] = field(default_factory=dict)
    """The solved exercises, each with a hash of the learner's file, to detect later changes."""
    skipped: set[str] = field(default_factory=set)
    rungs: dict[str, int] = field(default_factory=dict)
    """Number of opened hints of each exercise; exercises without any may be missing."""
    given_up: set[str] = field(default_factory=set)
    """Exercises whose solution was read before they were solved."""

    def text(self) -> str:
        lines = [f"at {self.at}"] if self.at else []
        lines += [f"plan {' '.join(self.plan)}"] if self.plan else []
        lines += [f"done {name} {digest}" for name, digest in self.done.items()]
        lines += [f"skipped {name}" for name in sorted(self.skipped)]
        lines += [f"hints {name} {rung}" for name, rung in self.rungs.items()]
        lines += [f"gave-up {name}" for name in sorted(self.given_up)]
        return HEAD + "".join(f"{line}\n" for line in lines)


def load(file: Path) -> State:
    """Read a learner's progress from a file. Unknown lines are ignored.

    Raises OSError if the file cannot be read.
    """
    state = State()
    for line in read_whole(file).decode(errors="replace").splitlines():
        match line.split():
            case ["at", name]:
                state.at = name
            case ["plan", *names]:
                state.plan = tuple(names)
            case ["done", name, *digest]:
                state.done[name] = "".join(digest)
            case ["skipped", name]:
                state.skipped.add(name)
            case ["hints", name, rung] if rung.isdecimal() and len(rung) == 1:
                state.rungs[name] = int(rung)
            case ["gave-up", name]:
                state.given_up.add(name)
    return state


def save(state: State, file: Path) -> None:
    """Write a learner's progress to a file. If that fails, the file stays as it was."""
    put(file, state.text())
