"""A screen of text: the result, then each cause with its plainest story, and what to do next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TextIO

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from stingy.contract.testimony import in_a_line, in_lines
from stingy.guarantees import all_rules
from stingy.judging.verdict import Finding
from stingy.language.account import find_wrong
from stingy.language.rule import Rule
from stingy.reports import Cause, Report
from stingy.reports.places import find_places
from stingy.reports.story import LINES, count, story
from stingy.reports.verbose import (
    FEW,
    STYLES,
    Hanging,
    columns,
    describe_run,
    describe_unseen,
    describe_verdict,
    describe_ways,
    few,
    head,
    next_steps,
    notes,
    render,
    result,
    results,
    tally,
    undecided,
)

SCREEN = 40
"""Lines of a terminal's window; stories are cut so that the report has no more, if possible."""

CAUSES = 3
"""Most causes that are shown with a story."""

DOES: Mapping[Finding, str] = {
    Finding.FAIL: "breaks",
    Finding.ERROR: "stops",
    Finding.UNEXPECTED_PASS: "mends",
}
"""Verbs for the effect of a cause on its rules, by finding: an ERROR stops a rule, and breaks none."""

SHORTEST = 4
"""Fewest lines that are shown of a longer story, even if the report then has more than ``SCREEN``."""


def write(outcome: Report, out: TextIO) -> None:
    causes = outcome.causes
    longest = max((len(cause.lead.verdict.story) for cause in causes[:CAUSES]), default=0)
    # A limit above the longest story changes nothing, so the first one is no higher.
    for most in range(max(SHORTEST, min(LINES, longest)), SHORTEST - 1, -1):
        lines = [*render(_parts(outcome, causes, most), out), *next_steps(outcome, more=True)]
        if len(lines) <= SCREEN:
            break
    out.writelines(lines)


def _parts(outcome: Report, causes: Sequence[Cause], most: int) -> Iterator[RenderableType]:
    """Yield the parts of the report, with at most ``most`` lines of each story."""
    yield Hanging(_headline(outcome, causes))
    yield describe_run(outcome)
    if causes:
        for number, cause in enumerate(causes[:CAUSES], 1):
            yield ""
            yield _block(number if causes[1:] else 0, cause, outcome, most)
        if others := causes[CAUSES:]:
            yield ""
            rules = [cause.lead.verdict.rule for cause in others]
            yield Hanging(Text(f"{len(others)} more {_name(others)}: {few(rules)}"))
    elif outcome.offered:
        yield ""
        yield results(outcome, whole=False)
        yield from notes(outcome)
    unsure = list(undecided(outcome))
    yield from unsure[:FEW]
    if unsure[FEW:]:
        yield Text(
            f"and {len(unsure) - FEW} more reasons why rules are undecided", STYLES[Finding.INCONCLUSIVE]
        )
    for complaint in outcome.complaints:
        yield Hanging(Text(in_lines(f"baseline: {complaint}"), "bold red"))
    if outcome.ways and not causes:
        yield describe_ways(outcome.ways)
    yield from describe_unseen(outcome)
    yield from _not_offered(outcome)


def _headline(outcome: Report, causes: Sequence[Cause]) -> Text:
    wrong = [cause for cause in causes if cause.lead.verdict.verdict is not Finding.UNEXPECTED_PASS]
    counted = f"{len(wrong)} {_name(wrong)}; " if wrong else ""
    return result(outcome, Text.assemble(counted, tally(outcome.offered, evidence=not causes)))


def _name(causes: Sequence[Cause]) -> str:
    return "causes" if causes[1:] else "cause"


def _block(number: int, cause: Cause, outcome: Report, most: int) -> RenderableType:
    """Return the text on one cause; ``number`` is its number, or 0 if it is the only one."""
    verdict = cause.lead.verdict
    rule = all_rules()[verdict.rule]
    lines: list[RenderableType] = [Text(rule.sentence)]
    if verdict.story:
        lines.append(story(verdict.story, at_once=rule.races, most=most))
    facts = columns()
    for name, told in _facts(cause, rule, outcome):
        facts.add_row(name, Text(in_lines(told)))
    numbered = Text.assemble(f"{number}  " if number else "", head(verdict))
    return Group(Hanging(numbered), Padding(Group(*lines, facts), (0, 0, 0, 3)))


def _facts(cause: Cause, rule: Rule, outcome: Report) -> Iterator[tuple[str, str]]:
    verdict = cause.lead.verdict
    # A line that is marked as wrong says why.
    yield from describe_verdict(verdict, rule, because=find_wrong(verdict.story) is None)
    if verdict.conflict is None and (places := find_places(verdict.story, dict(verdict.code))):
        yield "your code", " · ".join(map(str, places))
    if cause.fault:
        yield "looks like", cause.fault.says
    if also := _also(cause, outcome):
        yield "as well", also


def _also(cause: Cause, outcome: Report) -> str:
    """Return what else the cause breaks and blocks, as in ``breaks a/b and c/d, in 4 rows; blocks 2 rules``.

    The numbers of all causes add up to those of the headline, which counts each row of a table.
    """
    does = DOES[cause.lead.verdict.verdict]
    more = len(cause.lead.others)
    others = [row.rule for it in cause.others for row in (it.verdict, *it.others)]
    broken = {verdict.rule for verdict in cause.verdicts}
    blocked = [it.rule for it in outcome.verdicts if it.verdict is Finding.BLOCKED and it.behind in broken]
    said = [
        f"{does} it in {count(more, 'more row')}" if more else "",
        f"{does} {few(list(dict.fromkeys(others)))}{_in_rows(others)}" if others else "",
        f"blocks {count(len(set(blocked)), 'rule')}{_in_rows(blocked)}" if blocked else "",
    ]
    return "; ".join(filter(None, said))


def _in_rows(rules: Sequence[str]) -> str:
    """Return how many rows these rules have, as in ``, in 4 rows``; empty if each has one.

    ``rules`` has one rule for each row.
    """
    return f", in {len(rules)} rows" if len(rules) > len(set(rules)) else ""


def _not_offered(outcome: Report) -> Iterator[RenderableType]:
    """Yield a line that names the profiles of which the candidate offers nothing, if there are any.

    If it offers nothing at all, yield a line for each profile with what the candidate lacks.
    """
    offered = {verdict.profile for verdict in outcome.offered}
    if not offered and outcome.verdicts:
        lacks = columns()
        for profile, guarantees in outcome.by_profile.items():
            first = next(iter(guarantees.values()))[0]
            lacks.add_row(Text(f"not {in_a_line(profile)}"), Text(in_a_line(first.because)))
        yield ""
        yield lacks
    elif others := [profile for profile in outcome.by_profile if profile not in offered]:
        judged = in_a_line(", ".join(offered))
        yield Hanging(Text(f"judged: {judged}; not offered: {in_a_line(', '.join(others))}", "dim"))
