"""One page in one file, with nothing from elsewhere: what was kept, and each broken rule with its story in pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import TextIO

from stingy.faults import nearest
from stingy.guarantees import all_rules, guarantees, title
from stingy.language.rule import Rule
from stingy.reports import TOLD, Outcome
from stingy.reports.page import template
from stingy.reports.terminal import MEANING
from stingy.reports.timeline import Timeline, timeline
from stingy.verdict import Finding, Verdict


@dataclass(frozen=True)
class Failure:
    """A broken rule, told by the shortest of its stories."""

    verdict: Verdict
    others: Sequence[Verdict]
    outcome: Outcome

    @property
    def rule(self) -> Rule:
        return all_rules()[self.verdict.rule]

    @property
    def anchor(self) -> str:
        return self.verdict.rule.replace("/", "-")

    @property
    def blocked(self) -> Sequence[str]:
        return self.outcome.blocked_by(self.verdict.rule)

    @cached_property
    def timeline(self) -> Timeline:
        return timeline(self.verdict.story)

    @property
    def wrong(self) -> int:
        """The number of the first step that is wrong, from 1; 0 where that cannot be said."""
        return next((n for n, line in enumerate(self.verdict.story, 1) if line.expected), 0)

    @property
    def sets(self) -> bool:
        return any(line.held for line in self.verdict.story)


def write(outcome: Outcome, out: TextIO) -> None:
    out.write(
        template("report.html").render(
            outcome=outcome,
            meaning=MEANING[outcome.exit][1],
            told=[finding.value for finding in TOLD],
            findings=[finding for finding in Finding if outcome.counts.get(finding)],
            profiles=_profiles(outcome),
            failures=_failures(outcome),
            likeness=nearest(outcome.verdicts),
        )
    )


def _profiles(outcome: Outcome) -> Mapping[str, Mapping[str, Sequence[Verdict]]]:
    """By profile and the title of the guarantee."""
    titles = {guarantee.__name__.rpartition(".")[2]: title(guarantee) for guarantee in guarantees()}
    found: dict[str, dict[str, list[Verdict]]] = {}
    for verdict in outcome.verdicts:
        by_guarantee = found.setdefault(verdict.profile, {})
        by_guarantee.setdefault(titles[verdict.rule.partition("/")[0]], []).append(verdict)
    return found


def _failures(outcome: Outcome) -> Sequence[Failure]:
    groups = [
        list(group) for _, group in groupby(outcome.told, key=lambda verdict: (verdict.rule, verdict.verdict))
    ]
    return [_failure(group, outcome) for group in groups]


def _failure(group: Sequence[Verdict], outcome: Outcome) -> Failure:
    shortest = min(group, key=lambda verdict: len(verdict.story))
    return Failure(shortest, [verdict for verdict in group if verdict is not shortest], outcome)
