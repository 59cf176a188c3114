"""The conformance matrix: what each real implementation keeps and breaks, by profile and rule, as Markdown.

Made of recorded results alone, so that whoever makes it gets the same.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from stingy.guarantees import all_rules
from stingy.implementations import Implementation
from stingy.language.rule import Level, Rule
from stingy.reports.json import Document, read
from stingy.verdict import Evidence, Finding, Verdict, worst

MARKS: Mapping[Finding, str] = {
    Finding.PASS: "✓",
    Finding.FAIL: "✗",
    Finding.BLOCKED: "·",
    Finding.INCONCLUSIVE: "?",
    Finding.ERROR: "!",
    Finding.NOT_OFFERED: "",
}
WEAKEST_FIRST = (Evidence.TIMED, Evidence.SAMPLED, Evidence.DETERMINISTIC, Evidence.EXHAUSTIVE, Evidence.NONE)
LETTERS = {Evidence.EXHAUSTIVE: "e", Evidence.DETERMINISTIC: "d", Evidence.SAMPLED: "s", Evidence.TIMED: "t"}
LEGEND = (
    "✓ kept · ✗ broken · `·` not judged, because a rule that it builds on is broken · ? undecided · ! fell over · empty: not "
    "offered. Behind it stands the evidence: *e*, every order of a race; *d*, a script and an exact answer to whether a "
    "call still waits; *s*, so many orders, by one seed; *t*, real waiting."
)


@dataclass(frozen=True)
class Column:
    """An implementation, and what was found of it."""

    it: Implementation
    report: Document

    @property
    def title(self) -> str:
        return f"{self.it.card.title} {self.report.candidate.version}".strip()

    @property
    def anchor(self) -> str:
        return self.it.name.replace(".", "-")

    def on(self, rule: str) -> Sequence[Verdict]:
        return [verdict for verdict in self.report.results if verdict.rule == rule]

    def profile(self, name: str) -> Mapping[str, Finding]:
        """By rule of this profile that is offered."""
        offered: dict[str, list[Verdict]] = {}
        for verdict in self.report.results:
            if verdict.profile == name and verdict.verdict is not Finding.NOT_OFFERED:
                offered.setdefault(verdict.rule, []).append(verdict)
        return {rule: worst(verdicts) for rule, verdicts in offered.items()}

    @property
    def broken(self) -> Mapping[str, Sequence[Verdict]]:
        """By rule, the rows that are broken."""
        found: dict[str, list[Verdict]] = {}
        for verdict in self.report.results:
            if verdict.verdict is Finding.FAIL:
                found.setdefault(verdict.rule, []).append(verdict)
        return found


def markdown(implementations: Sequence[Implementation], *, among_folders: bool = True) -> str:
    """The page; one that does not stand among their folders names them without a link."""
    columns = [Column(it, read(it.result)) for it in implementations if it.result.exists()]
    return "\n".join(_lines(columns, among_folders=among_folders)) + "\n"


def _lines(columns: Sequence[Column], *, among_folders: bool) -> Iterator[str]:
    yield "# Real implementations\n"
    yield (
        "This page shows which rules real implementations keep. All results come from our own runs, with seed 1 and the release that "
        "each folder pins. `stingy matrix` builds and judges the implementations again, and names the differences. No profile has a "
        "percentage, because rules are not alike: a broken MUST is a bug, or a decision that users should know about; a broken SHOULD "
        "is a difference.\n"
    )
    yield from _summary(columns)
    yield "## What is broken\n"
    for column in columns:
        folder = column.it.name
        yield from _implementation(
            column, f"[how it is judged]({folder}/README.md)" if among_folders else f"`candidates/{folder}`"
        )
    yield "## Rule by rule\n"
    yield f"{LEGEND}\n"
    for profile, rules in groupby(all_rules().values(), key=lambda rule: rule.profile.name):
        yield from _profile(profile, list(rules), columns)


def _profiles() -> Sequence[str]:
    return list(dict.fromkeys(rule.profile.name for rule in all_rules().values()))


def _summary(columns: Sequence[Column]) -> Iterator[str]:
    profiles = _profiles()
    yield f"| implementation | language | {' | '.join(profiles)} |"
    yield f"|---|---|{'---|' * len(profiles)}"
    for column in columns:
        cells = [_count(column.profile(name)) for name in profiles]
        yield f"| [{column.title}](#{column.anchor}) | {column.it.card.language} | {' | '.join(cells)} |"
    yield ""
    yield "How many rules are kept, and ✗ how many MUST, (✗) how many SHOULD are broken; empty where the profile is not offered.\n"


def _count(found: Mapping[str, Finding]) -> str:
    broken = [all_rules()[rule].level for rule, finding in found.items() if finding is Finding.FAIL]
    should = broken.count(Level.SHOULD)
    others = [finding for finding in found.values() if finding not in (Finding.PASS, Finding.FAIL)]
    cell = [f"✓ {kept}" if (kept := sum(it is Finding.PASS for it in found.values())) else ""]
    cell += [f"✗ {must}" if (must := len(broken) - should) else "", f"(✗ {should})" if should else ""]
    cell += [f"{len(others)} not judged" if others else ""]
    return " ".join(filter(None, cell))


def _implementation(column: Column, where: str) -> Iterator[str]:
    card = column.it.card
    yield f'<a id="{column.anchor}"></a>\n'
    yield f"### {column.title}\n"
    licence = f", {card.license}" if card.license else ""
    yield f"{card.language}{licence} · [source]({card.homepage}) · [package]({card.registry}) · {where}\n"
    if column.broken:
        again = f"stingy replay result.json {shlex.quote(column.report.candidate.target)}"
        yield f"Once it is built, `{again}` in its folder breaks {_each(len(column.broken))} again:\n"
    else:
        yield "Nothing is broken.\n"
    for rule, rows in column.broken.items():
        yield from _red(column, all_rules()[rule], rows)


def _each(number: int) -> str:
    return f"each of these {number} rules" if number > 1 else "this rule"


def _red(column: Column, rule: Rule, rows: Sequence[Verdict]) -> Iterator[str]:
    """A broken rule: why, the shortest sequence that shows it, and how to see it for oneself."""
    shortest = min(rows, key=lambda row: (len(row.story), row.case))
    others = f" and {len(rows) - 1} more of its rows" if rows[1:] else ""
    case = f" ({shortest.case}{others})" if shortest.case else ""
    yield f"**✗ {rule.level} `{rule.id}`**{case}: {rule.sentence}\n"
    if known := column.it.card.why(rule.id):
        yield f"{known.says}" + (f" [Upstream]({known.issue}).\n" if known.issue else "\n")
    if shortest.story:
        yield "```text"
        for number, line in enumerate(shortest.story, 1):
            yield f"{number:>2}  {line}"
            if line.expected:
                yield f"    ✗ expected {line.expected}"
        yield "```\n"
    else:
        yield f"{shortest.because}\n"


def _profile(profile: str, rules: Sequence[Rule], columns: Sequence[Column]) -> Iterator[str]:
    offering = [column for column in columns if column.profile(profile)]
    if not offering:
        return
    yield f"<details markdown><summary>{profile}: {len(rules)} rules</summary>\n"
    yield f"| rule | level | {' | '.join(column.title for column in offering)} |"
    yield f"|---|---|{':-:|' * len(offering)}"
    for rule in rules:
        cells = [_cell(column.on(rule.id)) for column in offering]
        yield f"| `{rule.id}` | {rule.level} | {' | '.join(cells)} |"
    yield "\n</details>\n"


def _cell(verdicts: Sequence[Verdict]) -> str:
    finding = worst(verdicts)
    of_it = [verdict.evidence for verdict in verdicts if verdict.verdict is finding]
    evidence = min(of_it, key=WEAKEST_FIRST.index, default=Evidence.NONE)
    return f"{MARKS.get(finding, finding)} {LETTERS.get(evidence, '')}".strip()
