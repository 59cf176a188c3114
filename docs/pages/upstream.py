"""Where upstream says a thing, and where it does it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import ModuleType

from pages import Lines, Unsaid
from pages.words import anchor, claim, plain
from stingy.guarantees import rules_of
from stingy.language.rule import Rule
from stingy.sources import Ground, Source, digest

STANDS: Mapping[Ground, str] = {
    Ground.SAID: "Upstream says so",
    Ground.TESTED: "A test of upstream's own asserts it",
    Ground.OBSERVED: "Upstream does so",
}


def section(guarantee: ModuleType) -> Lines:
    """Each place once, what it says first, and the rules that stand on it."""
    sources = list(dict.fromkeys(source for rule in rules_of(guarantee) for source in rule.cites))
    for source in sorted(sources, key=lambda source: [*Ground].index(source.ground)):
        yield from _place(source, [rule for rule in rules_of(guarantee) if source in rule.cites])


def _place(source: Source, rules: Sequence[Rule]) -> Lines:
    where = f"[{source}]({source.url}) in {source.upstream.module or source.upstream.repo}"
    standing = ", ".join(f"[{claim(rule).lower()}](#{anchor(rule)})" for rule in rules)
    if source.quote:
        if digest(source.quote) != source.digest:
            raise Unsaid(
                f"{source}: the quote is not the one that was hashed; look it up, and change its hash"
            )
        yield f"> {plain(source.quote)}\n>\n> — {where}\n"
    else:
        yield f"{STANDS[source.ground]}: {where}.\n"
    yield f"For: {standing}.\n{{ .stingy-note }}\n"


def cite(rule: Rule) -> Lines:
    """By the rule itself: the place and no words, which stand further down."""
    places = ", ".join(f"[{source}]({source.url})" for source in rule.cites)
    yield f"{STANDS[rule.cites[0].ground]}: {places}.\n{{ .stingy-note }}\n"
