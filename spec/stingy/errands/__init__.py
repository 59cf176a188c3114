"""What is handed to the workers of a cluster: to judge a candidate by some of the rules."""

from __future__ import annotations

import msgspec

from stingy.request import Request
from stingy.transport.part import Part
from stingy.verdict import Verdict


class ErrandError(Exception):
    """The process that does an errand has fallen over."""


class Asked(msgspec.Struct, frozen=True):
    """A rule, or a row of its table; perhaps only a part of its orders, for so many seconds, whatever it builds on."""

    rule: str
    case: str = ""
    part: Part | None = None
    share: float | None = None


class Errand(msgspec.Struct, frozen=True):
    """Whom to judge, and by what."""

    suite: str
    """The version of stingy that asks."""
    request: Request
    name: str
    version: str
    """Of the candidate, with its name: it is to be the same there."""
    asked: tuple[Asked, ...] = ()
    files: dict[str, bytes] = {}
    """What the candidate stands in, by its place; nothing of one that is installed."""
    fail_fast: bool = False


class Judged(msgspec.Struct, frozen=True):
    """What came of one that was asked, and how many seconds that took."""

    asked: Asked
    verdict: Verdict
    seconds: float


class Done(msgspec.Struct, frozen=True):
    """What came of an errand."""

    judged: tuple[Judged, ...] = ()
    fault: str = ""
    """What the suite fell over there."""
    refused: str = ""
    """Why it cannot be done there."""
    worker: str = ""
    """Where."""
