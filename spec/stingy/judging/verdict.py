"""Verdicts on a rule, or on one row of its table; and the exit status that follows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import IntEnum, StrEnum

import msgspec
from msgspec.structs import force_setattr

from stingy.contract.testimony import in_lines
from stingy.language.account import Line
from stingy.language.allowance import NOTHING, Allowance
from stingy.language.rule import Level
from stingy.language.transitions import Transition


class Finding(StrEnum):
    PASS = "PASS"  # noqa: S105 - no password
    FAIL = "FAIL"
    KNOWN_FAIL = "KNOWN-FAIL"
    """Broken, as a baseline says."""
    UNEXPECTED_PASS = "UNEXPECTED-PASS"  # noqa: S105
    """Kept, although a baseline says that it is broken."""
    NOT_OFFERED = "NOT-OFFERED"
    BLOCKED = "BLOCKED"
    INCONCLUSIVE = "INCONCLUSIVE"
    ERROR = "ERROR"


class Evidence(StrEnum):
    """How firm a PASS or FAIL is."""

    NONE = ""
    DETERMINISTIC = "deterministic"
    """A script, with an exact answer to whether a call still waits."""
    EXHAUSTIVE = "exhaustive"
    """Every order of the lanes in a race, except those equivalent to one that was run."""
    SAMPLED = "sampled"
    """A number of orders of the lanes in a race, chosen by one seed."""
    TIMED = "timed"
    """Real threads and real waiting: a violation was not observed in that time."""


class Status(StrEnum):
    """How a run ended, whatever the verdicts."""

    COMPLETE = "complete"
    INTERRUPTED = "interrupted"
    """A user or a signal ended it before everything was judged."""
    STOPPED = "stopped"
    """``--fail-fast`` ended it at the first broken rule."""
    OUT_OF_TIME = "out of time"
    """``--time`` ended it before everything was judged."""
    LIMITED = "limited"
    """A limit of the suite ended some rules, so not everything is known."""
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
    """As a shell reports a process ended by SIGINT."""


class Verdict(msgspec.Struct, frozen=True):
    """One line of a report."""

    rule: str
    case: str
    profile: str
    level: Level
    verdict: Finding
    evidence: Evidence = Evidence.NONE
    because: str = ""
    story: tuple[Line, ...] = ()
    source: str = ""
    runs: int = 0
    """Number of examples tried, or of orders run."""
    order: str = ""
    """Token of the order in which a race broke, to run it again."""
    fault: bool = False
    """True if an ERROR is the suite's own fault."""
    exercised: tuple[Transition, ...] = ()
    """For a PASS: the transitions of the model that its last story went through."""
    behind: str = ""
    """The broken rule that this one builds on.

    It is judged all the same, or BLOCKED if the two cannot be told apart.
    """
    allowing: Allowance = NOTHING
    """The allowance with which it was judged in that case."""
    limit: str = ""
    """The option that raises the limit which ended it."""
    unseen: str = ""
    """For a race: code in which no thread could be preempted.

    Orders that differ only there were not run.
    """

    def __post_init__(self) -> None:
        """Make the texts safe: a verdict may come from a file or from a candidate's process."""
        force_setattr(self, "because", in_lines(self.because))

    @property
    def id(self) -> str:
        return spell(self.rule, self.case)

    @property
    def by_itself(self) -> Verdict:
        """The verdict without its baseline."""
        return msgspec.structs.replace(self, verdict=_BY_ITSELF.get(self.verdict, self.verdict))

    def fails(self, *, strict: bool) -> bool:
        """Return True if the verdict makes the exit status a failure.

        An UNEXPECTED-PASS does, because the baseline has to be updated.
        """
        if self.verdict is Finding.FAIL:
            return strict or self.level is not Level.SHOULD
        return self.verdict is Finding.UNEXPECTED_PASS

    def is_found_wanting(self, *, strict: bool) -> bool:
        """Return True if nothing else can make this candidate conform."""
        return self.fails(strict=strict) or self.verdict is Finding.ERROR


_BY_ITSELF = {Finding.KNOWN_FAIL: Finding.FAIL, Finding.UNEXPECTED_PASS: Finding.PASS}


def spell(rule: str, case: str) -> str:
    """Return the id of a rule, or of a row of its table."""
    return f"{rule}[{case}]" if case else rule


WORST_FIRST = (
    *(Finding.FAIL, Finding.ERROR, Finding.BLOCKED, Finding.INCONCLUSIVE),
    *(Finding.KNOWN_FAIL, Finding.UNEXPECTED_PASS, Finding.PASS, Finding.NOT_OFFERED),
)


def worst(verdicts: Iterable[Verdict]) -> Finding:
    """Return the verdict on a rule from the verdicts on its rows."""
    return min((verdict.verdict for verdict in verdicts), key=WORST_FIRST.index, default=Finding.NOT_OFFERED)


def exit_code(verdicts: Iterable[Verdict], *, strict: bool) -> Exit:
    """Return the exit status for these verdicts; the worst one decides.

    A candidate with an undecided rule does not conform, unless that rule is BLOCKED by one that a
    baseline knows to be broken.
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
    return Exit.CONFORMS if findings & {Finding.PASS, Finding.FAIL, Finding.KNOWN_FAIL} else Exit.DOES_NOT


def _is_undecided(verdict: Verdict, verdicts: Sequence[Verdict]) -> bool:
    if verdict.verdict is not Finding.BLOCKED:
        return False
    before = {other.verdict for other in verdicts if other.rule == verdict.behind}
    return Finding.KNOWN_FAIL not in before or Finding.FAIL in before
