"""Whether a candidate can be judged at all, looked at before any rule: what is wrong, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from textwrap import wrap

from stingy.testimony import in_a_line

PATIENCE = 10.0
"""Seconds that an answer may take, unless somebody says otherwise."""


class Condition(StrEnum):
    WELL = "well"
    DOUBTFUL = "doubtful"
    """It may be the driver, and it may be the candidate: the rules will tell."""
    ILL = "ill"


@dataclass(frozen=True)
class Found:
    """What one look has found."""

    looked_at: str
    condition: Condition
    says: str = ""
    """One sentence: what there is to know, or what is wrong and what to do."""
    shows: Sequence[str] = ()
    """Lines of code to paste, after an empty one."""


@dataclass
class Examination:
    """All that has been found, in the order in which it was looked at."""

    title: str
    found: list[Found] = field(default_factory=list)
    summary: Sequence[tuple[str, str]] = ()
    """What the candidate offers, and with what evidence it can be judged."""
    traffic: Sequence[str] = ()
    """The last that was said, where something is wrong."""

    @property
    def ill(self) -> bool:
        return any(found.condition is Condition.ILL for found in self.found)


class Ill(Exception):  # noqa: N818 - it is a finding
    """What is wrong, and what to do about it, in one sentence."""


class Doubt(Exception):  # noqa: N818 - it is a finding
    """What is strange, and may be the candidate's own."""


def examine(target: str, patience: float = PATIENCE) -> Examination:
    """Look at whatever a TARGET names; TargetError if there is nothing."""
    from stingy.doctor import inprocess, looks
    from stingy.transport import is_driver

    return looks.examine(target, patience) if is_driver(target) else inprocess.examine(target)


MARKS = {Condition.WELL: "✓", Condition.DOUBTFUL: "?", Condition.ILL: "✗"}

WIDTH = 90
"""Of the screen, but for the margins."""


def render(examination: Examination) -> Iterator[str]:
    """The examination as text, which a candidate has a say in."""
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
        yield "   the last that was said:"
        yield from (f"   {line}" for line in examination.traffic)
    if examination.summary:
        yield ""
        wide = max(len(name) for name, _ in examination.summary)
        yield from (f"   {name:<{wide}}  {says}" for name, says in examination.summary)
