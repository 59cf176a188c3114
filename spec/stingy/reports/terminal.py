"""For people: what was kept on one screen, and below it what was broken, with its story."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import TextIO

from rich.console import Console, Group, RenderableType
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from stingy.guarantees import all_rules, guarantees, title
from stingy.language.rule import Level
from stingy.reports import Outcome
from stingy.verdict import Evidence, Exit, Finding, Verdict

WIDTH = 100
STORY_LINES = 14
"""More lines of a story than this are not read; the JSON report has them all."""

STYLES: Mapping[Finding, str] = {
    Finding.PASS: "green",
    Finding.FAIL: "bold red",
    Finding.NOT_OFFERED: "dim",
    Finding.BLOCKED: "yellow",
    Finding.INCONCLUSIVE: "yellow",
    Finding.ERROR: "bold magenta",
}

MEANING: Mapping[Exit, tuple[str, str]] = {
    Exit.CONFORMS: ("green", "conforms"),
    Exit.DOES_NOT: ("bold red", "does not conform"),
    Exit.INCONCLUSIVE: ("yellow", "could not be decided"),
    Exit.CANDIDATE_ERROR: ("bold magenta", "could not be judged in full"),
    Exit.FAULT: ("bold magenta", "was not judged in full: the suite has a fault of its own"),
    Exit.USAGE: ("bold magenta", "was not judged"),
}


def write(outcome: Outcome, out: TextIO) -> None:
    tty = out.isatty() and "NO_COLOR" not in os.environ
    width = min(WIDTH, Console(file=out).width) if out.isatty() else WIDTH
    console = Console(file=out, width=width, highlight=False, no_color=not tty, soft_wrap=False)
    for part in _parts(outcome):
        console.print(part)


def failure(verdict: Verdict) -> str:
    """One broken rule as plain text, for pytest's report."""
    console = Console(width=WIDTH, no_color=True, highlight=False)
    with console.capture() as told:
        console.print(_block(verdict, []))
    return "\n".join(line.rstrip() for line in told.get().splitlines()).rstrip()


def _parts(outcome: Outcome) -> Iterator[RenderableType]:
    name = f"{outcome.name} {outcome.version}".strip()
    yield Text.assemble(
        (name, "bold"),
        f" · {outcome.target} · stingy {outcome.suite} · seed {outcome.seed}"
        + (" · strict" if outcome.strict else "")
        + (f" · Kubernetes {outcome.kubernetes}" if outcome.kubernetes else ""),
    )
    yield ""
    table = _table(outcome)
    yield table
    broken = [verdict for verdict in outcome.verdicts if verdict.verdict in (Finding.FAIL, Finding.ERROR)]
    for group in _alike(broken):
        yield ""
        shortest = min(group, key=lambda verdict: len(verdict.story))
        yield _block(shortest, [verdict for verdict in group if verdict is not shortest])
    yield from _notes(outcome, max(1, SCREEN - AROUND_THE_NOTES - table.row_count))
    yield ""
    yield _last_line(outcome, name)


def _table(outcome: Outcome) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
    table.add_column(width=8, style="bold")
    table.add_column(width=34)
    table.add_column()
    titles = {guarantee.__name__.rpartition(".")[2]: title(guarantee) for guarantee in guarantees()}
    rules = all_rules()
    by_profile: dict[str, dict[str, list[Verdict]]] = {}
    for verdict in outcome.verdicts:
        by_guarantee = by_profile.setdefault(verdict.profile, {})
        by_guarantee.setdefault(rules[verdict.rule].guarantee, []).append(verdict)
    for profile, by_guarantee in by_profile.items():
        everything = [verdict for verdicts in by_guarantee.values() for verdict in verdicts]
        if all(verdict.verdict is Finding.NOT_OFFERED for verdict in everything):
            table.add_row(profile, Text("not offered", "dim"), Text(everything[0].because, "dim"))
            continue
        for n, (guarantee, verdicts) in enumerate(by_guarantee.items()):
            table.add_row("" if n else profile, titles[guarantee], _tally(verdicts))
    return table


def _tally(verdicts: Iterable[Verdict]) -> Text:
    """``12 kept, 1 broken``: how many of each, the good ones first, by what evidence."""
    verdicts = list(verdicts)
    words = {
        Finding.PASS: "kept",
        Finding.FAIL: "broken",
        Finding.NOT_OFFERED: "not offered",
        Finding.BLOCKED: "blocked",
        Finding.INCONCLUSIVE: "undecided",
        Finding.ERROR: "error",
    }
    tally = Text()
    for finding, word in words.items():
        if number := sum(verdict.verdict is finding for verdict in verdicts):
            tally.append(", " if tally else "")
            tally.append(f"{number} {word}", STYLES[finding])
    other = {verdict.evidence for verdict in verdicts} - {Evidence.NONE, Evidence.DETERMINISTIC}
    if other:
        counts = (
            f"{sum(verdict.evidence is evidence for verdict in verdicts)} {evidence}"
            for evidence in sorted(other)
        )
        tally.append(f"  ({', '.join(counts)})", "dim")
    return tally


def _alike(broken: list[Verdict]) -> Iterator[list[Verdict]]:
    """Rows of one table are told once."""
    for _, group in groupby(broken, key=lambda verdict: (verdict.rule, verdict.verdict)):
        yield list(group)


def _block(verdict: Verdict, others: list[Verdict]) -> RenderableType:
    rule = all_rules()[verdict.rule]
    head = Text.assemble(
        (verdict.verdict.value, STYLES[verdict.verdict]),
        f"  {verdict.level}  ",
        (verdict.id, "bold"),
        (f"  {verdict.evidence}" if verdict.evidence else "", "dim"),
    )
    lines: list[RenderableType] = [Text(rule.sentence)]
    shown = verdict.story[:STORY_LINES]
    if shown:
        lines.append(Padding(_story(shown), (1, 0, 0, 2)))
        if len(shown) < len(verdict.story):
            lines.append(Text(f"  … and {len(verdict.story) - len(shown)} more", "dim"))
    facts = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
    facts.add_column(style="dim", width=8)
    facts.add_column(overflow="fold")
    because = [line for line in verdict.because.splitlines() if line.strip()]
    facts.add_row("because", escape("\n".join(because)))
    for hint in rule.hints:
        facts.add_row("check", escape(hint))
    if verdict.order:
        facts.add_row("order", escape(verdict.order))
    if others:
        facts.add_row("also for", escape(", ".join(other.case for other in others)))
    facts.add_row("source", f"{rule.cites[0]}  {verdict.source}")
    return Group(head, Padding(Group(*lines, "", facts), (0, 0, 0, 4)))


def _story(steps: Iterable[str]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
    table.add_column(justify="right", style="dim")
    table.add_column(style="cyan", no_wrap=True)
    table.add_column(overflow="fold")
    for n, step in enumerate(steps, 1):
        who, _, did = step.partition(": ")
        table.add_row(str(n), escape(who), escape(did))
    return table


SCREEN = 40
"""The lines that a report has if nothing is broken."""
AROUND_THE_NOTES = 7
"""The lines of it that are neither of the table nor such a note."""


def _notes(outcome: Outcome, most: int) -> Iterator[RenderableType]:
    """What there is to say of what is kept or undecided; of the rules that leave it open, so many are told."""
    seen = [verdict for verdict in outcome.verdicts if verdict.because and verdict.verdict is Finding.PASS]
    if seen:
        yield ""
        yield Text("Where upstream itself is not of one mind, or promises nothing:", "dim")
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 2), show_header=False)
        table.add_column(no_wrap=True)
        table.add_column(overflow="fold", style="dim")
        groups = [
            (rule, because, len(list(group)))
            for (rule, because), group in groupby(seen, key=lambda verdict: (verdict.rule, verdict.because))
        ]
        for rule, because, number in groups[:most]:
            told = re.sub("^seen: ", "", because)
            table.add_row(escape(rule), escape(told) + (f"  ({number} rows)" if number > 1 else ""))
        yield table
        if groups[most:]:
            yield Text(f"  and {len(groups[most:])} more, which --report json=FILE tells", "dim")
    undecided = [verdict for verdict in outcome.verdicts if verdict.verdict is Finding.INCONCLUSIVE]
    for because, group in groupby(undecided, key=lambda verdict: verdict.because):
        yield ""
        yield Text(f"{len(list(group))} undecided: {because}", "yellow")


def _last_line(outcome: Outcome, name: str) -> Text:
    style, meaning = MEANING[outcome.exit]
    line = Text.assemble((f"{name} {meaning}", style), ": ", _tally(outcome.verdicts))
    lenient = sum(
        verdict.verdict is Finding.FAIL and verdict.level is Level.SHOULD for verdict in outcome.verdicts
    )
    if lenient and not outcome.strict:
        line.append(f"; {lenient} of the broken are SHOULD, which fail only with --strict", "dim")
    if not outcome.complete:
        line.append("; the run was cut short", "yellow")
    return line
