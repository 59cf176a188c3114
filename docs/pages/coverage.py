"""Where the specification has what is known of upstream."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from pages import Lines, mutants
from pages.words import LISTED, fold, level, link
from stingy.catalogue import Behaviour, find_uncovered, parts
from stingy.guarantees import all_rules

ROOT = Path(__file__).parent.parent.parent


def page() -> Lines:
    yield LISTED
    everything = [behaviour for part in parts() for behaviour in part.behaviours]
    yield "# Coverage\n"
    yield (
        f"These {len(everything)} behaviours were found by reading upstream's code, its tests, its "
        "bugs and its open questions. Each is the matter of a rule, or there is a reason why it cannot be.\n"
    )
    if open_ := [f"`{it.name}`" for it in find_uncovered()]:
        yield f"Nobody covers {', '.join(open_)} yet.\n"
    for part in parts():
        yield f"## {part.title} {{ data-search-exclude }}\n"
        yield from fold("checked", f"{len(part.behaviours)} behaviours", _table(part.behaviours))
    yield from _list_unbroken(ROOT / "benchmarks/upstream", ROOT / "candidates")


def _table(behaviours: Sequence[Behaviour]) -> Lines:
    yield "| Behaviour | Upstream | Rules |\n|---|---|---|"
    for behaviour in behaviours:
        links = "<br>".join(
            f"{link(rule, 'guarantees/', f'`{rule.id}`')} {level(rule, '')}" for rule in behaviour.rules
        )
        yield f"| `{behaviour.name}` | {behaviour.says} | {links or behaviour.why_not or '**nobody**'} |"


def _list_unbroken(results: Path, candidates: Path) -> Lines:
    """What has never been seen to find anything in upstream's own code."""
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
