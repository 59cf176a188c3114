"""The page *Broken candidates*: all wrong implementations, and the rules that catch each."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from itertools import chain, groupby
from typing import Any

from pages import Lines
from pages.words import LISTED, broken_anchor, doc, fold, level, link
from stingy.guarantees import all_rules
from stingy.reports.faults import record
from stingy_broken import broken_candidates


def page() -> Lines:
    yield LISTED
    everybody = list(broken_candidates())
    yield "# Broken candidates\n"
    yield (
        f"Does each rule bite? These {len(everybody)} implementations are wrong in exactly one way each, and named "
        "for their fault. The tests of this project fail if one gets through the rule that it breaks. Below each stand all rules "
        f"that caught it when every rule was last run against every candidate ({record().made}). A rule that builds on a broken one is not judged, so it is not listed.\n"
    )
    for name, candidates in groupby(everybody, key=lambda broken: broken.__module__):
        heading = inspect.cleandoc(import_module(name).__doc__ or "").partition("\n\n")[0].rstrip(".")
        yield f"## {heading} {{ #{name.rpartition('.')[2]} data-search-exclude }}\n"
        family = list(candidates)
        entries = chain.from_iterable(map(_entry, family))
        yield from fold("checked", f"{len(family)} broken candidates, and the rules that catch each", entries)
    yield from _toothless()


def _entry(broken: Any) -> Lines:
    rules = (rule for rule in all_rules().values() if rule.id in caught_by(broken))
    links = "".join(f"<br>\n    {link(rule, 'guarantees/', rule.id)}" for rule in rules)
    yield f"`{broken.__name__}`{{ #{broken_anchor(broken)} .stingy-broken }}\n:   {doc(broken)}{links}\n"


def _toothless() -> Lines:
    rules = [rule for rule in all_rules().values() if not caught_by_rule()[rule.id]]
    if not rules:
        return
    yield "## Rules that catch nobody here { #nobody data-search-exclude }\n"
    yield "They accept every outcome that a candidate might reasonably have, or only report.\n"
    yield from (f"- {link(rule, 'guarantees/', f'`{rule.id}`')} {level(rule, '')}" for rule in rules)


@cache
def caught_by_rule() -> Mapping[str, Sequence[type]]:
    """Return the broken candidates that each rule catches, by the rule's id."""
    everybody = list(broken_candidates())
    return {rule: [broken for broken in everybody if rule in caught_by(broken)] for rule in all_rules()}


def caught_by(broken: type) -> frozenset[str]:
    """Return the ids of the rules that catch a broken candidate.

    These are the rule that it is made to break, and those that caught it in the last recorded run.
    """
    known = _read_record().get((broken.__module__.rpartition(".")[2], broken.__name__), frozenset())
    return known | {broken.about}  # type: ignore[attr-defined]


@cache
def _read_record() -> Mapping[tuple[str, str], frozenset[str]]:
    return {(fault.family, fault.name): frozenset(fault.failures) for fault in record().faults}
