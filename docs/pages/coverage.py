"""The page *Coverage*: sources of rules, behaviour without a rule, and rules no mutant breaks."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import groupby
from pathlib import Path

from pages import Lines, mutants
from pages.words import LISTED, fold, level, link
from stingy.contract.sources import Source
from stingy.guarantees import all_rules
from stingy.language.rule import Rule

ROOT = Path(__file__).parent.parent.parent
UNDEMANDED = ROOT / "docs/undemanded.toml"


def page() -> Lines:
    yield LISTED
    cited = _rules_by_source()
    undemanded = tomllib.loads(UNDEMANDED.read_text(encoding="utf-8"))
    yield "# Coverage\n"
    yield (
        f"The rules stand on {len(cited)} places in upstream's code, its tests and its documentation. Of what else upstream does, "
        f"{sum(map(len, undemanded.values()))} things are known that no rule demands, each for a reason.\n"
    )
    yield "## What the rules stand on { data-search-exclude }\n"
    for path, places in groupby(cited.items(), key=lambda it: f"{it[0].upstream.repo}: {it[0].path}"):
        told = list(places)
        yield from fold("checked", f"{path}: {len(told)}", _table_of_sources(told))
    yield "## What no rule demands { data-search-exclude }\n"
    for title, reasons in undemanded.items():
        yield from fold("note", f"{title}: {len(reasons)}", _table_of_reasons(reasons))
    yield from _list_unbroken(ROOT / "benchmarks/upstream", ROOT / "candidates")


def _rules_by_source() -> Mapping[Source, list[Rule]]:
    """Return the rules that cite each source; the sources are sorted by repository, file and symbol."""
    found: dict[Source, list[Rule]] = {}
    for rule in all_rules().values():
        for source in rule.cites:
            found.setdefault(source, []).append(rule)
    return dict(
        sorted(found.items(), key=lambda it: (it[0].upstream.repo, it[0].path, it[0].symbol, it[0].ground))
    )


def _table_of_sources(places: Iterable[tuple[Source, Sequence[Rule]]]) -> Lines:
    yield "| Place | What stands there | Rules |\n|---|---|---|"
    for source, rules in places:
        links = "<br>".join(
            f"{link(rule, 'guarantees/', f'`{rule.id}`')} {level(rule, '')}" for rule in rules
        )
        yield f"| [`{source.symbol or source.path.rpartition('/')[2]}`]({source.url}) | {_cell(source)} | {links} |"


def _cell(source: Source) -> str:
    """Return a table cell with the source's quote, or with the kind of source if it has no quote."""
    return escape(source.quote).replace("|", "\\|") if source.quote else f"*{source.ground}*"


def _table_of_reasons(reasons: Mapping[str, str]) -> Lines:
    yield "| Upstream | Why no rule demands it |\n|---|---|"
    yield from (f"| {says} | {why} |" for says, why in reasons.items())


def _list_unbroken(results: Path, candidates: Path) -> Lines:
    """Yield Markdown with the rules that no mutant breaks, for each module of upstream.

    A mutant is a small change to upstream's code, made to test whether a rule notices it.
    """
    yield "## Rules that no mutant of upstream breaks\n"
    yield (
        "Each of these rules catches a broken candidate in Python. The [mutants of upstream's own "
        "code](reliability.md#mutants-of-upstreams-own-code), which are judged through drivers, do not break them. A mutant is judged "
        "until the first rule that it breaks, and then for two seconds by rules of that guarantee which take one run. So a rule "
        "may also be listed here because whatever breaks it breaks one that comes before it.\n"
    )
    for name, rules in mutants.find_unbroken(results, candidates).items():
        of = len(mutants.judged(candidates, name))
        lines = _by_guarantee(rules)
        yield from fold("note", f"{name}: {len(rules)} of {of} rules are broken by no mutant", lines)


def _by_guarantee(ids: Sequence[str]) -> Lines:
    rules = [all_rules()[id_] for id_ in ids]
    for guarantee, group in groupby(rules, key=lambda rule: rule.guarantee):
        links = (link(rule, "guarantees/", f"`{rule.id.partition('/')[2]}`") for rule in group)
        yield f"- **{guarantee}**: {', '.join(links)}"
