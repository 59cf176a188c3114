"""The real implementations under ``candidates/``: how each is built, judged, and what is known of it."""

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
    """A folder has no card that can be read; the message says what to write instead."""


class Known(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Why a rule is broken, as far as that is known."""

    rule: str
    """Its id, or a pattern as in ``shutdown/*``."""
    says: str
    """One sentence."""
    issue: str = ""
    """The URL of upstream's own issue or change."""


class Unfound(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A deviation that was found by hand, and is found by no rule."""

    says: str
    why: str
    """Why no rule can find it."""


class Card(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a file ``candidate.toml`` holds. Its commands are run in the folder that it lies in."""

    title: str
    language: str
    registry: str
    """The URL of the package, where its users get it from."""
    homepage: str
    license: str
    """Its SPDX identifier."""
    target: str
    """What ``stingy run`` is given there, as in ``cmd:./driver``."""
    build: tuple[str, ...] = ()
    """Command lines, one after the other; no shell reads them. ``python`` and ``pip`` are those that stingy runs under."""
    needs: tuple[str, ...] = ()
    """The commands that must be there to build and judge it, as in ``go``; ``python3.13`` is that or a newer one."""
    environment: Mapping[str, str] = {}
    """Set while it is judged, as in ``PYTHONPATH = "packages"``."""
    known: tuple[Known, ...] = ()
    unfound: tuple[Unfound, ...] = ()

    def why(self, rule: str) -> Known | None:
        """What is known of this broken rule."""
        return next((known for known in self.known if fnmatchcase(rule, known.rule)), None)

    @property
    def missing(self) -> Sequence[str]:
        """What it needs, and this machine has not."""
        return [command for command in self.needs if not _is_there(command)]


def _is_there(command: str) -> bool:
    """A Python of some version is needed to run stingy itself beside the candidate: that of now must be as new."""
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
        """The report of our own run."""
        return self.folder / RESULT


def implementations(root: Path) -> Sequence[Implementation]:
    """Those of a folder ``candidates``, by name; CardError if there is none, or one cannot be read."""
    found = [Implementation(path.parent, read_card(path, Card)) for path in sorted(root.glob(f"*/{CARD}"))]
    if not found:
        raise CardError(f"{root} has no folder with a {CARD}: run this in a checkout of stingy")
    return found


def read_card(path: Path, kind: type[C]) -> C:
    """What the file holds; CardError if it cannot be read as a card of this kind."""
    try:
        return msgspec.toml.decode(path.read_bytes(), type=kind)
    except (msgspec.DecodeError, OSError, ValueError, RecursionError) as error:
        raise CardError(f"{path} cannot be read as a card: {error}") from None
