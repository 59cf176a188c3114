"""Markdown, for the summary of a CI job or a comment on a pull request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TextIO

from stingy.guarantees import all_rules
from stingy.reports import Outcome
from stingy.reports.terminal import failure
from stingy.verdict import Finding, Verdict

SHOWN = 20
"""A summary with more stories than these is not read."""


def write(outcome: Outcome, out: TextIO) -> None:
    out.writelines(f"{line}\n" for line in _lines(outcome))


def _lines(outcome: Outcome) -> Iterator[str]:
    yield f"### {outcome.headline}"
    yield ""
    yield f"`{outcome.target}`, judged by stingy {outcome.suite} with seed {outcome.seed}"
    yield ""
    yield f"| profile | {' | '.join(finding.value for finding in Finding)} |"
    yield f"|---|{'---:|' * len(Finding)}"
    for profile, by_guarantee in outcome.by_profile.items():
        counts = Counter(verdict.verdict for verdicts in by_guarantee.values() for verdict in verdicts)
        yield f"| {profile} | {' | '.join(str(counts[finding] or '') for finding in Finding)} |"
    broken = outcome.told
    for verdict in broken[:SHOWN]:
        yield ""
        yield from _told(verdict)
    if broken[SHOWN:]:
        yield ""
        yield f"And {len(broken) - SHOWN} more, which `--report terminal` tells."


def _told(verdict: Verdict) -> Iterator[str]:
    yield f"<details><summary><b>{verdict.verdict} {verdict.level}</b> <code>{verdict.id}</code></summary>"
    yield ""
    yield all_rules()[verdict.rule].sentence
    yield ""
    yield "````text"
    yield failure(verdict)
    yield "````"
    yield ""
    yield "</details>"
