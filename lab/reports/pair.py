"""Results of the two releases of an exhibit: the last one with the bug, the first one without."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import msgspec

from lab.exhibits import Exhibit, Side
from lab.recorded import read
from stingy.judging.verdict import Finding, Verdict, worst
from stingy.language.rule import Level
from stingy.reports.json import Document


class Outcome(StrEnum):
    FOUND = "found"
    """A rule is broken by the release with the bug, and kept by the other."""
    NOT_FOUND = "not found"
    RED_AFTER = "still broken after the fix"
    """The release with the bug breaks a rule, but the other release keeps no such rule."""
    NOT_BUILT = "not built"


class Occasion(msgspec.Struct, frozen=True):
    """Day on which a release was judged, and how long that took; a part of its recorded report."""

    date: str
    seconds: float
    """Seconds that it took to build and judge the release."""


class _Kept(msgspec.Struct):
    judged: Occasion


@dataclass(frozen=True)
class Pair:
    before: Document
    after: Document

    def outcome(self, rules: Sequence[str]) -> Outcome:
        if self.found_by(rules):
            return Outcome.FOUND
        return Outcome.RED_AFTER if self._red(rules) else Outcome.NOT_FOUND

    def found_by(self, rules: Sequence[str]) -> Sequence[str]:
        """Return those of ``rules`` that the release with the bug breaks and the one without it keeps."""
        return [rule for rule in self._red(rules) if _finding(self.after, rule) is Finding.PASS]

    def shown_by(self, rule: str) -> Verdict:
        """Return the verdict with the shortest story by which the release with the bug breaks this rule."""
        rows = [row for row in self.before.results if row.rule == rule and row.verdict is Finding.FAIL]
        return min(rows, key=lambda row: (len(row.story), row.case))

    @property
    def rules(self) -> Sequence[str]:
        """Ids of the rules by which the release with the bug was judged; SHOULDs come last."""
        levels = {row.rule: row.level for row in self.before.results}
        return sorted(levels, key=lambda rule: levels[rule] is Level.SHOULD)

    def _red(self, rules: Sequence[str]) -> Sequence[str]:
        return [rule for rule in rules if _finding(self.before, rule) is Finding.FAIL]


def _finding(report: Document, rule: str) -> Finding:
    """Return the worst finding of a rule in a report; NOT-OFFERED if the report has no row of the rule."""
    return worst(row for row in report.results if row.rule == rule)


def recorded(it: Exhibit) -> Pair:
    """Return the recorded reports on both releases. Raises ReportError if one cannot be read."""
    return Pair(read(it.record(Side.BEFORE)), read(it.record(Side.AFTER)))


def occasion(it: Exhibit, side: Side) -> Occasion:
    """Return when a release of the exhibit was judged, and how long that took, from its recorded report."""
    return msgspec.json.decode(it.record(side).read_bytes(), type=_Kept).judged
