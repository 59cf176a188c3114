"""Errands: requests to a worker of a cluster to judge a candidate by some of the rules."""

from __future__ import annotations

import msgspec

from stingy.judging.verdict import Verdict
from stingy.request import Request
from stingy.transport.part import Part


class ErrandError(Exception):
    """Raised if the process that a cluster worker started for an errand fails."""


class Asked(msgspec.Struct, frozen=True):
    """A rule, or one row of the rule's table, that an errand has to judge.

    With a ``part``, only that part of a race's orders is run, for ``share`` seconds, and the rules
    that the rule builds on are not judged again.
    """

    rule: str
    case: str = ""
    part: Part | None = None
    share: float | None = None


class Errand(msgspec.Struct, frozen=True):
    """A job for one worker of a cluster: a candidate, and the rules to judge it by."""

    suite: str
    """Version of stingy that sends the errand."""
    request: Request
    name: str
    version: str
    """Version of the candidate. The worker refuses to judge another version, or another name."""
    asked: tuple[Asked, ...] = ()
    files: dict[str, bytes] = {}
    """Contents of the candidate's files, by relative path; empty if it is installed."""
    fail_fast: bool = False


class Judged(msgspec.Struct, frozen=True):
    """The verdict on something that an errand asked for, and the seconds that judging took."""

    asked: Asked
    verdict: Verdict
    seconds: float


class Done(msgspec.Struct, frozen=True):
    """The result of an errand: its verdicts, or why a worker could not judge."""

    judged: tuple[Judged, ...] = ()
    fault: str = ""
    """A fault of the suite itself on the worker; empty if there was none."""
    refused: str = ""
    """Why the worker cannot do the errand; empty if it can."""
    worker: str = ""
    """Address of the worker."""
