"""The page of a guarantee, from its promise to details: a reader can stop after any section."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from html import escape
from pathlib import Path
from types import ModuleType
from typing import Any

from pages import Lines, Unsaid, clocks, exercise, figure, filtering, mistakes, tryout, upstream
from pages.broken import caught_by_rule
from pages.playing import play
from pages.walk import Asked, Predict, Walk, walk
from pages.words import (
    anchor,
    candidate,
    claim,
    emphasise,
    fold,
    level,
    link,
    name_of,
    plain,
    profile,
    say,
    source,
    tally,
    with_issues,
)
from stingy.contract.kubernetes import when
from stingy.guarantees import all_rules, prose, rules_of, title
from stingy.language.examples import number_of_examples
from stingy.language.rule import Row, Rule


def page(guarantee: ModuleType, docs: Path) -> Lines:
    rules = rules_of(guarantee)
    words = walk(name_of(guarantee), docs / "walks")
    yield f"# {title(guarantee)}\n"
    yield f"{words.promise}\n{{ .stingy-promise }}\n"
    yield f"{prose(guarantee)}\n"
    yield "It does not promise:\n"
    yield from (f"- {it}" for it in words.not_promised)
    yield f"\n## Why it is there {{ #why }}\n\n{with_issues(words.why)}\n"
    yield "## Watch it happen { #watch data-search-exclude }\n"
    yield from _watch(words)
    yield "## What happens next? { #predict data-search-exclude }\n"
    yield from _predict(words.predict)
    yield f"## Rule by rule {{ #rules data-search-exclude }}\n\n{tally(rules)}\n{{ .stingy-tally }}\n"
    for rule in rules:
        yield from _rule(rule)
    yield "## Where upstream says so { #upstream data-search-exclude }\n"
    yield from upstream.section(guarantee)
    yield "## How it is commonly lost { #mistakes data-search-exclude }\n"
    yield from mistakes.section(guarantee)
    yield "## Check yours { #check data-search-exclude }\n"
    yield from _tell_how_to_check(name_of(guarantee), rules)
    yield "## Try it { #try data-search-exclude }\n"
    yield from tryout.section(guarantee, docs)
    yield from _tell_what_to_try(words)
    yield "## Asked before { #asked }\n"
    for asked in words.asked:
        yield from _answer_question(asked)


# The sections "Watch it happen" and "What happens next?".


FIGURES: Mapping[str, Callable[[], str]] = {"clocks": clocks.figure, "filtering": filtering.figure}
"""Functions that draw the figures of their own that some guarantees have."""


def _watch(words: Walk) -> Lines:
    if words.figure:
        yield FIGURES[words.figure]()
    rule = all_rules()[words.watch]
    yield f"{_scene(rule, words.watch_case)}, call by call, as it went with the reference while this page was made.\n"
    yield figure.figure(play(rule, words.watch_case), claim(rule))


def _predict(asked: Predict) -> Lines:
    rule = all_rules()[asked.rule]
    lines = play(rule, asked.case)
    shown, rest = lines[: asked.after], lines[asked.after :]
    right, text = _answer(asked, [str(line) for line in rest])
    yield f"{_scene(rule, asked.case)}, as far as it has come:\n"
    yield f'<div class="stingy-figure" data-search-exclude>\n{figure.table(shown, f"So far: {claim(rule)}")}\n</div>\n'
    yield f"**{asked.question}**\n"
    yield from (f"- {plain(option)}" for option in asked.options)
    yield ""
    yield from fold(
        "answer", "The answer", [f"**{plain(right)}**, for what came next was `{text}`.", "", asked.says]
    )


def _scene(rule: Rule, case: str) -> str:
    row = f" (*{case}*)" if case else ""
    return f"[{claim(rule)}](#{anchor(rule)}){row}"


def _answer(asked: Predict, rest: Sequence[str]) -> tuple[str, str]:
    """Return the right answer to a question, and the line of the story that contains it.

    It is the option in the first line of ``rest`` that contains one. Raises Unsaid if that line
    contains several options, or if no line contains one.
    """
    for line in rest:
        right = [option for option in asked.options if option in line]
        if len(right) == 1:
            return right[0], line
        if right:
            raise Unsaid(f"{asked.rule}: more than one answer is right: {' and '.join(right)}, for {line!r}")
    raise Unsaid(f"{asked.rule}: no answer is right; what comes after line {asked.after} is {list(rest)}")


# The section of each rule.


def _rule(rule: Rule) -> Lines:
    yield f"### {claim(rule)} {{ #{anchor(rule)} .stingy-rule }}\n"
    dated = f"<span data-search-exclude>{rule.dated}</span>"
    yield f"{level(rule, '../')} {profile(rule, '../')} `{rule.id}` {dated}\n{{ .stingy-meta }}\n"
    yield f"{emphasise(rule.sentence)}\n{{ .stingy-sentence .stingy-{rule.level.lower()} }}\n"
    yield f"{with_issues(rule.reason)}\n"
    yield from _table(rule.each)
    yield from (f"This is so {when(*way)}.\n" for way in rule.where.items())
    yield from _list_accepted(rule)
    yield from fold("checked", _convinces(rule), _check(rule))


FEW = 6
"""Maximum number of rows of a table that is shown at once; a longer one is folded."""


def _table(rows: Sequence[Row]) -> Lines:
    if len(rows) > FEW:
        yield from fold("checked", f"The {len(rows)} cases", _rows(rows))
    elif rows:
        yield "<div data-search-exclude markdown>\n"
        yield from _rows(rows)
        yield "</div>\n"


def _rows(rows: Sequence[Row]) -> Lines:
    columns = [column[0].upper() + column[1:] for column in rows[0].cells()]
    yield f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}"
    for row in rows:
        yield f"| {' | '.join(_cell(value) for value in row.cells().values())} |"
    yield ""


def _cell(value: str) -> str:
    """Return a value as a Markdown table cell.

    Values that could be misread, such as an empty text or one with blanks at an end, are quoted and
    escaped.
    """
    if value and value == value.strip() and unicodedata.is_normalized("NFC", value):
        return escape(value).replace("|", "&#124;")
    return f"`{value!a}`"


def _ranges(ranges: Mapping[str, Any]) -> Lines:
    if not ranges:
        return
    yield f"For every choice of the following, of which {number_of_examples(ranges)} are tried:\n"
    for name, values in ranges.items():
        yield f"- `{name}`: {values.words}"
    yield ""


def _list_accepted(rule: Rule) -> Lines:
    if rule.probe:
        yield "This is a probe: what happens is reported, and never held against the candidate.\n"
    if rule.contested:
        yield "Each of these outcomes is accepted; the report says which one was seen.\n"
        yield from (f"- {outcome}" for outcome in rule.contested)
        yield ""


def _convinces(rule: Rule) -> str:
    number = len(caught_by_rule()[rule.id])
    told = {0: "", 1: ", and the broken candidate that it catches"}
    return f"How it is checked{told.get(number, f', and the {number} broken candidates that it catches')}"


def _check(rule: Rule) -> Lines:
    """Yield Markdown on how a rule is checked: sources, code, and broken candidates that it catches."""
    yield from _ranges(rule.for_all)
    yield from upstream.cite(rule)
    if rule.after:
        earlier = (all_rules()[it] for it in rule.after)
        links = ", ".join(link(it, "", say(it)) for it in earlier)
        yield f"Judged only if these are kept: {links}.\n{{ .stingy-note }}\n"
    if rule.races:
        yield "Run in many orders of its lanes: without pre-emption first, then with a few, by the seed.\n{ .stingy-note }\n"
    yield from source(rule)
    if caught := caught_by_rule()[rule.id]:
        yield f"\nCaught by it: {', '.join(candidate(it, '../') for it in caught)}.\n{{ .stingy-note }}\n"


# The sections "Check yours", "Try it" and "Asked before".


def _tell_how_to_check(guarantee: str, rules: Sequence[Rule]) -> Lines:
    made = rules[0].profile.protocol
    yield f"```console\n$ stingy run mypkg:{made} --rule '{guarantee}/*'\n```\n"
    yield (
        f"[Your own class](../candidates.md) in the place of `mypkg:{made}`, or "
        '[a driver](../protocol.md) in another language: `"cmd:./driver"`.\n'
    )


def _tell_what_to_try(words: Walk) -> Lines:
    if words.exercise:
        yield from exercise.offer(words.exercise)
    if words.try_:
        yield f"{words.try_}\n"


def _answer_question(asked: Asked) -> Lines:
    where = asked.link.removeprefix("https://github.com/").replace("/issues/", "#").replace("/pull/", "#")
    yield f"**{asked.question}** ([{where.removeprefix('https://')}]({asked.link}))\n"
    yield f"{with_issues(asked.answer)}\n"
