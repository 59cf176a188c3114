"""Messages between a judge and the process of its candidate: a line of JSON each."""

from __future__ import annotations

import signal

import msgspec

from stingy.judging.verdict import Verdict
from stingy.language.allowance import NOTHING, Allowance
from stingy.transport.part import Part

CUT_OFF = 86
"""Exit status of a process that has lost the pipe to its judge."""
FULL = 87
"""Exit status of a process that has noticed itself that it uses too much memory."""

SHOW = getattr(signal, "SIGUSR1", 0)
"""Signal at which it writes all thread stacks to its standard error.

That works even while Python's global lock is held.
"""


class Asked(msgspec.Struct):
    """A rule or a row of its table to judge; without a rule, a question who the candidate is."""

    rule: str = ""
    case: str = ""
    order: str = ""
    kubernetes: str = ""
    share: float | None = None
    allowance: Allowance = NOTHING
    part: Part | None = None
    looks: bool = False
    """Without a rule: the question is whether anything of the candidate can be judged."""


class Hello(msgspec.Struct):
    """Says that a candidate has been imported, or why it cannot be judged; or who it is."""

    name: str = ""
    version: str = ""
    kubernetes: str = ""
    files: tuple[str, ...] = ()
    refused: str = ""
    """Why it is not a target; empty if it is one."""
    unusable: str = ""
    """Why it cannot be judged: it failed, or offers nothing; empty if it can."""


class Told(msgspec.Struct):
    """The outcome of a rule."""

    verdict: Verdict
    unfit: bool = False
    """Whether the process must not judge another rule."""
    lost: bool = False
    """Whether this rule lost control of the candidate's threads."""
