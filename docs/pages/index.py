"""The page *All rules*, and the table of guarantees."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pages import Lines
from pages.broken import caught_by_rule
from pages.navigation import sections
from pages.walk import walk
from pages.words import LISTED, emphasise, fold, level, link, name_of, page_of, profile, tally
from stingy.guarantees import all_rules, guarantees, rules_of, title
from stingy.language.rule import Rule


def page() -> Lines:
    yield LISTED
    yield f"# All rules\n\n{tally(all_rules().values())}\n{{ .stingy-tally }}\n"
    yield "*Catches* says how many of the [broken candidates](broken.md) the rule objects to.\n"
    for guarantee in guarantees():
        yield f"## [{title(guarantee)}]({page_of(guarantee)}) {{ data-search-exclude }}\n"
        yield from fold("checked stingy-index", tally(rules_of(guarantee)), _table(rules_of(guarantee)))


def _table(rules: Sequence[Rule]) -> Lines:
    yield "| Level | Rule | Profile | Catches |\n|---|---|---|--:|"
    for rule in rules:
        caught = len(caught_by_rule()[rule.id])
        yield (
            f"| {level(rule, '')} "
            f"| {link(rule, 'guarantees/', f'`{rule.id}`')}<br>{emphasise(rule.sentence)} "
            f"| {profile(rule, '')} | {caught} |"
        )


def contents(walks: Path) -> Lines:
    """Yield a Markdown table for each section of the site.

    It has a row for each guarantee: the promise, and the number of rules.
    """
    for section, there in sections().items():
        yield f"### {section} {{ data-search-exclude }}\n"
        yield '<div class="stingy-contents" markdown>\n'
        yield "| Guarantee | Promises | Rules |\n|---|---|--:|"
        for guarantee in there:
            promise = walk(name_of(guarantee), walks).promise.replace("|", "&#124;")
            yield f"| [{title(guarantee)}]({page_of(guarantee)}) | {promise} | {len(rules_of(guarantee))} |"
        yield "\n</div>\n"
