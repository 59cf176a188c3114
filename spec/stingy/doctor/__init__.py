"""Checks whether a candidate can be judged at all; says what is wrong, and how to mend it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from textwrap import wrap

from stingy.contract.testimony import in_a_line

PATIENCE = 10.0
"""Seconds to wait for a driver's answer, unless the caller gives another number."""


class Condition(StrEnum):
    WELL = "well"
    DOUBTFUL = "doubtful"
    """Either the driver or the candidate is at fault: judging the rules will show which one."""
    ILL = "ill"


@dataclass(frozen=True)
class Found:
    """The result of one check of ``stingy doctor``."""

    looked_at: str
    condition: Condition
    says: str = ""
    """One sentence: what is worth knowing, or what is wrong and what to do about it."""
    shows: Sequence[str] = ()
    """Lines of code for the user to paste; the first one is empty."""


@dataclass
class Examination:
    """The results of all checks of ``stingy doctor``, in the order of the checks."""

    title: str
    found: list[Found] = field(default_factory=list)
    summary: Sequence[tuple[str, str]] = ()
    """Pairs of a word and a text: what the candidate offers, with what evidence it is judged."""
    traffic: Sequence[str] = ()
    """The last lines to and from the driver; empty if nothing is wrong."""

    @property
    def ill(self) -> bool:
        return any(found.condition is Condition.ILL for found in self.found)


class Ill(Exception):  # noqa: N818 - it is a finding
    """Raised by a check that finds a fault; the message says what is wrong and what to do."""


class Doubt(Exception):  # noqa: N818 - it is a finding
    """Raised by a check that finds an oddity, perhaps of the candidate and not of its driver."""


def examine(target: str, patience: float = PATIENCE) -> Examination:
    """Check the candidate or driver that a TARGET names, and return the results of all checks.

    A candidate in Python is imported into this process. ``patience`` is the number of seconds to
    wait for an answer of a driver. Raises TargetError if TARGET names nothing.
    """
    from stingy.doctor import inprocess, looks
    from stingy.transport import is_driver
    from stingy.transport.inprocess import InProcess

    return looks.examine(target, patience) if is_driver(target) else inprocess.examine(InProcess(target))


MARKS = {Condition.WELL: "✓", Condition.DOUBTFUL: "?", Condition.ILL: "✗"}

WIDTH = 90
"""Columns of the text, without the margins."""


def render(examination: Examination) -> Iterator[str]:
    """Yield the results of the checks as lines of text, with control characters escaped."""
    return map(in_a_line, _lines_of(examination))


def _lines_of(examination: Examination) -> Iterator[str]:
    yield examination.title
    yield ""
    wide = max((len(found.looked_at) for found in examination.found), default=0)
    for found in examination.found:
        first, *others = wrap(in_a_line(found.says), WIDTH - wide) or [""]
        yield f" {MARKS[found.condition]} {found.looked_at:<{wide}}  {first}".rstrip()
        yield from (f"{'':<{wide + 5}}{line}" for line in others)
        yield from found.shows
    if examination.traffic:
        yield ""
        yield "   the last lines of the conversation:"
        yield from (f"   {line}" for line in examination.traffic)
    if examination.summary:
        yield ""
        wide = max(len(name) for name, _ in examination.summary)
        yield from (f"   {name:<{wide}}  {says}" for name, says in examination.summary)
