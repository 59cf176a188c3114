"""``stingy rules``, and which rules a pattern means."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Any

import click
import msgspec

from stingy.guarantees import all_rules
from stingy.language.rule import Rule


@click.command("rules")
@click.argument("glob", default="*")
@click.option("--json", "as_json", is_flag=True, help="Everything there is to say about each, for programs.")
def command(glob: str, as_json: bool) -> None:
    """List the rules, or those like GLOB."""
    found = like([glob])
    if as_json:
        described = [_described(rule) for rule in found]
        click.echo(msgspec.json.format(msgspec.json.encode(described), indent=1).decode())
        return
    width = max(len(rule.id) for rule in found)
    for rule in found:
        click.echo(f"{rule.level:<9}  {rule.profile.name:<7}  {rule.id:<{width}}  {rule.sentence}")


def like(globs: Iterable[str]) -> list[Rule]:
    """Those that are like one of these; ClickException if there are none."""
    found: dict[str, Rule] = {}
    for glob in globs:
        fitting = {id_: rule for id_, rule in all_rules().items() if fnmatchcase(id_, glob)}
        if not fitting:
            near = difflib.get_close_matches(glob, list(all_rules()), 1, 0.4)
            hint = f"; did you mean {near[0]}?" if near else "; stingy rules lists them"
            raise click.ClickException(f"there is no rule {glob!r}{hint}")
        found |= fitting
    return list(found.values())


def _described(rule: Rule) -> dict[str, Any]:
    return {
        "rule": rule.id,
        "guarantee": rule.guarantee,
        "profile": rule.profile.name,
        "level": rule.level,
        "sentence": rule.sentence,
        "reason": rule.reason,
        "cases": [row.name for row in rule.each],
        "for_all": {name: values.words for name, values in rule.for_all.items()},
        "after": list(rule.after),
        "hints": list(rule.hints),
        "accepted": list(rule.contested),
        "where": dict(rule.where),
        "source": [{"symbol": str(it), "url": it.url, "quote": it.quote} for it in rule.cites],
    }
