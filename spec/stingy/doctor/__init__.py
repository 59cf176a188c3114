"""Examines whether a candidate can be judged at all: what is wrong, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from textwrap import wrap

from stingy.contract.testimony import in_a_line

PATIENCE = 10.0
"""Seconds that an answer may take, unless the caller says otherwise."""


class Condition(StrEnum):
    WELL = "well"
    DOUBTFUL = "doubtful"
    """The driver may be at fault, or the candidate: the rules will show."""
    ILL = "ill"


@dataclass(frozen=True)
class Found:
    """The result of one check."""

    looked_at: str
    condition: Condition
    says: str = ""
    """One sentence: what is worth knowing, or what is wrong and what to do about it."""
    shows: Sequence[str] = ()
    """Lines of code to paste, the first one empty."""


@dataclass
class Examination:
    """The results of all checks, in the order of the checks."""

    title: str
    found: list[Found] = field(default_factory=list)
    summary: Sequence[tuple[str, str]] = ()
    """What the candidate offers, and with what evidence it can be judged."""
    traffic: Sequence[str] = ()
    """The last lines sent and received, if something is wrong."""

    @property
    def ill(self) -> bool:
        return any(found.condition is Condition.ILL for found in self.found)


class Ill(Exception):  # noqa: N818 - it is a finding
    """A fault: what is wrong, and what to do about it, in one sentence."""


class Doubt(Exception):  # noqa: N818 - it is a finding
    """An oddity, which may be the candidate's own."""


def examine(target: str, patience: float = PATIENCE) -> Examination:
    """Examine what a TARGET names; TargetError if there is nothing."""
    from stingy.doctor import inprocess, looks
    from stingy.transport import is_driver

    return looks.examine(target, patience) if is_driver(target) else inprocess.examine(target)


MARKS = {Condition.WELL: "✓", Condition.DOUBTFUL: "?", Condition.ILL: "✗"}

WIDTH = 90
"""Columns of the screen, without the margins."""


def render(examination: Examination) -> Iterator[str]:
    """Yield the examination as lines that are safe to show: some of the text is the candidate's."""
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
