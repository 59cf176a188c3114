"""Messages between the judge's process and the candidate's process: each is a line of JSON."""

from __future__ import annotations

import signal

import msgspec

from stingy.doctor import Examination
from stingy.judging.verdict import Verdict
from stingy.language.allowance import NOTHING, Allowance
from stingy.transport.part import Part

CUT_OFF = 86
"""Exit status of a candidate's process whose pipe to the judge is closed."""
FULL = 87
"""Exit status of a candidate's process that ended itself because it used too much memory."""

SHOW = getattr(signal, "SIGUSR1", 0)
"""Signal at which the candidate's process writes all thread stacks to its standard error.

This works even while a thread holds Python's global lock. 0 on a system without the signal.
"""


class Asked(msgspec.Struct):
    """A request to the candidate's process: judge a rule, or one row of its table.

    If ``rule`` is empty, a request for the candidate's name and version.
    """

    rule: str = ""
    case: str = ""
    order: str = ""
    kubernetes: str = ""
    share: float | None = None
    allowance: Allowance = NOTHING
    part: Part | None = None
    limit: float | None = None
    """Seconds that the rule may take with all attempts to judge it; None if nothing limits it."""
    looks: bool = False
    """True, with an empty ``rule``: a request to check whether anything can be judged."""
    examines: bool = False
    """True, with an empty ``rule``: a request for the results of all checks of ``stingy doctor``."""


class Hello(msgspec.Struct):
    """The process's answer about the candidate itself: it is imported, or cannot be judged.

    On request, it contains the candidate's name, version and files as well.
    """

    name: str = ""
    version: str = ""
    kubernetes: str = ""
    files: tuple[str, ...] = ()
    refused: str = ""
    """Why the TARGET names no candidate; empty if it names one."""
    unusable: str = ""
    """Why the candidate cannot be judged: it fails, or offers nothing to judge; empty if it can."""
    lacks: str = ""
    """Shortage of the machine, with which the process can judge no candidate; empty if there is none."""
    fault: str = ""
    """Traceback of the suite, if the process cannot judge any candidate; empty if it can."""


class Examined(msgspec.Struct):
    """The process's answer to a request to examine the candidate."""

    examination: Examination


class Told(msgspec.Struct):
    """The process's answer to a request to judge a rule: the verdict, and if it can judge another."""

    verdict: Verdict
    unfit: bool = False
    """True if the process must not judge another rule."""
    lost: bool = False
    """True if the suite lost control of the candidate's threads during this rule."""
