"""Reports of a run. Each format is a module of this package with ``write(outcome, out)``."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from functools import cached_property
from importlib import import_module
from importlib.metadata import version
from io import StringIO
from itertools import groupby
from pathlib import Path
from typing import Self

from stingy.contract.testimony import NAME, in_a_line
from stingy.judging.verdict import Evidence, Exit, Finding, Status, Verdict, exit_code, rule_of
from stingy.language.ways import OFFERED, Way, all_ways
from stingy.process.file import put, stream
from stingy.reports.faults import Fault
from stingy.reports.likeness import find_fault
from stingy.request import STANDARD_OUTPUT, Request
from stingy.transport import Reached

TOLD = (Finding.FAIL, Finding.UNEXPECTED_PASS, Finding.ERROR)
"""Findings that are reported with a story; known failures are only counted."""

FORMATS = ("terminal", "verbose", "json", "html", "junit", "markdown", "github", "ctrf", "badge")

ENDED_EARLY: Mapping[Status, str] = {Status.STOPPED: "--fail-fast", Status.OUT_OF_TIME: "--time"}
"""The option by which a user ended a run before everything was judged, by the run's status."""

CUT_SHORT: Mapping[Status, str] = {
    **{status: f"{option} ended the run before" for status, option in ENDED_EARLY.items()},
    Status.INTERRUPTED: "the run was interrupted before",
    Status.CRASHED: "the suite crashed before",
}
"""Why a rule was not judged, by the run's status; the text follows "not judged: "."""

MEANING: Mapping[Exit, str] = {
    Exit.DOES_NOT: "does not conform",
    Exit.INCONCLUSIVE: "could not be decided",
    Exit.CANDIDATE_ERROR: "could not be judged in full",
    Exit.USAGE: "was not judged",
    Exit.FAULT: "was not judged in full: stingy itself has a fault",
    Exit.INTERRUPTED: "was not judged in full: the run was interrupted",
}
"""The text after a candidate's name, by exit status, unless the candidate conforms."""


class Standard(StrEnum):
    """A standard that a candidate can meet: it keeps every MUST, or every SHOULD as well.

    The exit status of a run says whether it meets the first; with ``--strict``, the second.
    """

    PROMISED = "as promised"
    """Every MUST: what upstream documents or tests."""
    UPSTREAM = "as upstream does"
    """Every SHOULD as well: the candidate can replace upstream unnoticed."""

    def judge(self, verdicts: Iterable[Verdict]) -> Exit:
        """Return the exit status for these verdicts by this standard, without a baseline."""
        return exit_code([it.by_itself for it in verdicts], strict=self is Standard.UPSTREAM)


@dataclass(frozen=True)
class Reporter:
    """The organisation or person that publishes a report; each field is empty if it is not named."""

    name: str = ""
    """Name, as in ``acme/queue``."""
    url: str = ""


NO_REPORTER = Reporter()


@dataclass(frozen=True)
class Report:
    """All results of a run."""

    suite: str
    request: Request
    name: str
    version: str
    kubernetes: str
    """Kubernetes version whose behaviour the rules expected; empty for the newest."""
    verdicts: Sequence[Verdict]
    status: Status = Status.COMPLETE
    """How the run itself ended."""
    fault: str = ""
    """The error that the suite crashed with; empty if it did not."""
    began: datetime = field(default_factory=lambda: datetime.now(UTC))
    lasted: float = 0.0
    """Seconds of real time that judging took in all; 0 if unknown."""
    complaints: Sequence[str] = ()
    """Sentences about what is wrong with the baseline; empty if nothing is."""
    seconds: Mapping[str, float] = field(default_factory=dict)
    """Seconds that each verdict took, by its id."""
    unjudged: Sequence[str] = ()
    """Ids of the rules and rows that were requested but not judged."""
    replayed: bool = False
    """True if only rules broken in an earlier report were judged."""
    reporter: Reporter = NO_REPORTER

    @classmethod
    def of(
        cls,
        candidate: Reached,
        request: Request,
        verdicts: Sequence[Verdict],
        seconds: Mapping[str, float],
        *,
        status: Status,
        began: datetime,
        fault: str = "",
        unjudged: Sequence[str] = (),
    ) -> Self:
        """Return the report of a run that judged this candidate as the request says, and ends now.

        ``seconds``: the time that each verdict took, by its id. ``began``: when judging began.
        """
        return cls(
            version("stingy"),
            request,
            candidate.name,
            candidate.version,
            candidate.kubernetes,
            verdicts,
            status=status,
            fault=fault,
            began=began,
            lasted=max(0.0, (datetime.now(UTC) - began).total_seconds()),
            seconds=seconds,
            unjudged=unjudged,
        )

    def took(self, verdict: Verdict) -> float:
        """Return how many seconds judging took for this verdict."""
        return self.seconds.get(verdict.id, 0.0)

    @property
    def exit(self) -> Exit:
        """The exit status of the run.

        Failures that the baseline lists do not count; complaints about the baseline do.
        """
        found = self._as_it_ended(exit_code(self.verdicts, strict=self.request.strict))
        return Exit.DOES_NOT if self.complaints and found in (Exit.CONFORMS, Exit.INCONCLUSIVE) else found

    @property
    def standard(self) -> Standard:
        """The standard by which the exit status is computed: with ``--strict``, every SHOULD as well."""
        return Standard.UPSTREAM if self.request.strict else Standard.PROMISED

    def held_against(self, standard: Standard) -> Exit:
        """Return the exit status of the run by this standard, without a baseline."""
        return self._as_it_ended(standard.judge(self.verdicts))

    def _as_it_ended(self, found: Exit) -> Exit:
        """Return the exit status of the run; ``found`` is the status for its verdicts alone.

        The two differ if the suite crashed, or if the run was interrupted or ended early.
        """
        if self.status is Status.CRASHED:
            return Exit.FAULT
        if self.status is Status.INTERRUPTED:
            return Exit.INTERRUPTED
        if self.status in ENDED_EARLY and (found is Exit.CONFORMS or not self.offered):
            return Exit.INCONCLUSIVE  # a rule that was not judged may be broken
        return found

    @property
    def is_known_to_fail(self) -> bool:
        """True if the exit status is 0 only because of a baseline."""
        return self.exit is Exit.CONFORMS and self.held_against(self.standard) is not Exit.CONFORMS

    @property
    def who(self) -> str:
        """The candidate's name and version."""
        return f"{in_a_line(self.name, NAME)} {in_a_line(self.version, NAME)}".strip() or "the candidate"

    @property
    def headline(self) -> str:
        """The candidate's name and version, and the result, as one sentence."""
        return f"{self.who}{self.meaning}"

    @property
    def meaning(self) -> str:
        """The result as text, which follows the candidate's name, and the edition if one was requested.

        It contains *conforms* only if every rule of at least one profile was judged.
        """
        return f"{self._result}{self._by_edition}"

    @property
    def _result(self) -> str:
        promised, upstream = map(self.held_against, Standard)
        if self.is_known_to_fail:
            return f" matches its baseline, but {MEANING[Exit.DOES_NOT]}"
        if self.exit is Exit.DOES_NOT and self.held_against(self.standard) is Exit.CONFORMS:
            return " does not match its baseline"
        if self.exit is Exit.CANDIDATE_ERROR and not self.offered:
            return f" {MEANING[Exit.USAGE]}: it offers nothing that these rules ask for"
        if promised is not Exit.CONFORMS:
            return f" {MEANING[self.exit]}"
        held = "and" if upstream is Exit.CONFORMS else "but not"
        conforms = f" conforms {Standard.PROMISED} {held} {Standard.UPSTREAM}{self._how_far}"
        if set(self.whole) == {verdict.profile for verdict in self.offered}:
            return conforms
        if self.whole:
            return f"{conforms}, by the rules of {' and of '.join(self.whole)}"
        judged = len({verdict.rule for verdict in self.offered})
        lenient = self.counts.get(Finding.FAIL, 0)
        kept = "no MUST" if lenient else "nothing"
        but = f", but {lenient} SHOULD," if lenient and self.request.strict else ""
        return f": {kept} broken{but} among the {judged} rules judged"

    @property
    def _by_edition(self) -> str:
        """Text that names the edition, and how many judged rules became stricter after it; else empty."""
        if not self.request.edition:
            return ""
        from stingy.guarantees import all_rules

        judged = {verdict.rule for verdict in self.verdicts}
        later = sum(
            rule.id in judged and rule.sharpened > self.request.edition for rule in all_rules().values()
        )
        stricter = f"; {later} of its rules as sharpened later" if later else ""
        return f" (edition {self.request.edition}{stricter})"

    @property
    def _how_far(self) -> str:
        """Text that limits the word *conforms* if most rules were judged in real time; else empty."""
        kept = [verdict.evidence for verdict in self.offered if verdict.verdict is Finding.PASS]
        return ", as far as real time shows" if kept.count(Evidence.TIMED) > len(kept) / 2 else ""

    @property
    def cut_short(self) -> str:
        """Sentence that says how many requested rules were not judged; empty if all were judged."""
        if not self.unjudged:
            return ""
        more = f"{len(self.unjudged):,} more have not been judged"
        option = ENDED_EARLY.get(self.status)
        return f"{option} ended the run: {more}" if option else more

    @property
    def why_unjudged(self) -> str:
        """Text that a report shows for each rule that was not judged: why the run ended early."""
        return f"not judged: {CUT_SHORT.get(self.status, 'for an unknown reason')}"

    @property
    def offered(self) -> Sequence[Verdict]:
        return [verdict for verdict in self.verdicts if verdict.verdict is not Finding.NOT_OFFERED]

    @property
    def whole(self) -> Sequence[str]:
        """Names of the profiles whose rules (of the edition) were all judged, and that are offered in part."""
        from stingy.guarantees import GUARANTEES, all_rules, rules_by_id

        judged = {verdict.rule for verdict in self.verdicts}
        names = {id_.partition("/")[0] for id_ in judged}
        found = {verdict.profile for verdict in self.offered}
        # Most runs of some rules leave out others beside them: then no other guarantee is imported.
        for name in sorted(GUARANTEES, key=lambda name: name not in names):
            for rule in rules_by_id(name).values():
                if rule.is_in(self.request.edition) and rule.id not in judged:
                    found.discard(rule.profile.name)
            if not found:
                return []
        return [
            name
            for name in dict.fromkeys(rule.profile.name for rule in all_rules().values())
            if name in found
        ]

    @property
    def told(self) -> Sequence[Verdict]:
        """Verdicts that the report shows with a story, such as failures, in reading order."""
        return [verdict for verdict in self.verdicts if verdict.verdict in TOLD]

    @property
    def failures(self) -> Sequence[Failure]:
        """The verdicts of ``told``; rows of one table with the same finding are grouped."""
        groups = groupby(self.told, key=lambda verdict: (verdict.rule, verdict.verdict))
        return [_failure(list(group)) for _, group in groups]

    @property
    def by_profile(self) -> Mapping[str, Mapping[str, Sequence[Verdict]]]:
        """The verdicts by profile, and by guarantee within it."""
        found: dict[str, dict[str, list[Verdict]]] = {}
        for verdict in self.verdicts:
            guarantee = verdict.rule.partition("/")[0]
            found.setdefault(verdict.profile, {}).setdefault(guarantee, []).append(verdict)
        return found

    @cached_property
    def causes(self) -> Sequence[Cause]:
        """The failures, grouped by the mistake that may have caused them; the gravest is first.

        A replay, and a run that ended early, name no known faults: the comparison needs the kept rules.
        """
        from stingy.reports.causes import find_causes

        found = find_causes(self.failures)
        if self.replayed or self.status in CUT_SHORT:
            return found
        return [replace(cause, fault=find_fault(cause.verdicts, self.verdicts)) for cause in found]

    @property
    def unjudged_by_profile(self) -> Mapping[str, Sequence[str]]:
        """Ids of the rules and rows that were requested but not judged, by profile."""
        from stingy.guarantees import all_rules

        found: dict[str, list[str]] = {}
        for id_ in self.unjudged:
            found.setdefault(all_rules()[rule_of(id_)].profile.name, []).append(id_)
        return found

    def blocked_by(self, rule: str) -> Sequence[str]:
        """Return the ids of the rules that are BLOCKED because this rule is broken."""
        blocked = (it.rule for it in self.verdicts if it.verdict is Finding.BLOCKED and it.behind == rule)
        return list(dict.fromkeys(blocked))

    @property
    def ways(self) -> Mapping[Way, bool]:
        """The ways of an item through a queue that offers what this one does; True for each that an item went.

        Empty if no kept rule is about a queue.
        """
        seen = {way for verdict in self.verdicts for way in verdict.went}
        offered = {it.profile for it in self.verdicts if it.verdict is not Finding.NOT_OFFERED}
        calls = {call for profile in offered for call in OFFERED.get(profile, ())}
        return {way: way in seen for way in sorted(all_ways(calls))} if seen else {}

    @property
    def counts(self) -> Mapping[Finding, int]:
        return Counter(verdict.verdict for verdict in self.verdicts)


@dataclass(frozen=True)
class Failure:
    """A verdict to report with its story.

    Of verdicts on rows of one table with the same finding, it is the one with the shortest story.
    """

    verdict: Verdict
    others: Sequence[Verdict]
    """The verdicts with the same finding on other rows of that table."""


@dataclass(frozen=True)
class Cause:
    """Failures that one mistake in the candidate may explain."""

    lead: Failure
    """The failure that shows the mistake most clearly."""
    others: Sequence[Failure] = ()
    fault: Fault | None = None
    """The known fault that fails and answers as this cause does; None if none or several do."""

    @property
    def verdicts(self) -> Sequence[Verdict]:
        """All verdicts of the cause, those of ``lead`` first."""
        return [it for failure in (self.lead, *self.others) for it in (failure.verdict, *failure.others)]


def _failure(rows: Sequence[Verdict]) -> Failure:
    shortest = min(rows, key=lambda verdict: len(verdict.story))
    return Failure(shortest, [verdict for verdict in rows if verdict is not shortest])


class ReportError(Exception):
    """A report cannot be read or written; the message says why, or what to do instead."""


def parse_spec(spec: str) -> tuple[str, Path | None]:
    """Split ``FORMAT=PATH`` into format and path; the path is None for ``FORMAT`` and ``FORMAT=-``.

    Raises ReportError for an unknown format.
    """
    name, _, path = spec.partition("=")
    if name not in FORMATS:
        raise ReportError(f"there is no report format {name!r}: choose one of {', '.join(FORMATS)}")
    return name, None if path in ("", STANDARD_OUTPUT) else Path(path)


def write(spec: str, outcome: Report) -> None:
    """Write the report as ``spec`` says: ``FORMAT=PATH``, or ``FORMAT`` or ``FORMAT=-`` for stdout.

    An existing file stays as it is until the report is complete. Raises ReportError.
    """
    name, path = parse_spec(spec)
    report = import_module(f"{__name__}.{name}")
    if path is None:
        # The command handles an OSError of standard output.
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
