"""What is said between a judge and the process of its candidate: a line of JSON each."""

from __future__ import annotations

import signal

import msgspec

from stingy.language.allowance import NOTHING, Allowance
from stingy.transport.part import Part
from stingy.verdict import Verdict

CUT_OFF = 86
"""The exit status of a process that has lost the line to its judge."""
FULL = 87
"""That of one that has taken more memory than it may, and has to see so for itself."""

SHOW = getattr(signal, "SIGUSR1", 0)
"""The signal at which it shows on its standard error where each thread stands, be Python's lock taken or not."""


class Asked(msgspec.Struct):
    """One rule, or one row of its table, to be judged; without a rule, who the candidate is."""

    rule: str = ""
    case: str = ""
    order: str = ""
    kubernetes: str = ""
    share: float | None = None
    allowance: Allowance = NOTHING
    part: Part | None = None
    looks: bool = False
    """Without a rule: whether to look if anything of it can be judged."""


class Hello(msgspec.Struct):
    """That a candidate has been imported, or why it cannot be judged; and who it is, when that is asked."""

    name: str = ""
    version: str = ""
    kubernetes: str = ""
    files: tuple[str, ...] = ()
    refused: str = ""
    """It is no target."""
    unusable: str = ""
    """It fell over, or offers nothing."""


class Told(msgspec.Struct):
    """What came of a rule."""

    verdict: Verdict
    unfit: bool = False
    """Whether the process is to judge no other rule."""
    lost: bool = False
    """Whether control over the candidate's threads was lost with this rule."""
