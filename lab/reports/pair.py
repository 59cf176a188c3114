"""What was found of the two releases of an exhibit: that with the bug, and that without."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import msgspec

from lab.exhibits import Exhibit, Side
from stingy.language.rule import Level
from stingy.reports.json import Document, read
from stingy.verdict import Finding, Verdict, worst


class Outcome(StrEnum):
    FOUND = "found"
    """A rule is broken by the one release, and kept by the other."""
    NOT_FOUND = "not found"
    RED_AFTER = "red after, too"
    """What it would be found by is broken by the release without it as well."""
    NOT_BUILT = "not built"


class Occasion(msgspec.Struct, frozen=True):
    """Day on which a release was judged; written into the report that is kept."""

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
        """Those of these rules that tell the one from the other."""
        return [rule for rule in self._red(rules) if _finding(self.after, rule) is Finding.PASS]

    def shown_by(self, rule: str) -> Verdict:
        """The row of a broken rule that shows it in the fewest lines."""
        rows = [row for row in self.before.results if row.rule == rule and row.verdict is Finding.FAIL]
        return min(rows, key=lambda row: (len(row.story), row.case))

    @property
    def rules(self) -> Sequence[str]:
        """All that they were judged by, those first that demand the most."""
        levels = {row.rule: row.level for row in self.before.results}
        return sorted(levels, key=lambda rule: levels[rule] is Level.SHOULD)

    def _red(self, rules: Sequence[str]) -> Sequence[str]:
        return [rule for rule in rules if _finding(self.before, rule) is Finding.FAIL]


def _finding(report: Document, rule: str) -> Finding:
    """What a report that was kept leaves out is not offered."""
    return worst(row for row in report.results if row.rule == rule)


def recorded(it: Exhibit) -> Pair:
    """What is recorded of it; ReportError if that cannot be read."""
    return Pair(read(it.record(Side.BEFORE)), read(it.record(Side.AFTER)))


def occasion(it: Exhibit, side: Side) -> Occasion:
    """Return when it was judged."""
    return msgspec.json.decode(it.record(side).read_bytes(), type=_Kept).judged
