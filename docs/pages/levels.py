"""The page on the evidence behind the levels of rules, with a list of all rules only observed."""

from __future__ import annotations

from collections import Counter

from pages import Lines
from pages.words import LISTED, level, link, page_of
from stingy.contract.sources import Ground
from stingy.guarantees import all_rules, guarantees, rules_of, title
from stingy.language.rule import Level, Rule

COLUMNS = (
    (Level.MUST, Ground.SAID),
    (Level.MUST, Ground.TESTED),
    (Level.SHOULD, Ground.OBSERVED),
    (Level.CONTESTED, None),
    (Level.UNDEFINED, None),
)
"""Columns of the table: a level, and the kind of evidence for it.

None stands for any evidence, for levels at which upstream settles nothing.
"""


def page() -> Lines:
    yield LISTED
    yield "# MUST and SHOULD: what they are based on\n"
    yield (
        "A rule is a [MUST](verdicts.md#levels) if upstream *says* so, in words that are quoted on the page of the rule, or if a "
        "test of upstream's own *asserts* it. What upstream only does is a SHOULD: it is *observed* in its code, and a port that "
        "differs breaks no promise. This table counts the rules; it is made of what they cite.\n"
    )
    yield f"| Guarantee | {' | '.join(map(_head, COLUMNS))} |\n|---|{'--:|' * len(COLUMNS)}"
    for guarantee in guarantees():
        yield f"| [{title(guarantee)}]({page_of(guarantee)}) | {_counts(rules_of(guarantee))} |"
    yield f"| **All** | {_counts([*all_rules().values()])} |\n"
    yield "## Observed only { #observed data-search-exclude }\n"
    yield "| Rule | Upstream does so in |\n|---|---|"
    for rule in all_rules().values():
        if rule.level is Level.SHOULD:
            source = rule.cites[0]
            yield f"| {level(rule, '')} {link(rule, 'guarantees/', f'`{rule.id}`')} | [{source}]({source.url}) |"


def _head(column: tuple[Level, Ground | None]) -> str:
    level_, ground = column
    return f"{level_}, {ground}" if ground else str(level_)


def _counts(rules: list[Rule]) -> str:
    """Return table cells with the number of rules in each of ``COLUMNS``; a cell is empty instead of 0."""
    number = Counter((rule.level, rule.cites[0].ground) for rule in rules)
    of_level = Counter(rule.level for rule in rules)
    return " | ".join(
        str((number[level_, ground] if ground else of_level[level_]) or "") for level_, ground in COLUMNS
    )
