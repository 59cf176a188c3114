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
    RED_AFTER = "red after, too"
    """A rule that should find it is also broken by the release without the bug."""
    NOT_BUILT = "not built"


class Occasion(msgspec.Struct, frozen=True):
    """Day on which a release was judged; stored in its recorded report."""

    date: str
    seconds: float
    """To build and judge it."""


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
        """Return those of these rules that are broken before the fix and kept after it."""
        return [rule for rule in self._red(rules) if _finding(self.after, rule) is Finding.PASS]

    def shown_by(self, rule: str) -> Verdict:
        """Return the row of a broken rule with the fewest lines."""
        rows = [row for row in self.before.results if row.rule == rule and row.verdict is Finding.FAIL]
        return min(rows, key=lambda row: (len(row.story), row.case))

    @property
    def rules(self) -> Sequence[str]:
        """All rules that both were judged by; every SHOULD comes last."""
        levels = {row.rule: row.level for row in self.before.results}
        return sorted(levels, key=lambda rule: levels[rule] is Level.SHOULD)

    def _red(self, rules: Sequence[str]) -> Sequence[str]:
        return [rule for rule in rules if _finding(self.before, rule) is Finding.FAIL]


def _finding(report: Document, rule: str) -> Finding:
    """Return the finding; NOT-OFFERED if a recorded report has no row of the rule."""
    return worst(row for row in report.results if row.rule == rule)


def recorded(it: Exhibit) -> Pair:
    """Return the recorded pair. Raises ReportError if it cannot be read."""
    return Pair(read(it.record(Side.BEFORE)), read(it.record(Side.AFTER)))


def occasion(it: Exhibit, side: Side) -> Occasion:
    """Return the day on which the release was judged."""
    return msgspec.json.decode(it.record(side).read_bytes(), type=_Kept).judged
