"""The museum: which bugs of real releases are found, and by which rules; as a table and as a page.

The page is made from recorded results alone, so it is the same on every machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec
from rich.console import Console

from lab.exhibits import Exhibit, Side
from lab.reports.pair import Outcome, Pair, occasion, recorded
from stingy.contract.testimony import disarm, in_a_line
from stingy.guarantees import all_rules
from stingy.judging.verdict import Verdict
from stingy.reports.story import story

WIDTH = 100
MARKS: Mapping[Outcome, tuple[str, str]] = {
    Outcome.FOUND: ("✗", "✓"),
    Outcome.RED_AFTER: ("✗", "✗"),
    Outcome.NOT_FOUND: ("·", "·"),
    Outcome.NOT_BUILT: ("·", "·"),
}
"""Marks of the release before the fix, and of the one after it."""


class Row(msgspec.Struct, frozen=True):
    """A row of the museum's table: an exhibit and its result."""

    name: str
    program: str
    last: str
    """The last release with the bug."""
    first: str
    """The first release without the bug."""
    outcome: Outcome
    found_by: tuple[str, ...] = ()
    why: str = ""
    """Why the bug is not found or its releases are not built; empty if it is found."""
    as_said: bool = True
    """True if the result is what the exhibit's card says."""


def judged(it: Exhibit, pair: Pair, rules: Sequence[str]) -> Row:
    """Return an exhibit's row from the reports on its two releases; only these rules count."""
    outcome = pair.outcome(rules)
    said = Outcome.NOT_FOUND if it.card.unfound else Outcome.FOUND
    why = it.card.unfound if outcome is Outcome.NOT_FOUND else ""
    return _row(it, outcome, tuple(pair.found_by(rules)), why, as_said=outcome is said)


def not_built(it: Exhibit, why: str) -> Row:
    """Return the row of an exhibit whose releases cannot be built here; ``why`` is the reason."""
    return _row(it, Outcome.NOT_BUILT, (), why, as_said=True)


def _row(it: Exhibit, outcome: Outcome, by: tuple[str, ...], why: str, *, as_said: bool) -> Row:
    return Row(it.name, it.card.program, it.card.last, it.card.first, outcome, by, why, as_said)


def from_record(it: Exhibit) -> Row:
    """Return an exhibit's row from its recorded reports; without these, a row that says so."""
    if it.is_recorded:
        return judged(it, recorded(it), it.card.rules)
    return not_built(it, it.card.unbuilt or "never recorded: python -m lab museum --record judges it")


def table(rows: Sequence[Row]) -> str:
    """Return a table for the terminal: two lines for each exhibit, and the count of bugs found."""
    width = max(len(row.name) for row in rows)
    lines = [line for row in rows for line in _two_lines(row, width)]
    return "\n".join((*lines, "", conclude(rows)))


def _two_lines(row: Row, width: int) -> Iterator[str]:
    red, green = MARKS[row.outcome]
    yield f"{row.name:<{width}}  {red} {row.program} {row.last}  {green} {row.first}"
    yield f"    {in_a_line(f'{_say(row)}: {row.why}' if row.why else _say(row))}"


def _say(row: Row) -> str:
    said = ", ".join(row.found_by) or row.outcome
    return said if row.as_said else f"{said}: its card says otherwise"


def conclude(rows: Sequence[Row]) -> str:
    """Return a phrase with the number of bugs found, of those whose releases were built."""
    built = [row for row in rows if row.outcome is not Outcome.NOT_BUILT]
    found = [row for row in built if row.outcome is Outcome.FOUND]
    programs = {row.program for row in found}
    left = f"; {len(rows) - len(built)} not built" if len(built) < len(rows) else ""
    return f"{len(found)} of {len(built)} bugs found, of {len(programs)} programs{left}"


def markdown(exhibits: Sequence[Exhibit]) -> str:
    """Return the site's page about the museum, in Markdown."""
    return "\n".join(_lines(exhibits)) + "\n"


def _lines(exhibits: Sequence[Exhibit]) -> Iterator[str]:
    rows = {it.name: from_record(it) for it in exhibits}
    yield "# Bugs in real releases (the museum)\n"
    yield (
        "This page shows bugs of real releases of other projects. For each bug, the last release with it and the first release without "
        "it are built and judged by the same rules. A bug is *found* if the release with it breaks a rule that the release without it "
        "keeps. Bugs that are not found, or whose releases cannot be built, are shown as well. The page is made from recorded results; "
        "`python -m lab museum` builds and judges the releases again.\n"
    )
    yield f"**{conclude(list(rows.values()))}.**\n"
    yield "<div data-search-exclude markdown>\n"
    yield "| bug | program | with it | without it | |"
    yield "|---|---|---|---|---|"
    for it in exhibits:
        row = rows[it.name]
        said = " ".join(f"`{rule}`" for rule in row.found_by) or f"*{row.outcome}*"
        yield f"| [{it.card.title}](#{it.name}) | {row.program} | {row.last} | {row.first} | {said} |"
    yield "\n</div>\n"
    for it in exhibits:
        yield from _exhibit(it, rows[it.name])


def _exhibit(it: Exhibit, row: Row) -> Iterator[str]:
    card = it.card
    yield f'<a id="{it.name}"></a>\n'
    yield f"## {card.title}\n"
    links = [f"[the report]({card.issue})"] if card.issue else []
    links.append(f"[the fix]({card.fix})")
    yield f"{card.program} · last release with the bug {card.last}, first release without it {card.first} · {' · '.join(links)}\n"
    yield f"{card.broke}\n"
    yield f"{card.met}\n"
    if row.outcome is Outcome.FOUND:
        yield from _found(it, row)
    else:
        yield f"**{row.outcome.capitalize()}.** {row.why}\n"
    if it.is_recorded:
        yield from _judged(it)


def _found(it: Exhibit, row: Row) -> Iterator[str]:
    """Yield Markdown on the rules that find the bug, with the shortest story that shows it."""
    pair = recorded(it)
    shown = min((pair.shown_by(rule) for rule in row.found_by), key=lambda verdict: len(verdict.story))
    rule = all_rules()[shown.rule]
    others = ", ".join(f"`{other}`" for other in row.found_by if other != shown.rule)
    case = f" ({shown.case})" if shown.case else ""
    yield "<div data-search-exclude markdown>\n"  # shown, but not searchable: the rule has a page of its own
    yield f"**✗ {it.card.last}** breaks {rule.level} `{rule.id}`{case}: {rule.sentence}\n"
    if shown.story:
        yield "```text"
        yield _draw(shown, at_once=rule.races)
        yield "```\n"
    else:
        yield f"{in_a_line(shown.because)}\n"
    yield "</div>\n"
    yield f"**✓ {it.card.first}** keeps it.{f' The same holds for {others}.' if others else ''}\n"


def _draw(verdict: Verdict, *, at_once: bool) -> str:
    console = Console(width=WIDTH, no_color=True, highlight=False)
    with console.capture() as told:
        console.print(story(verdict.story, at_once=at_once))
    return "\n".join(disarm(line.rstrip()) for line in told.get().splitlines())


def _judged(it: Exhibit) -> Iterator[str]:
    before, after = (occasion(it, side) for side in Side)
    seconds = before.seconds + after.seconds
    ways = f", both for Kubernetes {it.card.kubernetes}" if it.card.kubernetes else ""
    again = f"`python -m lab museum {it.name}` judges the releases again"
    yield f"*Judged on {after.date}, in {seconds:.0f} s for both{ways}; {again}.*\n"
