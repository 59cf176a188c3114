"""The board of a class, from files that learners choose to write into a shared folder: no server, and nobody is asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from stingy_kata import EXERCISES
from stingy_kata.exercise import exercises
from stingy_kata.workshop import Workshop

SUFFIX = ".stingy-kata.json"


class Status(msgspec.Struct, frozen=True):
    """Where somebody is: names of exercises, and nothing that was written."""

    who: str
    at: str
    done: tuple[str, ...]
    skipped: tuple[str, ...] = ()
    hints: dict[str, int] = msgspec.field(default_factory=dict)
    gave_up: tuple[str, ...] = ()


def status(workshop: Workshop, who: str) -> Status:
    state = workshop.state
    return Status(
        who,
        state.at,
        tuple(it.name for it in exercises() if it.name in state.done),
        tuple(it.name for it in exercises() if it.name in state.skipped),
        dict(state.rungs),
        tuple(sorted(state.given_up)),
    )


def share(found: Status, folder: Path) -> Path:
    """Write it where the board is made from; the same name is the same file."""
    name = (
        "".join(letter if letter.isalnum() or letter in "-_." else "_" for letter in found.who) or "somebody"
    )
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{name}{SUFFIX}"
    file.write_bytes(msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n")
    return file


def read_shared(folder: Path) -> tuple[Sequence[Status], Sequence[str]]:
    """What lies there, and the names of files that cannot be read."""
    found: list[Status] = []
    unread: list[str] = []
    for file in sorted(folder.glob(f"*{SUFFIX}")):
        try:
            found.append(msgspec.json.decode(file.read_bytes(), type=Status))
        except (OSError, msgspec.DecodeError):
            unread.append(file.name)
    return found, unread


def board(found: Sequence[Status]) -> Iterator[RenderableType]:
    """A line for each exercise: who is there, who is done, and how many hints it took."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for name in ("", "exercise", "done", "hints", "here now"):
        table.add_column(name, justify="right" if name in ("done", "hints") else "left")
    for n, name in enumerate(EXERCISES, 1):
        done = sum(name in it.done for it in found)
        rungs = [it.hints[name] for it in found if it.hints.get(name)]
        here = [
            it.who + (f" ({it.hints[name]})" if it.hints.get(name) else "") for it in found if it.at == name
        ]
        table.add_row(
            f"{n:02}",
            Text(name, "bold"),
            f"{done} of {len(found)}",
            f"{sum(rungs) / len(rungs):.1f}" if rungs else "",
            Text(", ".join(here), "cyan"),
        )
    yield table
    yield ""
    yield Text(
        "hints: how far up the ladder, of those who opened one; behind a name: the rung they are on.", "dim"
    )
