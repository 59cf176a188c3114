"""All results as text: a table of them, then each broken rule with its story and its source."""

from __future__ import annotations

import os
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TextIO

from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from stingy.contract.kubernetes import ways
from stingy.contract.sources import Source
from stingy.contract.testimony import disarm, in_a_line, in_lines
from stingy.guarantees import all_rules, titles
from stingy.judging.verdict import Evidence, Exit, Finding, Verdict
from stingy.language.rule import Level, Rule
from stingy.language.ways import Way
from stingy.reports import Report, Standard
from stingy.reports.story import story
from stingy.transport import is_driver

WIDTH = 100
INDENT = 2
"""Characters by which the second and further lines of a text at the margin are indented."""

STYLES: Mapping[Finding, str] = {
    Finding.PASS: "green",
    Finding.FAIL: "bold red",
    Finding.KNOWN_FAIL: "yellow",
    Finding.UNEXPECTED_PASS: "bold red",
    Finding.NOT_OFFERED: "dim",
    Finding.BLOCKED: "yellow",
    Finding.INCONCLUSIVE: "yellow",
    Finding.ERROR: "bold magenta",
}

COLOURS: Mapping[Exit, str] = {
    Exit.CONFORMS: "green",
    Exit.DOES_NOT: "bold red",
    Exit.INCONCLUSIVE: "yellow",
}
"""Colours of exit statuses; any other has the colour of an error."""


def write(outcome: Report, out: TextIO) -> None:
    out.writelines([*render(_parts(outcome), out), *next_steps(outcome)])
    out.writelines(render(["", Hanging(result(outcome))], out))


def render(parts: Iterable[RenderableType], out: TextIO) -> list[str]:
    """Return the lines of a text for ``out``, in colour if that is a terminal which has colours."""
    tty = out.isatty() and "NO_COLOR" not in os.environ
    width = min(WIDTH, Console(file=out).width) if out.isatty() else WIDTH
    console = Console(file=out, width=width, highlight=False, no_color=not tty, soft_wrap=False)
    with console.capture() as told:
        for part in parts:
            console.print(part)
    *lines, _ = told.get().split("\n")
    return [f"{disarm(line if tty else line.rstrip())}\n" for line in lines]


def failure(verdict: Verdict) -> str:
    """Return the report on one broken rule as plain text, for pytest."""
    console = Console(width=WIDTH, no_color=True, highlight=False)
    with console.capture() as told:
        console.print(_block(verdict, []))
    return "\n".join(disarm(line.rstrip()) for line in told.get().split("\n")).rstrip()


def conclude(outcome: Report) -> str:
    """Return the result of the run as one line of plain text."""
    return disarm(result(outcome).plain)


def _parts(outcome: Report) -> Iterator[RenderableType]:
    yield describe_run(outcome)
    yield ""
    yield results(outcome)
    if outcome.ways:
        yield describe_ways(outcome.ways)
    yield from describe_unseen(outcome)
    for broken in outcome.failures:
        yield ""
        yield _block(broken.verdict, broken.others, outcome)
    yield from notes(outcome)
    for line in undecided(outcome):
        yield ""
        yield line
    for complaint in outcome.complaints:
        yield ""
        yield Hanging(Text(in_lines(f"baseline: {complaint}"), "bold red"))
    if outcome.causes and (fault := outcome.causes[0].fault):
        yield ""
        yield Hanging(Text(f"looks like  {fault.says}"))


def describe_run(outcome: Report) -> Hanging:
    """Return a line that says what was judged, and how."""
    how = f" · {in_a_line(outcome.request.target)} · stingy {outcome.suite} · seed {outcome.request.seed}"
    strict = " · strict" if outcome.request.strict else ""
    is_other = ways(outcome.kubernetes) != ways("")
    kubernetes = f" · Kubernetes {in_a_line(outcome.kubernetes)}" if is_other else ""
    return Hanging(Text.assemble((outcome.who, "bold"), how, strict, kubernetes))


@dataclass(frozen=True)
class Hanging:
    """A printed text whose second and further lines are indented.

    So no part of a candidate's text can look like a line of the report itself.
    """

    text: Text

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        first, *others = self.text.wrap(console, options.max_width - INDENT)
        yield first
        yield from (Text.assemble(" " * INDENT, line) for line in others)


def results(outcome: Report, *, whole: bool = True) -> Table:
    """Return a table of the results by profile; with ``whole``, also of the profiles not offered."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
    table.add_column(width=10, style="bold")
    table.add_column(width=34)
    table.add_column()
    unjudged = dict(outcome.unjudged_by_profile)
    for profile, by_guarantee in outcome.by_profile.items():
        more = unjudged.pop(profile, ())
        everything = [verdict for verdicts in by_guarantee.values() for verdict in verdicts]
        if all(verdict.verdict is Finding.NOT_OFFERED for verdict in everything):
            if whole:
                why = in_lines(everything[0].because)
                table.add_row(Text(in_a_line(profile)), Text("not offered", "dim"), Text(why, "dim"))
            continue
        if len(by_guarantee) == 1:
            title = titles()[next(iter(by_guarantee))]
            table.add_row(Text(in_a_line(profile)), title, tally(everything, more))
            continue
        table.add_row(Text(in_a_line(profile)), f"{len(by_guarantee)} guarantees", tally(everything, more))
        for guarantee, verdicts in by_guarantee.items():
            if not _are_all_kept(verdicts):
                table.add_row("", f"  {titles()[guarantee]}", tally(verdicts))
    for profile, more in unjudged.items():
        table.add_row(profile, "", tally((), more))
    return table


def describe_ways(ways: Mapping[Way, bool]) -> Text:
    """Return a line that says how many of the ways of an item the kept rules went."""
    missed = [str(way) for way, gone in ways.items() if not gone]
    line = Text(f"tried {len(ways) - len(missed)} of {len(ways)} ways of an item through the queue", "dim")
    if len(missed) > FEW:
        return line.append("; the others: --report json=FILE")
    return line.append(f"; not: {'; '.join(missed)}" if missed else "")


def describe_unseen(outcome: Report) -> Iterator[RenderableType]:
    """Yield a line that lists the code in which no thread can be preempted, if there is any."""
    if unseen := sorted({verdict.unseen for verdict in outcome.verdicts} - {""}):
        told = f"no thread can be interrupted in {few(unseen)}: races there are only sampled"
        yield Hanging(Text(in_lines(told), "dim"))


def _are_all_kept(verdicts: Iterable[Verdict]) -> bool:
    """Return True if every verdict is PASS or NOT_OFFERED."""
    return all(verdict.verdict in (Finding.PASS, Finding.NOT_OFFERED) for verdict in verdicts)


def tally(verdicts: Iterable[Verdict], unjudged: Sequence[str] = (), *, evidence: bool = True) -> Text:
    """Return how many verdicts have each finding, as in ``12 kept, 1 broken  (3 sampled)``.

    The brackets count verdicts by ``evidence``, unless it is False. ``unjudged``: ids of the rules that were not judged.
    """
    verdicts = list(verdicts)
    words = {
        Finding.PASS: "kept",
        Finding.FAIL: "broken",
        Finding.KNOWN_FAIL: "known to be broken",
        Finding.UNEXPECTED_PASS: "kept unexpectedly",
        Finding.NOT_OFFERED: "not offered",
        Finding.BLOCKED: "blocked",
        Finding.INCONCLUSIVE: "undecided",
        Finding.ERROR: "error",
    }
    told = Text()
    numbers = Counter((verdict.verdict, is_behind(verdict)) for verdict in verdicts)
    for finding, word in words.items():
        for behind, more in ((False, ""), (True, " behind another broken rule")):
            if number := numbers[finding, behind]:
                told.append(", " if told else "")
                told.append(f"{number} {word}{more}", STYLES[finding])
    if unjudged:
        told.append(", " if told else "")
        told.append(f"{len(unjudged)} not judged", "dim")
    other = {verdict.evidence for verdict in verdicts} - {Evidence.NONE, Evidence.DETERMINISTIC}
    if other and evidence:
        counts = (f"{sum(verdict.evidence is it for verdict in verdicts)} {it}" for it in sorted(other))
        told.append(f"  ({', '.join(counts)})", "dim")
    return told


def is_behind(verdict: Verdict) -> bool:
    """Return True if the verdict is FAIL and the rule builds on another broken rule."""
    return bool(verdict.behind) and verdict.verdict is Finding.FAIL


def _block(verdict: Verdict, others: Sequence[Verdict], outcome: Report | None = None) -> RenderableType:
    """Return the report on one broken rule: its sentence, story, what is wrong, and what to do next.

    ``others``: verdicts with the same finding on other rows of the rule's table.
    """
    rule = all_rules()[verdict.rule]
    lines: list[RenderableType] = [Text(rule.sentence)]
    if verdict.story:
        lines.append(Padding(story(verdict.story, at_once=rule.races), (1, 0, 0, 0)))
    facts = columns(width=8)
    for name, told in _facts(verdict, rule, others, outcome):
        facts.add_row(name, Text(in_lines(told)))
    return Group(Hanging(head(verdict)), Padding(Group(*lines, "", facts), (0, 0, 0, 4)))


def head(verdict: Verdict) -> Text:
    """Return the first line of a block: the finding, the level, the id and the evidence."""
    return Text.assemble(
        (verdict.verdict.value, STYLES[verdict.verdict]),
        f"  {verdict.level}  ",
        (in_a_line(verdict.id), "bold"),
        (f"  {verdict.evidence}" if verdict.evidence else "", "dim"),
    )


def describe_verdict(verdict: Verdict, rule: Rule, *, because: bool = True) -> Iterator[tuple[str, str]]:
    """Yield the names and texts of facts that the verdict on this rule holds; ``because`` is one of them."""
    if because:
        yield "because", "\n".join(line for line in in_lines(verdict.because).split("\n") if line.strip())
    if verdict.conflict:
        yield "conflict", str(verdict.conflict)
    if verdict.printed:
        yield "printed", _quote_printed(verdict)
    if verdict.level is Level.SHOULD:
        yield (
            "promised",
            f"nowhere: {_project(rule.cites[0])} does this, but a candidate may differ and conform {Standard.PROMISED}",
        )
    if is_behind(verdict):
        allowing = f", even with the allowance that {verdict.allowing}" if verdict.allowing else ""
        yield "behind", f"{verdict.behind}, which is broken as well{allowing}"
    if verdict.hint:
        yield "check", verdict.hint


def _facts(
    verdict: Verdict, rule: Rule, others: Sequence[Verdict], outcome: Report | None
) -> Iterator[tuple[str, str]]:
    yield from describe_verdict(verdict, rule)
    if others:
        yield "also for", ", ".join(other.case for other in others)
    if outcome and (blocked := outcome.blocked_by(verdict.rule)):
        yield "blocks", few(blocked)
    if 0 < len(verdict.order) <= LEGIBLE:
        yield "order", verdict.order
    yield "source", _cite(rule.cites[0])


def _quote_printed(verdict: Verdict) -> str:
    """Return the last lines that the candidate printed in the run that the story tells."""
    lines = [line for it in verdict.printed for line in it.lines]
    before = [f"… {len(lines) - LAST} lines before these"] if lines[:-LAST] else []
    return "\n".join([*before, *lines[-LAST:]])


def _project(source: Source) -> str:
    return source.upstream.repo.rpartition("/")[2]


def _cite(source: Source) -> str:
    where = f"{_project(source)}@{source.upstream.commit[:7]} {source}"
    return where + (f': "{source.quote}"' if source.quote else "")


def few(rules: Sequence[str]) -> str:
    """Return the first names of a list, and how many more there are."""
    more = f" and {len(rules) - FEW} more" if len(rules) > FEW else ""
    return ", ".join(rules[:FEW]) + more


FEW = 3
"""Most names shown in a list."""

LAST = 10
"""Most lines shown of what a candidate printed: the last ones; the JSON report has more."""

LEGIBLE = 80
"""Most characters of an order's token that is shown; ``stingy replay`` reads the JSON report."""

NOTES = 6
"""Most observed outcomes shown, so that they fit on a screen."""


def notes(outcome: Report) -> Iterator[RenderableType]:
    seen = [verdict for verdict in outcome.verdicts if verdict.because and verdict.verdict is Finding.PASS]
    if seen:
        yield ""
        yield Text("Where upstream contradicts itself or promises nothing:", "dim")
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 2), show_header=False)
        table.add_column(no_wrap=True)
        table.add_column(overflow="fold", style="dim")
        groups = [
            (rule, because, len(list(group)))
            for (rule, because), group in groupby(seen, key=lambda verdict: (verdict.rule, verdict.because))
        ]
        for rule, because, number in groups[:NOTES]:
            told = re.sub("^seen: ", "", because)
            table.add_row(Text(rule), Text(in_lines(told) + (f"  ({number} rows)" if number > 1 else "")))
        yield table
        if groups[NOTES:]:
            yield Text(f"  and {len(groups[NOTES:])} more: see --report json=FILE", "dim")


def undecided(outcome: Report) -> Iterator[RenderableType]:
    """Yield a line for each reason why rules are undecided."""
    verdicts = [verdict for verdict in outcome.verdicts if verdict.verdict is Finding.INCONCLUSIVE]
    for because, group in groupby(verdicts, key=lambda verdict: verdict.because):
        yield Hanging(Text(in_lines(f"{len(list(group))} undecided: {because}"), "yellow"))


def columns(width: int | None = None) -> Table:
    """Return an empty table with a column for names, of this width, and one for texts."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
    table.add_column(style="dim", width=width)
    table.add_column(overflow="fold")
    return table


def next_steps(outcome: Report, *, more: bool = False) -> Iterator[str]:
    """Yield commands to type next, each on one line however long it is, so that it can be copied.

    They judge the first cause's rule again, and show what it says; with ``more``, one repeats the
    whole run with the verbose report. None if only the baseline is wrong: its rules are kept, so
    there is nothing to see.
    """
    causes = outcome.causes
    if not any(cause.lead.verdict.verdict is not Finding.UNEXPECTED_PASS for cause in causes):
        return
    request, rule = outcome.request, causes[0].lead.verdict.rule
    shows = [] if is_driver(request.target) else ["-s"]  # print() and breakpoint() work with -s
    yield "\n"
    yield _command("see it", *request.words(rule), *shows)
    if more:
        yield _command("more", *request.words(), "-v")
    yield f"read    stingy explain {rule}\n"


def _command(name: str, *words: str) -> str:
    return disarm(f"{name:8}{shlex.join(map(in_a_line, ('stingy', 'run', *words)))}\n")


def result(outcome: Report, counts: Text | None = None) -> Text:
    """Return the result as one line, with the text ``counts``; None for the numbers of all verdicts."""
    style = (
        STYLES[Finding.KNOWN_FAIL]
        if outcome.is_known_to_fail
        else COLOURS.get(outcome.exit, STYLES[Finding.ERROR])
    )
    line = Text(outcome.headline, style)
    if counts := tally(outcome.verdicts) if counts is None else counts:
        line = Text.assemble(line, ": ", counts)
    lenient = sum(
        verdict.verdict is Finding.FAIL and verdict.level is Level.SHOULD for verdict in outcome.verdicts
    )
    if lenient and not outcome.request.strict:
        line.append(
            f"; {lenient} of the broken {'is a SHOULD' if lenient == 1 else 'are SHOULDs'}: only --strict counts {'it' if lenient == 1 else 'them'}",
            "dim",
        )
    if outcome.cut_short:
        line.append(f"; {outcome.cut_short}", "yellow")
    return line
