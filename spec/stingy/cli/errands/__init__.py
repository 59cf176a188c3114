"""Errands for the workers of a cluster: to judge a candidate by some of the rules."""

from __future__ import annotations

import msgspec

from stingy.judging.verdict import Verdict
from stingy.request import Request
from stingy.transport.part import Part


class ErrandError(Exception):
    """The process of an errand has failed."""


class Asked(msgspec.Struct, frozen=True):
    """A rule or a row of its table to judge.

    With a ``part``, only that part of its orders is run, for ``share`` seconds, and nothing that
    the rule builds on is judged before.
    """

    rule: str
    case: str = ""
    part: Part | None = None
    share: float | None = None


class Errand(msgspec.Struct, frozen=True):
    """Which candidate to judge, and by which rules."""

    suite: str
    """Version of stingy that sends the errand."""
    request: Request
    name: str
    version: str
    """Version of the candidate; the worker must have the same one, under the same name."""
    asked: tuple[Asked, ...] = ()
    files: dict[str, bytes] = {}
    """Contents of the candidate's files, by relative path; empty if it is installed."""
    fail_fast: bool = False


class Judged(msgspec.Struct, frozen=True):
    """The verdict on a rule or row that was asked, and how many seconds it took."""

    asked: Asked
    verdict: Verdict
    seconds: float


class Done(msgspec.Struct, frozen=True):
    """The result of an errand."""

    judged: tuple[Judged, ...] = ()
    fault: str = ""
    """Fault of the suite itself on the worker; empty if there was none."""
    refused: str = ""
    """Why the worker cannot do it; empty if it can."""
    worker: str = ""
    """Address of the worker."""
