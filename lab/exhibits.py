"""The exhibits of the museum: bugs that real releases had, and how the release with one and that without it are built."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import msgspec

from lab.implementations import CARD as CANDIDATES_CARD
from lab.implementations import Card as CandidatesCard
from lab.implementations import CardError, read_card

HALL = Path("benchmarks") / "history"
CANDIDATES = Path("candidates")
CARD = "exhibit.toml"


class Side(StrEnum):
    """Of the fix."""

    BEFORE = "before"
    AFTER = "after"


class Card(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a file ``exhibit.toml`` holds.

    Both releases are built with the driver of a candidate, in a copy of its folder. In command lines, ``{root}`` is the checkout and
    ``{version}`` the release.
    """

    title: str
    """A few words, as on the plate beside a picture."""
    program: str
    broke: str
    """What went wrong, and by which mistake; a few sentences."""
    met: str
    """Who met it, and how; a sentence or two."""
    fix: str
    """The URL of the change."""
    last: str
    """The last release that has it, in its line of releases."""
    first: str
    """The first one that has it no more."""
    rules: tuple[str, ...]
    """The ids of those that are to find it; where none does, of those that were asked in vain."""
    issue: str = ""
    """The URL of the report, if there is one."""
    unfound: str = ""
    """Why no rule finds it: what one would need."""
    unbuilt: str = ""
    """Why it cannot be built."""
    candidate: str = ""
    """The folder of ``candidates/`` whose driver it is judged with."""
    without: tuple[str, ...] = ()
    """Files of the driver that are left out."""
    overlays: tuple[str, ...] = ()
    """Folders of ``overlays/`` whose files are laid over the driver's."""
    overlays_before: tuple[str, ...] = ()
    """The same, over these, for the release with the bug alone."""
    overlays_after: tuple[str, ...] = ()
    """For that without it."""
    fetch: tuple[str, ...] = ()
    """Command lines that have the copy depend on the release, before it is built."""
    build: tuple[str, ...] = ()
    """Command lines instead of the candidate's own."""
    kubernetes: str = ""
    """As of which version it is judged, if not as of its own: a way of old that was given up as wrong is not to be accepted."""

    def release(self, side: Side) -> str:
        return self.last if side is Side.BEFORE else self.first


@dataclass(frozen=True)
class Exhibit:
    """A folder of the hall."""

    root: Path
    """The checkout."""
    name: str
    card: Card

    @property
    def folder(self) -> Path:
        return self.root / HALL / self.name

    def overlays(self, side: Side) -> Sequence[Path]:
        own = self.card.overlays_before if side is Side.BEFORE else self.card.overlays_after
        return [self.root / HALL / "overlays" / name for name in (*self.card.overlays, *own)]

    def record(self, side: Side) -> Path:
        """The report of our own run."""
        return self.folder / f"{side}.json"

    @property
    def is_recorded(self) -> bool:
        return all(self.record(side).exists() for side in Side)

    @property
    def candidate(self) -> CandidatesCard:
        """That of the driver; CardError if there is none."""
        return read_card(self.root / CANDIDATES / self.card.candidate / CANDIDATES_CARD, CandidatesCard)


def exhibits(root: Path) -> Sequence[Exhibit]:
    """Those of a checkout, by name; CardError if there is none, or one cannot be read."""
    found = [
        Exhibit(root, path.parent.name, read_card(path, Card))
        for path in sorted((root / HALL).glob(f"*/{CARD}"))
    ]
    if not found:
        raise CardError(f"{root / HALL} has no folder with an {CARD}: run this in a checkout of stingy")
    return found
