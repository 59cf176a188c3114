"""The conformance matrix: rules kept and broken by each real implementation, as Markdown.

The page is made from recorded results alone, so it is the same on every machine.
"""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from lab.implementations import Implementation
from lab.recorded import read, seen
from stingy.guarantees import all_rules
from stingy.judging.verdict import Evidence, Exit, Finding, Verdict, worst
from stingy.language.rule import Level, Rule
from stingy.reports import Standard
from stingy.reports.json import Document

MARKS: Mapping[Finding, str] = {
    Finding.PASS: "✓",
    Finding.FAIL: "✗",
    Finding.BLOCKED: "·",
    Finding.INCONCLUSIVE: "?",
    Finding.ERROR: "!",
    Finding.NOT_OFFERED: "",
}
OPEN = (Level.CONTESTED, Level.UNDEFINED)
"""Levels of rules that upstream leaves open."""
WEAKEST_FIRST = (Evidence.TIMED, Evidence.SAMPLED, Evidence.DETERMINISTIC, Evidence.EXHAUSTIVE, Evidence.NONE)
LETTERS = {Evidence.EXHAUSTIVE: "e", Evidence.DETERMINISTIC: "d", Evidence.SAMPLED: "s", Evidence.TIMED: "t"}
FOLD = "<details data-search-exclude markdown>"
"""Opening tag of a folded section, which the site's search ignores."""
ENDS: Mapping[Exit, str] = {Exit.CONFORMS: "✓", Exit.DOES_NOT: "✗"}
"""Marks of an implementation's result by a standard; any other result is shown as ``?``."""
LEGEND = (
    "✓ kept · ✗ broken · `·` not judged, because a rule that it builds on is broken · ? undecided · ! error · empty: not "
    "offered. The letter after the mark is the evidence: *e*, every order of a race; *d*, a script of calls, and an exact answer to "
    "whether a call still waits; *s*, a sample of the orders, drawn by one seed; *t*, real waiting. If upstream leaves the outcome open, "
    "the cell shows the outcome that was observed."
)


@dataclass(frozen=True)
class Column:
    """A column of the matrix: an implementation and its recorded report."""

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
        """Return the worst finding of each rule of this profile, by the rule's id.

        Rules that the implementation does not offer are left out.
        """
        offered: dict[str, list[Verdict]] = {}
        for verdict in self.report.results:
            if verdict.profile == name and verdict.verdict is not Finding.NOT_OFFERED:
                offered.setdefault(verdict.rule, []).append(verdict)
        return {rule: worst(verdicts) for rule, verdicts in offered.items()}

    @cached_property
    def seen(self) -> Mapping[str, str]:
        """The choice of the implementation where upstream leaves one open, by the rule's id."""
        kept = (row for row in self.report.results if row.verdict is Finding.PASS)
        return seen((row.rule, row.case, row.because) for row in kept)

    @property
    def broken(self) -> Mapping[str, Sequence[Verdict]]:
        """Failed rows of each broken rule, by the rule's id."""
        found: dict[str, list[Verdict]] = {}
        for verdict in self.report.results:
            if verdict.verdict is Finding.FAIL:
                found.setdefault(verdict.rule, []).append(verdict)
        return found

    def left_open(self) -> Iterator[str]:
        """Yield Markdown on what the implementation does where upstream leaves it open, if it is recorded."""
        if self.seen:
            yield "Its observed outcomes where upstream leaves the outcome open:\n"
            yield from (f"- `{rule}`: {said}" for rule, said in self.seen.items())
            yield ""

    def unfound(self) -> Iterator[str]:
        """Yield Markdown on deviations of the implementation that no rule finds, if there are any."""
        if unfound := self.it.card.unfound:
            yield "Deviations that were found by hand, and that no rule finds:\n"
            yield from (f"- {it.says} {it.why}" for it in unfound)
            yield ""


def recorded(implementations: Sequence[Implementation]) -> Sequence[Column]:
    """Return a column for each implementation that has a recorded report."""
    return [Column(it, read(it.result)) for it in implementations if it.result.exists()]


def outcomes(columns: Sequence[Column]) -> str:
    """Return JSON with what each implementation does where upstream leaves it open.

    The keys are the rule's id, then the implementation's name and version.
    """
    found: dict[str, dict[str, str]] = {}
    for column in columns:
        who = f"{column.report.candidate.name} {column.report.candidate.version}"
        for rule, said in column.seen.items():
            found.setdefault(rule, {})[who] = said
    return json.dumps(found, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def markdown(implementations: Sequence[Implementation]) -> str:
    """Return the page *Real implementations* of the site, in Markdown."""
    return "\n".join(_lines(recorded(implementations))) + "\n"


def _lines(columns: Sequence[Column]) -> Iterator[str]:
    yield "# Real implementations\n"
    yield (
        "This page shows which rules real implementations keep. All results are snapshots of our own runs, with seed 1 and the "
        "release that each folder pins, made on the day in the second column. `python -m lab matrix` builds and judges the implementations again, and names the differences. No profile has a "
        "percentage, because rules are not alike: a broken MUST is a bug, or a decision that users should know about; a broken SHOULD "
        "is a difference. So each implementation is judged by two standards: the promises of upstream, and the behaviour of upstream.\n"
    )
    yield from _summary(columns)
    yield "## Broken rules\n"
    for column in columns:
        yield from _implementation(column)
    yield "## Rule by rule\n"
    yield f"{LEGEND}\n"
    for profile, rules in groupby(all_rules().values(), key=lambda rule: rule.profile.name):
        yield from _profile(profile, list(rules), columns)


def _profiles() -> Sequence[str]:
    return list(dict.fromkeys(rule.profile.name for rule in all_rules().values()))


def _summary(columns: Sequence[Column]) -> Iterator[str]:
    profiles = _profiles()
    yield "<div data-search-exclude markdown>\n"
    yield f"| implementation | judged | language | {' | '.join(Standard)} | {' | '.join(profiles)} |"
    yield f"|---|---|---|{':-:|' * len(Standard)}{'---|' * len(profiles)}"
    for column in columns:
        ends = [ENDS.get(standard.judge(column.report.results), "?") for standard in Standard]
        cells = [_count(column.profile(name)) for name in profiles]
        yield f"| [{column.title}](#{column.anchor}) | {column.report.made.day} | {column.it.card.language} | {' | '.join(ends + cells)} |"
    yield "\n</div>\n"
    yield (
        "*Kept* is the number of rules that are kept, *broken* the number of MUST rules that are broken, *different* the number of SHOULD "
        "rules that are broken, and *open* the number of rules whose outcome upstream does not settle: the observed outcomes are listed "
        "below. A cell is empty if the profile is not offered.\n"
    )
    unfound = sum(len(column.it.card.unfound) for column in columns)
    yield f"Deviations that were found by hand, and that no rule finds: **{unfound}**.\n"


def _count(found: Mapping[str, Finding]) -> str:
    levels = {rule: all_rules()[rule].level for rule in found}
    numbers = Counter((finding, levels[rule] in OPEN) for rule, finding in found.items())
    broken = Counter(
        levels[rule] is Level.SHOULD for rule, finding in found.items() if finding is Finding.FAIL
    )
    others = sum(finding not in (Finding.PASS, Finding.FAIL) for finding in found.values())
    cell = {
        "✓ {} kept": numbers[Finding.PASS, False],
        "✗ {} broken": broken[False],
        "≠ {} different": broken[True],
        "~ {} open": numbers[Finding.PASS, True],
        "? {} not judged": others,
    }
    told = "<br>".join(form.format(number) for form, number in cell.items() if number)
    return f'<span class="stingy-{_at_worst(broken, others)}">{told}</span>' if told else ""


def _at_worst(broken: Mapping[bool, int], others: int) -> str:
    """Return the CSS class of a profile's cell, by the worst finding in it.

    ``broken`` has the numbers of broken MUSTs (False) and of broken SHOULDs (True), and ``others``
    is the number of rules that are not judged.
    """
    if broken[False]:
        return "broken-must"
    if broken[True]:
        return "different"
    return "unjudged" if others else "kept"


def _implementation(column: Column) -> Iterator[str]:
    card = column.it.card
    yield f'<a id="{column.anchor}"></a>\n'
    yield f"### {column.title}\n"
    licence = f", {card.license}" if card.license else ""
    yield f"{card.language}{licence} · [source]({card.homepage}) · [package]({card.registry}) · `candidates/{column.it.name}`\n"
    if column.broken:
        again = f"stingy replay result.json {shlex.quote(column.report.candidate.target)}"
        yield f"After the build, `{again}` in its folder breaks {_each(len(column.broken))} again:\n"
        yield f"{FOLD}<summary>Broken rules, and the calls that break them</summary>\n"
        for rule, rows in column.broken.items():
            yield from _red(column, all_rules()[rule], rows)
        yield "</details>\n"
    else:
        yield "No rule is broken.\n"
    if column.seen:
        yield f"{FOLD}<summary>Outcomes that upstream leaves open: {len(column.seen)}</summary>\n"
        yield from column.left_open()
        yield "</details>\n"
    yield from column.unfound()


def _each(number: int) -> str:
    return f"each of these {number} rules" if number > 1 else "this rule"


def _red(column: Column, rule: Rule, rows: Sequence[Verdict]) -> Iterator[str]:
    """Yield Markdown on a broken rule: the known reason, and the shortest story that shows it."""
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
                yield f"    ✗ expected {line.wanted}"
        yield "```\n"
    else:
        yield f"{shortest.because}\n"


def _profile(profile: str, rules: Sequence[Rule], columns: Sequence[Column]) -> Iterator[str]:
    offering = [column for column in columns if column.profile(profile)]
    if not offering:
        return
    yield f"{FOLD}<summary>{profile}: {len(rules)} rules</summary>\n"
    yield f"| rule | level | {' | '.join(column.title for column in offering)} |"
    yield f"|---|---|{':-:|' * len(offering)}"
    for rule in rules:
        cells = [_cell(column.on(rule.id), column.seen.get(rule.id, "")) for column in offering]
        yield f"| `{rule.id}` | {rule.level} | {' | '.join(cells)} |"
    yield "\n</details>\n"


def _cell(verdicts: Sequence[Verdict], said: str) -> str:
    finding = worst(verdicts)
    of_it = [verdict.evidence for verdict in verdicts if verdict.verdict is finding]
    evidence = min(of_it, key=WEAKEST_FIRST.index, default=Evidence.NONE)
    letter = LETTERS.get(evidence, "")
    return f"{said} *{letter}*" if said else f"{MARKS.get(finding, finding)} {letter}".strip()
