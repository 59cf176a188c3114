"""The board of a class: the progress of its learners, read from status files in a shared folder.

A learner is on the board only after writing such a file with ``--share``, or after agreeing, in the
workshop's page, that the trainer's server writes it.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

import msgspec
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from stingy.contract.testimony import NAME, in_a_line
from stingy.process.file import put_anew
from stingy_kata.exercise import RUNGS, exercises
from stingy_kata.workshop import Workshop

SUFFIX = ".stingy-kata.json"


LONGEST = 64 << 10
"""Maximum size of a status in bytes. A real one has a few hundred; larger ones are refused."""

LEARNERS = 200
"""Maximum number of statuses that pages can make in a folder. A class has about 20 learners."""

OF_ONE_MACHINE = 40
"""Maximum number of names that one machine can send: a whole class may come through one address."""

Name = Annotated[str, msgspec.Meta(max_length=NAME)]


class Refused(Exception):  # noqa: N818
    """A page sent something other than a status, a name that another machine has, or too many; the message says which."""


class Status(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Progress of one learner: names of exercises and numbers of opened hints, but no code."""

    who: Name
    at: Name
    done: tuple[str, ...]
    skipped: tuple[str, ...] = ()
    hints: dict[str, Annotated[int, msgspec.Meta(ge=0, le=len(RUNGS))]] = msgspec.field(default_factory=dict)
    gave_up: tuple[str, ...] = ()


def status(workshop: Workshop, who: str) -> Status:
    state = workshop.state
    return Status(
        who[:NAME],
        state.at,
        tuple(it.name for it in exercises() if it.name in state.done),
        tuple(it.name for it in exercises() if it.name in state.skipped),
        dict(state.rungs),
        tuple(sorted(state.given_up)),
    )


def share(found: Status, folder: Path) -> Path:
    """Write a learner's status into the shared folder, and return the path of the file.

    The file is named after the learner, so a later status of the same learner replaces it.
    """
    file = _file_of(found, folder)
    folder.mkdir(parents=True, exist_ok=True)
    put_anew(file, msgspec.json.format(msgspec.json.encode(found), indent=1).decode() + "\n")
    return file


class Reception:
    """Writes the statuses that learners' pages send into the shared folder.

    Anybody in the network may send one. So a name belongs to the first machine that sends it, and one
    machine can have ``OF_ONE_MACHINE`` names.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._owners: dict[Path, str] = {}
        """Address of the machine that sent a status first, by the file of that status."""

    def receive(self, body: bytes, address: str) -> None:
        """Write the status in ``body``, as JSON, that the machine with this address has sent.

        Raises Refused, or OSError if it cannot be written.
        """
        try:
            found = msgspec.json.decode(body, type=Status)
        except (ValueError, RecursionError):  # msgspec.DecodeError, or bytes that are no UTF-8
            raise Refused("this is no status of a learner") from None
        file = _file_of(found, self._folder)
        owner = self._owners.get(file)
        if owner is None and list(self._owners.values()).count(address) >= OF_ONE_MACHINE:
            raise Refused(f"your machine has sent {OF_ONE_MACHINE} names already")
        if owner not in (None, address):
            raise Refused("another machine has this name: take another one")
        if not file.exists() and len(list(self._folder.glob(f"*{SUFFIX}"))) >= LEARNERS:
            raise Refused(f"the board has {LEARNERS} learners already")
        share(found, self._folder)
        self._owners[file] = address


def _file_of(found: Status, folder: Path) -> Path:
    name = (
        "".join(letter if letter.isalnum() or letter in "-_." else "_" for letter in found.who) or "somebody"
    )
    return folder / f"{name}{SUFFIX}"


class Sharer:
    """Keeps a learner's status file in a shared folder up to date, for ``stingy-kata watch``."""

    def __init__(self, workshop: Workshop, who: str, folder: Path) -> None:
        self._root = workshop.root
        self._who = who
        self._folder = folder
        self._shared: Status | None = None

    def share(self) -> None:
        """Write the learner's current status to the shared folder if it has changed since the last call.

        Another command may have changed it. Raises OSError if the file cannot be written.
        """
        found = status(Workshop(self._root), self._who)
        if found != self._shared:
            share(found, self._folder)
            self._shared = found


def read_shared(folder: Path) -> tuple[Sequence[Status], Sequence[str]]:
    """Return the learners' statuses in a shared folder, and the names of files that cannot be read.

    Anybody may have written these files, so none of them is trusted.
    """
    found: list[Status] = []
    unread: list[str] = []
    for file in sorted(folder.glob(f"*{SUFFIX}")):
        try:
            found.append(msgspec.json.decode(_read(file), type=Status))
        except (OSError, msgspec.DecodeError, RecursionError):
            unread.append(in_a_line(file.name, NAME))
    return found, unread


def _read(file: Path) -> bytes:
    """Return the bytes of a file.

    Raises OSError if it is longer than ``LONGEST``, or is a link, a pipe, a device or a folder.
    """
    if not stat.S_ISREG(file.lstat().st_mode):
        raise OSError(errno.EINVAL, "no ordinary file")
    with file.open("rb") as stream:
        read = stream.read(LONGEST + 1)
    if len(read) > LONGEST:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    return read


class Row(NamedTuple):
    """A row of the board: how far the class is with one exercise."""

    number: int
    exercise: str
    done: int
    rungs: Sequence[int]
    """Number of hints that each learner has opened; learners who opened none are left out."""
    here: Sequence[str]
    """Names of the learners who are at this exercise now, with the number of their opened hints."""

    @property
    def hints(self) -> str:
        return f"{sum(self.rungs) / len(self.rungs):.1f}" if self.rungs else ""


COLUMNS = ("", "exercise", "done", "hints", "here now")
LEGEND = "hints: the highest rung opened, on average over the learners who opened one; after a name: the highest rung that this learner opened."


def rows(found: Sequence[Status]) -> Iterator[Row]:
    for n, name in enumerate((it.name for it in exercises()), 1):
        rungs = [it.hints[name] for it in found if it.hints.get(name)]
        here = [
            in_a_line(it.who, NAME) + (f" ({it.hints[name]})" if it.hints.get(name) else "")
            for it in found
            if it.at == name
        ]
        yield Row(n, name, sum(name in it.done for it in found), rungs, here)


def board(found: Sequence[Status]) -> Iterator[RenderableType]:
    """Yield the class's board for a terminal: a table with a row for each exercise, and its legend."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for name in COLUMNS:
        table.add_column(name, justify="right" if name in ("done", "hints") else "left")
    for row in rows(found):
        table.add_row(
            f"{row.number:02}",
            Text(row.exercise, "bold"),
            f"{row.done} of {len(found)}",
            row.hints,
            Text(", ".join(row.here), "cyan"),
        )
    yield table
    yield ""
    yield Text(LEGEND, "dim")
