"""What was found out about one rule, or one row of its table; and whether a candidate conforms."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import IntEnum, StrEnum

import msgspec
from msgspec.structs import force_setattr

from stingy.language.account import Line
from stingy.language.allowance import NOTHING, Allowance
from stingy.language.rule import Level
from stingy.language.transitions import Transition
from stingy.testimony import in_lines


class Finding(StrEnum):
    PASS = "PASS"  # noqa: S105 - no password
    FAIL = "FAIL"
    KNOWN_FAIL = "KNOWN-FAIL"
    """Broken, as a baseline says it is."""
    UNEXPECTED_PASS = "UNEXPECTED-PASS"  # noqa: S105
    """Kept, though a baseline says that it is broken."""
    NOT_OFFERED = "NOT-OFFERED"
    BLOCKED = "BLOCKED"
    INCONCLUSIVE = "INCONCLUSIVE"
    ERROR = "ERROR"


class Evidence(StrEnum):
    """What stands behind a PASS or a FAIL."""

    NONE = ""
    DETERMINISTIC = "deterministic"
    """A script, and an exact answer to "does it still wait?"."""
    EXHAUSTIVE = "exhaustive"
    """Every order of lanes that race, but for those that nobody could tell apart from one that was run."""
    SAMPLED = "sampled"
    """So many orders of lanes that race, by one seed."""
    TIMED = "timed"
    """Real threads and real waiting: what must not happen was not seen to happen."""


class Status(StrEnum):
    """How a run came to its end, whatever it has found out about the candidate."""

    COMPLETE = "complete"
    INTERRUPTED = "interrupted"
    """Somebody ended it before all was judged."""
    STOPPED = "stopped"
    """It was asked to judge no more once something is broken, and something was."""
    OUT_OF_TIME = "out of time"
    """``--time`` has ended it before all was judged."""
    LIMITED = "limited"
    """A limit of ours has ended some of it: what there is to know is not all known."""
    CRASHED = "crashed"
    """The suite fell over."""


class Exit(IntEnum):
    CONFORMS = 0
    DOES_NOT = 1
    INCONCLUSIVE = 2
    CANDIDATE_ERROR = 3
    USAGE = 4
    FAULT = 5
    """A fault of the suite itself."""
    INTERRUPTED = 130
    """As a shell has it of whatever SIGINT ends."""


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
    """How many examples were tried, or orders run."""
    order: str = ""
    """The order of a race in which it broke: a token to run it again."""
    fault: bool = False
    """Whether an ERROR is the suite's own."""
    exercised: tuple[Transition, ...] = ()
    """Of a PASS: which ways of answering, of those that the model of a work queue has, its last story went through."""
    behind: str = ""
    """The broken rule that this one builds on; judged all the same, or BLOCKED where the two cannot be told apart."""
    allowing: Allowance = NOTHING
    """What was allowed for, so that it could be judged behind that."""
    limit: str = ""
    """The option that lifts the limit of ours that ended it."""
    unseen: str = ""
    """Of a race: code in which no thread could be interrupted. Orders that only it tells apart were not run."""

    def __post_init__(self) -> None:
        """However it came here: from a judge, a file, or the process of a candidate."""
        force_setattr(self, "because", in_lines(self.because))

    @property
    def id(self) -> str:
        return spell(self.rule, self.case)

    @property
    def by_itself(self) -> Verdict:
        """The verdict as it is without a baseline."""
        return msgspec.structs.replace(self, verdict=_BY_ITSELF.get(self.verdict, self.verdict))

    def fails(self, *, strict: bool) -> bool:
        """Whether a candidate with this verdict does not conform; or is better than its baseline, which is to say so."""
        if self.verdict is Finding.FAIL:
            return strict or self.level is not Level.SHOULD
        return self.verdict is Finding.UNEXPECTED_PASS

    def is_found_wanting(self, *, strict: bool) -> bool:
        """Whether nothing that is found besides can make this candidate conform."""
        return self.fails(strict=strict) or self.verdict is Finding.ERROR


_BY_ITSELF = {Finding.KNOWN_FAIL: Finding.FAIL, Finding.UNEXPECTED_PASS: Finding.PASS}


def spell(rule: str, case: str) -> str:
    """How a rule is called, or a row of its table."""
    return f"{rule}[{case}]" if case else rule


WORST_FIRST = (
    *(Finding.FAIL, Finding.ERROR, Finding.BLOCKED, Finding.INCONCLUSIVE),
    *(Finding.KNOWN_FAIL, Finding.UNEXPECTED_PASS, Finding.PASS, Finding.NOT_OFFERED),
)


def worst(verdicts: Iterable[Verdict]) -> Finding:
    """The verdict on a rule, of those on the rows of its table."""
    return min((verdict.verdict for verdict in verdicts), key=WORST_FIRST.index, default=Finding.NOT_OFFERED)


def exit_code(verdicts: Iterable[Verdict], *, strict: bool) -> Exit:
    """The one number that says it all; what is worse wins.

    Who is undecided about anything does not conform, but for what is blocked by what a baseline knows to be broken.
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
