"""Real implementations in ``candidates/``: how each is built and judged, and its known faults."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TypeVar

import msgspec

CARD = "candidate.toml"
RESULT = "result.json"

C = TypeVar("C", bound=msgspec.Struct)


class CardError(Exception):
    """A card is missing or cannot be read; the message says why."""


class Known(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The known reason why a rule is broken."""

    rule: str
    """Id of the rule, or a pattern such as ``shutdown/*``."""
    says: str
    """The reason, in one sentence."""
    issue: str = ""
    """URL of upstream's own issue or change, or empty."""


class Unfound(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A deviation from upstream that was found by hand, and that no rule finds."""

    says: str
    why: str
    """Why no rule can find the deviation."""


class Card(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Contents of a file ``candidate.toml``. Its commands run in the folder of the file."""

    title: str
    language: str
    registry: str
    """URL of the package in the registry from which users install it."""
    homepage: str
    license: str
    """SPDX identifier of the licence."""
    target: str
    """Target of ``stingy run`` in the folder of the file, such as ``cmd:./driver``."""
    build: tuple[str, ...] = ()
    """Command lines, run one after the other without a shell.

    ``python`` and ``pip`` are those of the interpreter that runs stingy.
    """
    needs: tuple[str, ...] = ()
    """Commands that are needed to build and judge it, such as ``go``.

    ``python3.13`` means Python 3.13 or newer.
    """
    environment: Mapping[str, str] = {}
    """Environment variables while it is judged, such as ``PYTHONPATH = "packages"``."""
    known: tuple[Known, ...] = ()
    unfound: tuple[Unfound, ...] = ()

    def why(self, rule: str) -> Known | None:
        """Return the known reason why this rule is broken, or None."""
        return next((known for known in self.known if fnmatchcase(rule, known.rule)), None)

    @property
    def missing(self) -> Sequence[str]:
        """Commands that the implementation needs and this machine lacks."""
        return [command for command in self.needs if not _is_there(command)]


def _is_there(command: str) -> bool:
    """Return True if this machine has a command.

    For ``python3.N``, the Python that runs stingy must have at least this version.
    """
    name, dot, minor = command.partition("3.")
    if name == "python" and dot:
        return sys.version_info >= (3, int(minor))
    return command == "python" or shutil.which(command) is not None


@dataclass(frozen=True)
class Implementation:
    """A folder of ``candidates/``."""

    folder: Path
    card: Card

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def readme(self) -> Path:
        return self.folder / "README.md"

    @property
    def result(self) -> Path:
        """Path of the recorded result."""
        return self.folder / RESULT


def implementations(root: Path) -> Sequence[Implementation]:
    """Return the implementations of a folder, sorted by name.

    Raises CardError if there is none, or if a card cannot be read.
    """
    found = [Implementation(path.parent, read_card(path, Card)) for path in sorted(root.glob(f"*/{CARD}"))]
    if not found:
        raise CardError(f"{root} has no folder with a {CARD}: run this in a checkout of stingy")
    return found


def read_card(path: Path, kind: type[C]) -> C:
    """Read a card of this kind. Raises CardError if that fails."""
    try:
        return msgspec.toml.decode(path.read_bytes(), type=kind)
    except (msgspec.DecodeError, OSError, ValueError, RecursionError) as error:
        raise CardError(f"{path} cannot be read as a card: {error}") from None
