"""Where a learner is: a small text file of names, that survives new versions, and that one may edit and commit."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from stingy.file import put

FILE = ".stingy-kata"

HEAD = "# Where you are in stingy-kata: a line each, by name. You may edit and commit this file.\n"


@dataclass
class State:
    at: str = ""
    """The exercise that is being worked on."""
    done: dict[str, str] = field(default_factory=dict)
    """Each exercise that was solved, with what tells whether its file has changed since."""
    skipped: set[str] = field(default_factory=set)
    rungs: dict[str, int] = field(default_factory=dict)
    """How many hints have been opened."""
    given_up: set[str] = field(default_factory=set)
    """Where the solution was read first."""

    def text(self) -> str:
        lines = [f"at {self.at}"] if self.at else []
        lines += [f"done {name} {digest}" for name, digest in self.done.items()]
        lines += [f"skipped {name}" for name in sorted(self.skipped)]
        lines += [f"hints {name} {rung}" for name, rung in self.rungs.items()]
        lines += [f"gave-up {name}" for name in sorted(self.given_up)]
        return HEAD + "".join(f"{line}\n" for line in lines)


def load(file: Path) -> State:
    """What the file says; a line that says nothing known is passed over."""
    state = State()
    for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
        match line.split():
            case ["at", name]:
                state.at = name
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
    """Write it, whole or not at all."""
    put(file, state.text())
