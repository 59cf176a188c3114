"""The command ``stingy explain``."""

from __future__ import annotations

import inspect

import click

from stingy.cli.rules import find_rules
from stingy.contract.kubernetes import when
from stingy.contract.testimony import in_a_line
from stingy.reports.outcomes import outcomes


@click.command("explain")
@click.argument("rule_id", metavar="RULE")
def command(rule_id: str) -> None:
    """Print what a rule demands, why, where upstream says so, and how it is checked."""
    (rule, *others) = find_rules([rule_id])
    if others:
        raise click.ClickException(f"{rule_id} fits {1 + len(others)} rules: say which, as in {rule.id}")
    click.echo(
        f"{rule.id}\n{rule.level}, {rule.cites[0].ground}, profile {rule.profile.name}, {rule.dated}\n\n{rule.sentence}\n"
    )
    if rule.reason:
        click.echo(f"{rule.reason}\n")
    for way, value in rule.where.items():
        click.echo(f"  only {when(way, value)}")
    for outcome in rule.contested:
        click.echo(f"  accepted: {outcome}")
    for who, seen in outcomes(rule.id).items():
        click.echo(f"  {in_a_line(f'{who}: {seen}')}")
    for row in rule.each:
        click.echo("  " + ", ".join(f"{column}: {value}" for column, value in row.cells().items()))
    for name, values in rule.for_all.items():
        click.echo(f"  for every {name}: {values.words}")
    for source in rule.cites:
        click.echo(
            f"\nupstream: {source}\n  {source.url}" + (f'\n  "{source.quote}"' if source.quote else "")
        )
    click.echo(f"\n{inspect.getsource(rule.check)}")
