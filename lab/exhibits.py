"""The exhibits of the museum: bugs of real releases.

Each has a card that says how to build the last release with the bug and the first without it.
"""

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
    """One of the two releases of an exhibit: the last one before the fix, or the first one after it."""

    BEFORE = "before"
    AFTER = "after"


class Card(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Contents of a file ``exhibit.toml``: a bug, and how to build the releases before and after its fix.

    Both releases are built with the driver of a candidate, in a copy of the candidate's folder. In
    command lines, ``{root}`` is the checkout and ``{version}`` the release.
    """

    title: str
    """Title of the exhibit, in a few words."""
    program: str
    broke: str
    """Effect and cause of the bug, in a few sentences."""
    met: str
    """People who met the bug, and the occasion, in one or two sentences."""
    fix: str
    """URL of the change that fixed it."""
    last: str
    """Last release with the bug, in its line of releases."""
    first: str
    """First release without the bug."""
    rules: tuple[str, ...]
    """Ids of the rules that find the bug; if no rule does, of the rules that were tried."""
    issue: str = ""
    """URL of the bug report, or empty."""
    unfound: str = ""
    """Why no rule finds the bug, and what a rule would need for that. Empty if one finds it."""
    unbuilt: str = ""
    """Why the releases cannot be built. Empty if they can."""
    candidate: str = ""
    """Folder of ``candidates/`` whose driver judges the releases."""
    without: tuple[str, ...] = ()
    """Names in the candidate's folder that are not copied."""
    overlays: tuple[str, ...] = ()
    """Folders of ``overlays/`` whose files replace those of the driver."""
    overlays_before: tuple[str, ...] = ()
    """Further overlays for the release with the bug."""
    overlays_after: tuple[str, ...] = ()
    """Further overlays for the release without the bug."""
    fetch: tuple[str, ...] = ()
    """Command lines that select the release in the copy, before the build commands."""
    build: tuple[str, ...] = ()
    """Build commands in place of the candidate's own; empty to use those."""
    kubernetes: str = ""
    """Version of Kubernetes for which both releases are judged; empty for the version of the driver.

    It is set if the bug is the behaviour of an old Kubernetes, which the driver's version accepts.
    """

    def release(self, side: Side) -> str:
        return self.last if side is Side.BEFORE else self.first


@dataclass(frozen=True)
class Exhibit:
    """A bug of a real program's release: a folder of ``benchmarks/history`` with its card."""

    root: Path
    """Root of the checkout."""
    name: str
    card: Card

    @property
    def folder(self) -> Path:
        return self.root / HALL / self.name

    def overlays(self, side: Side) -> Sequence[Path]:
        own = self.card.overlays_before if side is Side.BEFORE else self.card.overlays_after
        return [self.root / HALL / "overlays" / name for name in (*self.card.overlays, *own)]

    def record(self, side: Side) -> Path:
        """Return the path of the recorded report on the release before or after the fix."""
        return self.folder / f"{side}.json"

    @property
    def is_recorded(self) -> bool:
        return all(self.record(side).exists() for side in Side)

    @property
    def candidate(self) -> CandidatesCard:
        """Card of the candidate whose driver runs both releases. Raises CardError if it cannot be read."""
        return read_card(self.root / CANDIDATES / self.card.candidate / CANDIDATES_CARD, CandidatesCard)


def exhibits(root: Path) -> Sequence[Exhibit]:
    """Return the exhibits of the checkout at ``root``, sorted by name.

    Raises CardError if there is none, or if an ``exhibit.toml`` cannot be read.
    """
    found = [
        Exhibit(root, path.parent.name, read_card(path, Card))
        for path in sorted((root / HALL).glob(f"*/{CARD}"))
    ]
    if not found:
        raise CardError(f"{root / HALL} has no folder with an {CARD}: run this in a checkout of stingy")
    return found
