"""What is said between a judge and the process of its candidate: a line of JSON each."""

from __future__ import annotations

import msgspec

from stingy.language.allowance import NOTHING, Allowance
from stingy.verdict import Verdict

CUT_OFF = 86
"""The exit status of a process that has lost the line to its judge."""


class Asked(msgspec.Struct):
    """One rule, or one row of its table, to be judged."""

    rule: str
    case: str
    order: str
    kubernetes: str
    share: float | None
    allowance: Allowance = NOTHING


class Hello(msgspec.Struct):
    """What is known of a candidate once it has been imported; or why it cannot be judged."""

    name: str = ""
    version: str = ""
    kubernetes: str = ""
    refused: str = ""
    """It is no target."""
    unusable: str = ""
    """It fell over."""


class Told(msgspec.Struct):
    """What came of a rule."""

    verdict: Verdict
    unfit: bool = False
    """Whether the process is to judge no other rule."""
