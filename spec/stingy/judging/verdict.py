"""Verdicts on a rule, or on one row of its table; and the exit status that follows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import IntEnum, StrEnum

import msgspec
from msgspec.structs import force_setattr

from stingy.contract.testimony import in_lines
from stingy.language.account import Line
from stingy.language.allowance import NOTHING, Allowance
from stingy.language.conflict import Conflict
from stingy.language.rule import Level
from stingy.language.story import Printed
from stingy.language.ways import Way

LIMIT = "--limit"
"""The option that sets the time limit of a rule."""


class Finding(StrEnum):
    PASS = "PASS"  # noqa: S105 - no password
    FAIL = "FAIL"
    KNOWN_FAIL = "KNOWN-FAIL"
    """The rule is broken, and a baseline lists it as broken."""
    UNEXPECTED_PASS = "UNEXPECTED-PASS"  # noqa: S105
    """The rule is kept, although a baseline lists it as broken."""
    NOT_OFFERED = "NOT-OFFERED"
    BLOCKED = "BLOCKED"
    INCONCLUSIVE = "INCONCLUSIVE"
    ERROR = "ERROR"


class Evidence(StrEnum):
    """How a rule was run, which decides how reliable its PASS or FAIL is."""

    NONE = ""
    DETERMINISTIC = "deterministic"
    """No race: calls were made in a fixed order, and it is known exactly which of them wait."""
    EXHAUSTIVE = "exhaustive"
    """A race was run in every order of its lanes, except orders equivalent to one that was run."""
    SAMPLED = "sampled"
    """A race was run in some of the possible orders of its lanes, drawn by one seed, not in all."""
    TIMED = "timed"
    """Real threads ran in real time: a call that did not return for a while counted as waiting."""


class Status(StrEnum):
    """How a run ended; this does not depend on the verdicts."""

    COMPLETE = "complete"
    INTERRUPTED = "interrupted"
    """A user or a signal ended the run before everything was judged."""
    STOPPED = "stopped"
    """``--fail-fast`` ended the run at the first broken rule."""
    OUT_OF_TIME = "out of time"
    """``--time`` ended the run before everything was judged."""
    LIMITED = "limited"
    """A limit, such as ``--limit`` or ``--memory``, ended some rules before they were decided."""
    CRASHED = "crashed"
    """The suite crashed."""


class Exit(IntEnum):
    CONFORMS = 0
    DOES_NOT = 1
    INCONCLUSIVE = 2
    CANDIDATE_ERROR = 3
    USAGE = 4
    FAULT = 5
    """A fault of the suite itself."""
    INTERRUPTED = 130
    """The status that a shell reports for a process ended by SIGINT."""


class Verdict(msgspec.Struct, frozen=True):
    """The verdict on one rule, or on one row of its table, and what led to it."""

    rule: str
    case: str
    profile: str
    level: Level
    verdict: Finding
    evidence: Evidence = Evidence.NONE
    because: str = ""
    hint: str = ""
    """For a FAIL: a question about the candidate's code, from the assertion that failed; may be empty."""
    story: tuple[Line, ...] = ()
    source: str = ""
    runs: int = 0
    """Number of examples tried, or of orders run."""
    order: str = ""
    """Token of the order in which a race broke, to run it in that order again; empty for none."""
    fault: bool = False
    """True if an ERROR is the suite's own fault."""
    went: tuple[Way, ...] = ()
    """For a PASS: the ways that items went in the rule's last story, or on all of its walks."""
    behind: str = ""
    """Id of the broken rule that this rule builds on; empty if there is none.

    This rule is judged all the same, or BLOCKED if that rule may be the cause of its failure.
    """
    allowing: Allowance = NOTHING
    """The defects of broken rules, such as ``behind``, that were tolerated in judging this one."""
    limit: str = ""
    """The option that raises the limit at which the rule was ended; empty if none was reached."""
    code: tuple[tuple[str, str], ...] = ()
    """For a FAIL: the candidate's methods that the story calls, and where each begins.

    The place is as in ``queue.py:17``. Empty if it is unknown, as for a driver.
    """
    conflict: Conflict | None = None
    """For a FAIL of a race: the accesses of two threads that conflict; None if none is certain."""
    unseen: str = ""
    """For a race: code in which no thread could be preempted; empty for none.

    Orders that differ only in that code were not run.
    """

    printed: tuple[Printed, ...] = ()
    """For a failure: what the candidate printed in the run that the story tells; its end, if long."""

    def __post_init__(self) -> None:
        """Make the texts safe to print: a verdict may come from a file or another process."""
        force_setattr(self, "because", in_lines(self.because))
        force_setattr(self, "hint", in_lines(self.hint))

    @property
    def id(self) -> str:
        return spell(self.rule, self.case)

    @property
    def by_itself(self) -> Verdict:
        """The verdict without regard to a baseline: KNOWN-FAIL is FAIL, and UNEXPECTED-PASS is PASS."""
        return msgspec.structs.replace(self, verdict=_BY_ITSELF.get(self.verdict, self.verdict))

    def fails(self, *, strict: bool) -> bool:
        """Return True if the verdict makes the exit status a failure.

        An UNEXPECTED-PASS does, because the baseline has to be updated.
        """
        if self.verdict is Finding.FAIL:
            return strict or self.level is not Level.SHOULD
        return self.verdict is Finding.UNEXPECTED_PASS

    def is_found_wanting(self, *, strict: bool) -> bool:
        """Return True for a failure or an ERROR: then the candidate cannot conform any more."""
        return self.fails(strict=strict) or self.verdict is Finding.ERROR


_BY_ITSELF = {Finding.KNOWN_FAIL: Finding.FAIL, Finding.UNEXPECTED_PASS: Finding.PASS}


def spell(rule: str, case: str) -> str:
    """Return the id of a verdict: ``RULE``, or ``RULE[CASE]`` for one row of the rule's table."""
    return f"{rule}[{case}]" if case else rule


def rule_of(id_: str) -> str:
    """Return the id of the rule in the id of a verdict."""
    return id_.partition("[")[0]


WORST_FIRST = (
    *(Finding.FAIL, Finding.ERROR, Finding.BLOCKED, Finding.INCONCLUSIVE),
    *(Finding.KNOWN_FAIL, Finding.UNEXPECTED_PASS, Finding.PASS, Finding.NOT_OFFERED),
)


def worst(verdicts: Iterable[Verdict]) -> Finding:
    """Return the worst finding among verdicts on the rows of a rule; NOT_OFFERED if there are none."""
    return min((verdict.verdict for verdict in verdicts), key=WORST_FIRST.index, default=Finding.NOT_OFFERED)


def exit_code(verdicts: Iterable[Verdict], *, strict: bool) -> Exit:
    """Return the exit status for these verdicts; the worst one decides.

    An undecided rule, INCONCLUSIVE or BLOCKED, gives ``Exit.INCONCLUSIVE``. A BLOCKED rule does not
    count if a baseline lists the broken rule that blocks it. A BLOCKED SHOULD counts only if
    ``strict`` is True. ``Exit.CANDIDATE_ERROR`` if nothing was judged, because nothing is offered.
    """
    verdicts = list(verdicts)
    findings = {verdict.verdict for verdict in verdicts}
    if any(verdict.fault for verdict in verdicts):
        return Exit.FAULT
    if Finding.ERROR in findings:
        return Exit.CANDIDATE_ERROR
    if any(verdict.fails(strict=strict) for verdict in verdicts):
        return Exit.DOES_NOT
    if Finding.INCONCLUSIVE in findings or any(
        _is_undecided(verdict, verdicts)
        for verdict in verdicts
        if strict or verdict.level not in (Level.SHOULD, Level.UNDEFINED)
    ):
        return Exit.INCONCLUSIVE
    judged = findings & {Finding.PASS, Finding.FAIL, Finding.KNOWN_FAIL}
    return Exit.CONFORMS if judged else Exit.CANDIDATE_ERROR


def _is_undecided(verdict: Verdict, verdicts: Sequence[Verdict]) -> bool:
    if verdict.verdict is not Finding.BLOCKED:
        return False
    before = {other.verdict for other in verdicts if other.rule == verdict.behind}
    return Finding.KNOWN_FAIL not in before or Finding.FAIL in before
