"""A report format is a module here with ``write(outcome, out)``; its name is the format's."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from importlib import import_module
from importlib.metadata import version
from io import StringIO
from itertools import groupby
from pathlib import Path
from typing import Self

from stingy.file import put, stream
from stingy.language.transitions import DRAINS, Transition
from stingy.likeness import Likeness, find_nearest
from stingy.request import Request
from stingy.testimony import NAME, in_a_line
from stingy.transport import Reached
from stingy.verdict import Evidence, Exit, Finding, Status, Verdict, exit_code

TOLD = (Finding.FAIL, Finding.UNEXPECTED_PASS, Finding.ERROR)
"""What is told with a story; what is known is only counted."""

FORMATS = ("terminal", "json", "html", "junit", "markdown", "github", "ctrf", "badge")

ENDED_EARLY: Mapping[Status, str] = {Status.STOPPED: "--fail-fast", Status.OUT_OF_TIME: "--time"}
"""The option that has ended a run before all was judged, as it was told to."""

CUT_SHORT: Mapping[Status, str] = {
    **{status: f"{option} ended the run before" for status, option in ENDED_EARLY.items()},
    Status.INTERRUPTED: "the run was interrupted before",
    Status.CRASHED: "the suite fell over before",
}
"""What kept a rule from being judged."""

MEANING: Mapping[Exit, str] = {
    Exit.DOES_NOT: "does not conform",
    Exit.INCONCLUSIVE: "could not be decided",
    Exit.CANDIDATE_ERROR: "could not be judged in full",
    Exit.USAGE: "was not judged",
    Exit.FAULT: "was not judged in full: the suite has a fault of its own",
    Exit.INTERRUPTED: "was not judged in full: the run was interrupted",
}
"""Of a candidate that cannot be said to conform."""


class Standard(StrEnum):
    """What a candidate is held against; the exit status goes by the first, and under ``--strict`` by the second."""

    PROMISED = "as promised"
    """Every MUST: what upstream says, or tests."""
    UPSTREAM = "as upstream does"
    """Every SHOULD, too: what may take upstream's place, and nobody notices."""

    def judge(self, verdicts: Iterable[Verdict]) -> Exit:
        """Return what a candidate with these verdicts is by this standard, whatever a baseline says."""
        return exit_code([it.by_itself for it in verdicts], strict=self is Standard.UPSTREAM)


@dataclass(frozen=True)
class Report:
    """Everything that a run has found out."""

    suite: str
    target: str
    name: str
    version: str
    kubernetes: str
    """Whose ways it was judged by; empty for the newest."""
    seed: int
    strict: bool
    verdicts: Sequence[Verdict]
    status: Status = Status.COMPLETE
    """How the run itself ended."""
    fault: str = ""
    """What the suite fell over, if it did."""
    began: datetime = field(default_factory=lambda: datetime.now(UTC))
    complaints: Sequence[str] = ()
    """What is wrong with the baseline."""
    seconds: Mapping[str, float] = field(default_factory=dict)
    """How long each verdict took to be reached, by its id."""
    unjudged: Sequence[str] = ()
    """The ids of what was asked for as well, and was not judged."""
    replayed: bool = False
    """Whether only that was judged which was broken before."""

    @classmethod
    def of(
        cls,
        candidate: Reached,
        request: Request,
        verdicts: Sequence[Verdict],
        seconds: Mapping[str, float],
        *,
        status: Status,
        fault: str = "",
        began: datetime | None = None,
        unjudged: Sequence[str] = (),
    ) -> Self:
        """What a run by this request has found out about the candidate."""
        return cls(
            version("stingy"),
            request.target,
            candidate.name,
            candidate.version,
            candidate.kubernetes,
            request.seed or 0,
            request.strict,
            verdicts,
            status=status,
            fault=fault,
            began=began or datetime.now(UTC),
            seconds=seconds,
            unjudged=unjudged,
        )

    def took(self, verdict: Verdict) -> float:
        """Seconds."""
        return self.seconds.get(verdict.id, 0.0)

    @property
    def lasted(self) -> float:
        """Seconds from the first verdict to the last."""
        return sum(self.seconds.values())

    @property
    def exit(self) -> Exit:
        """The exit status: failures that a baseline knows do not count in it, and what is wrong with the baseline does."""
        found = self._as_it_ended(exit_code(self.verdicts, strict=self.strict))
        return Exit.DOES_NOT if self.complaints and found in (Exit.CONFORMS, Exit.INCONCLUSIVE) else found

    @property
    def standard(self) -> Standard:
        """The standard that the exit status goes by."""
        return Standard.UPSTREAM if self.strict else Standard.PROMISED

    def held_against(self, standard: Standard) -> Exit:
        """Return what came of it by this standard, whatever a baseline says."""
        return self._as_it_ended(standard.judge(self.verdicts))

    def _as_it_ended(self, found: Exit) -> Exit:
        """Return the exit status of verdicts in a run that ended as this one did."""
        if self.status is Status.CRASHED:
            return Exit.FAULT
        if self.status is Status.INTERRUPTED:
            return Exit.INTERRUPTED
        if self.status in ENDED_EARLY and (found is Exit.CONFORMS or not self.offered):
            return Exit.INCONCLUSIVE  # what was not judged may be broken, too
        return found

    @property
    def is_known_to_fail(self) -> bool:
        """True if only a baseline makes the exit status 0."""
        return self.exit is Exit.CONFORMS and self.held_against(self.standard) is not Exit.CONFORMS

    @property
    def who(self) -> str:
        """The candidate, by its name and its version."""
        return f"{in_a_line(self.name, NAME)} {in_a_line(self.version, NAME)}".strip() or "the candidate"

    @property
    def headline(self) -> str:
        """Who it is, and what came of it."""
        return f"{self.who}{self.meaning}"

    @property
    def meaning(self) -> str:
        """What is to be said right behind its name; only who was asked all that a profile promises is said to conform."""
        promised, upstream = map(self.held_against, Standard)
        if self.is_known_to_fail:
            return f" is as its baseline says, and {MEANING[Exit.DOES_NOT]}"
        if self.exit is Exit.DOES_NOT and self.held_against(self.standard) is Exit.CONFORMS:
            return " is not as its baseline says"
        if promised is not Exit.CONFORMS:
            return f" {MEANING[self.exit]}"
        held = "and" if upstream is Exit.CONFORMS else "but not"
        conforms = f" conforms {Standard.PROMISED} {held} {Standard.UPSTREAM}{self._how_far}"
        if set(self.whole) == {verdict.profile for verdict in self.offered}:
            return conforms
        if self.whole:
            return f"{conforms}, by the rules of {' and of '.join(self.whole)}"
        judged = len({verdict.rule for verdict in self.offered})
        kept = "no MUST" if Finding.FAIL in self.counts else "nothing"
        return f": {kept} broken among the {judged} rules judged"

    @property
    def _how_far(self) -> str:
        """Restriction on the word *conforms* where the order of the threads was controlled for less than half of what was kept."""
        kept = [verdict.evidence for verdict in self.offered if verdict.verdict is Finding.PASS]
        return ", as far as real time shows" if kept.count(Evidence.TIMED) > len(kept) / 2 else ""

    @property
    def cut_short(self) -> str:
        """How much of what was asked for was not judged; empty if all was."""
        if not self.unjudged:
            return ""
        more = f"{len(self.unjudged):,} more have not been judged"
        option = ENDED_EARLY.get(self.status)
        return f"{option} ended the run: {more}" if option else more

    @property
    def why_unjudged(self) -> str:
        """Of each of them."""
        return f"not judged: {CUT_SHORT.get(self.status, 'it is not known why')}"

    @property
    def offered(self) -> Sequence[Verdict]:
        return [verdict for verdict in self.verdicts if verdict.verdict is not Finding.NOT_OFFERED]

    @property
    def whole(self) -> Sequence[str]:
        """The profiles of which something is offered, and every rule was judged."""
        from stingy.guarantees import all_rules

        judged = {verdict.rule for verdict in self.verdicts}
        offered = {verdict.profile for verdict in self.offered}
        rules = all_rules().values()
        left_out = {rule.profile.name for rule in rules if rule.id not in judged}
        return [
            name for name in dict.fromkeys(rule.profile.name for rule in rules) if name in offered - left_out
        ]

    @property
    def told(self) -> Sequence[Verdict]:
        """What there is a story to tell of, in reading order."""
        return [verdict for verdict in self.verdicts if verdict.verdict in TOLD]

    @property
    def failures(self) -> Sequence[Failure]:
        """The same, where the rows of one table are told once."""
        groups = groupby(self.told, key=lambda verdict: (verdict.rule, verdict.verdict))
        return [_failure(list(group)) for _, group in groups]

    @property
    def by_profile(self) -> Mapping[str, Mapping[str, Sequence[Verdict]]]:
        """The verdicts of each profile, by the guarantees of their rules."""
        found: dict[str, dict[str, list[Verdict]]] = {}
        for verdict in self.verdicts:
            guarantee = verdict.rule.partition("/")[0]
            found.setdefault(verdict.profile, {}).setdefault(guarantee, []).append(verdict)
        return found

    @property
    def likeness(self) -> Likeness | None:
        """What it looks like from afar: not to be told without the rules that were kept."""
        return None if self.replayed or self.status in ENDED_EARLY else find_nearest(self.verdicts)

    @property
    def unjudged_by_profile(self) -> Mapping[str, Sequence[str]]:
        """The ids of what was asked for as well, by the profiles of their rules."""
        from stingy.guarantees import all_rules

        found: dict[str, list[str]] = {}
        for id_ in self.unjudged:
            found.setdefault(all_rules()[id_.partition("[")[0]].profile.name, []).append(id_)
        return found

    def blocked_by(self, rule: str) -> Sequence[str]:
        """The rules that cannot be told from this one, which is not kept."""
        blocked = (it.rule for it in self.verdicts if it.verdict is Finding.BLOCKED and it.behind == rule)
        return list(dict.fromkeys(blocked))

    @property
    def transitions(self) -> Mapping[Transition, bool]:
        """Which of the model's ways of answering the kept rules went through; nothing if none of them is about a work queue."""
        seen = {transition for verdict in self.verdicts for transition in verdict.exercised}
        drains = any(
            verdict.profile == "drain" and verdict.verdict is not Finding.NOT_OFFERED
            for verdict in self.verdicts
        )
        asked = [transition for transition in Transition if drains or transition not in DRAINS]
        return {transition: transition in seen for transition in asked} if seen else {}

    @property
    def counts(self) -> Mapping[Finding, int]:
        return Counter(verdict.verdict for verdict in self.verdicts)


@dataclass(frozen=True)
class Failure:
    """A broken rule, told by the shortest of its stories."""

    verdict: Verdict
    others: Sequence[Verdict]
    """Of the other rows of its table that are broken."""


def _failure(rows: Sequence[Verdict]) -> Failure:
    shortest = min(rows, key=lambda verdict: len(verdict.story))
    return Failure(shortest, [verdict for verdict in rows if verdict is not shortest])


class ReportError(Exception):
    """A report cannot be written as asked; the message says what to write instead."""


def parse_spec(spec: str) -> tuple[str, Path | None]:
    """``FORMAT`` or ``FORMAT=PATH``, taken apart."""
    name, _, path = spec.partition("=")
    if name not in FORMATS:
        raise ReportError(f"there is no report format {name!r}; there is {', '.join(FORMATS)}")
    return name, Path(path) if path else None


def write(spec: str, outcome: Report) -> None:
    """Write one report, to its file or to standard output; a file that is there stays as it is until the report is whole."""
    name, path = parse_spec(spec)
    report = import_module(f"{__name__}.{name}")
    if path is None:
        # How a command ends that cannot write there is the command's business.
        report.write(outcome, sys.stdout)
        return
    try:
        if path.is_dir():
            if not hasattr(report, "write_into"):
                raise ReportError(
                    f"{path} is a folder: name a file in it, as in {name}={path / 'stingy.txt'}"
                )
            report.write_into(outcome, path)
        elif (out := stream(path)) is not None:
            with out:
                report.write(outcome, out)
        else:
            whole = StringIO()
            report.write(outcome, whole)
            put(path, whole.getvalue())
    except OSError as error:
        raise ReportError(f"the report cannot be written to {path}: {error.strerror}") from None
