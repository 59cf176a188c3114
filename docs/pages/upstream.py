"""Quotes and links to the places of upstream on which rules are based."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, groupby
from types import ModuleType

from pages import Lines, Unsaid
from pages.words import anchor, fold, plain, say
from stingy.contract.sources import Ground, Source, digest
from stingy.guarantees import rules_of
from stingy.language.rule import Rule

STANDS: Mapping[Ground, str] = {
    Ground.SAID: "Upstream says so",
    Ground.TESTED: "A test of upstream's own asserts it",
    Ground.OBSERVED: "Upstream does so",
}


def section(guarantee: ModuleType) -> Lines:
    """Yield Markdown with each source of a guarantee and the rules that cite it, by kind of source."""
    sources = dict.fromkeys(source for rule in rules_of(guarantee) for source in rule.cites)
    by_ground = groupby(sorted(sources, key=_rank), key=lambda source: source.ground)
    for ground, there in by_ground:
        places = list(there)
        number = f"{len(places)} place{'s' if places[1:] else ''}"
        quotes = (_place(it, [rule for rule in rules_of(guarantee) if it in rule.cites]) for it in places)
        yield from fold("checked", f"{STANDS[ground]}: {number}", chain.from_iterable(quotes))


def _rank(source: Source) -> int:
    return [*Ground].index(source.ground)


def _place(source: Source, rules: Sequence[Rule]) -> Lines:
    where = f"[{source}]({source.url}) in {source.upstream.module or source.upstream.repo}"
    standing = ", ".join(f"[{say(rule)}](#{anchor(rule)})" for rule in rules)
    if source.quote:
        if digest(source.quote) != source.digest:
            raise Unsaid(
                f"{source}: the quote is not the one that was hashed; look it up, and change its hash"
            )
        yield f"> {plain(source.quote)}\n>\n> — {where}\n"
    else:
        yield f"{where}\n"
    yield f"For: {standing}.\n{{ .stingy-note }}\n"


def cite(rule: Rule) -> Lines:
    """Yield Markdown links to a rule's sources; their quotes are shown further down on the page."""
    places = ", ".join(f"[{source}]({source.url})" for source in rule.cites)
    yield f"{STANDS[rule.cites[0].ground]}: {places}.\n{{ .stingy-note }}\n"
