"""One self-contained HTML page: the results, and each broken rule with its story as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TextIO

from stingy.guarantees import all_rules, titles
from stingy.judging.verdict import Finding, Verdict
from stingy.language.account import find_wrong
from stingy.language.rule import Rule
from stingy.reports import TOLD, Failure, Report
from stingy.reports.page import part, template
from stingy.reports.story import has_sets, notes_on
from stingy.reports.timeline import Timeline, timeline


@dataclass(frozen=True)
class Article:
    """The data that the HTML page shows about one broken rule."""

    failure: Failure
    blocked: Sequence[str]

    @property
    def verdict(self) -> Verdict:
        return self.failure.verdict

    @property
    def rule(self) -> Rule:
        return all_rules()[self.verdict.rule]

    @property
    def anchor(self) -> str:
        return self.verdict.rule.replace("/", "-")

    @cached_property
    def timeline(self) -> Timeline:
        return timeline(self.verdict.story)

    @property
    def notes(self) -> Sequence[str]:
        return [*notes_on(self.verdict.story, at_once=self.rule.races)]

    @property
    def wrong(self) -> int:
        """Number of the first wrong step of the story, counted from 1; 0 if no step is marked wrong."""
        wrong = find_wrong(self.verdict.story)
        return 0 if wrong is None else wrong + 1

    @property
    def sets(self) -> bool:
        return has_sets(self.verdict.story)


def write(outcome: Report, out: TextIO) -> None:
    out.write(
        template("report.html").render(
            style=part("report.css"),
            script=part("report.js"),
            outcome=outcome,
            told=[finding.value for finding in TOLD],
            findings=[finding for finding in Finding if outcome.counts.get(finding)],
            titles=titles(),
            articles=[
                Article(failure, outcome.blocked_by(failure.verdict.rule))
                for cause in outcome.causes
                for failure in (cause.lead, *cause.others)
            ],
            causes=outcome.causes,
        )
    )
