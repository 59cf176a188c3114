"""The command ``stingy rules``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import click
import msgspec

from stingy import guarantees
from stingy.language.rule import Rule


@click.command("rules")
@click.argument("glob", default="*")
@click.option("--json", "as_json", is_flag=True, help="Print all fields of each rule as JSON.")
def command(glob: str, as_json: bool) -> None:
    """List the rules, or only those whose ids match GLOB."""
    found = find_rules([glob])
    if as_json:
        described = [_describe(rule) for rule in found]
        click.echo(msgspec.json.format(msgspec.json.encode(described), indent=1).decode())
        return
    width = max(len(rule.id) for rule in found)
    for rule in found:
        click.echo(
            f"{rule.level:<9}  {rule.profile.name:<7}  {rule.id:<{width}}  {rule.since}  {rule.sentence}"
        )


def find_rules(globs: Iterable[str]) -> list[Rule]:
    """Return the rules whose ids match one of these patterns.

    Raises ClickException for a pattern that no id matches.
    """
    try:
        return guarantees.like(globs)
    except LookupError as error:
        raise click.ClickException(str(error)) from None


def _describe(rule: Rule) -> dict[str, Any]:
    return {
        "rule": rule.id,
        "guarantee": rule.guarantee,
        "profile": rule.profile.name,
        "level": rule.level,
        "since": rule.since,
        "sharpened": rule.sharpened,
        "ground": rule.cites[0].ground,
        "sentence": rule.sentence,
        "reason": rule.reason,
        "cases": [row.name for row in rule.each],
        "for_all": {name: values.words for name, values in rule.for_all.items()},
        "after": list(rule.after),
        "accepted": list(rule.contested),
        "where": dict(rule.where),
        "source": [
            {"symbol": str(it), "url": it.url, "quote": it.quote, "ground": it.ground} for it in rule.cites
        ],
    }
