"""``stingy dev``: for whoever works on the rules themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import click
from rich.console import Console
from rich.progress import track

from stingy.cli.group import Group
from stingy.cli.rules import like
from stingy.faults import RECORD, Failures, Record, record, write
from stingy.guarantees import all_rules
from stingy.kills import Broken, Task, UnsoundError, broken_in, judge_all, merged, tasks
from stingy.language import Level
from stingy.verdict import Exit


@click.group("dev", cls=Group)
def command() -> None:
    """For whoever works on the rules: who catches whom."""


@command.command("kills")
@click.option("--rule", "globs", multiple=True, metavar="GLOB", help="Only these rules; more than once.")
@click.option("--write", "put_down", is_flag=True, help=f"Put what is found into {RECORD.name}.")
@click.option("--package", default="stingy_broken", show_default=True, help="What has the broken candidates.")
@click.option("-n", "processes", type=click.IntRange(1), help="So many at once.  [default: one a processor]")
def kills(globs: tuple[str, ...], put_down: bool, package: str, processes: int | None) -> int:
    """Judge every broken candidate where something has changed, and say whom the rules catch.

    Without --write, what is found is held against the record. Exit status: 0 all is as recorded, or written;
    1 something differs, or a rule catches nobody, or a candidate is not caught by the rule that it is about; 4 usage.
    """
    everybody = broken_in(package)
    rules = [rule.id for rule in like(globs)] if globs else list(all_rules())
    known = record()
    todo = tasks(everybody, known, rules)
    if put_down and globs and _stale_beside(everybody, known, rules):
        raise click.ClickException(
            "more has changed than these rules: leave out --rule, and all that may be otherwise is judged"
        )
    found = _found(todo, processes)
    now = merged(everybody, known, found)
    _tell(now, rules, todo)
    differing = list(_differing(known, now))
    complaints = list(_complaints(now, everybody, rules))
    for line in (*differing, *complaints):
        click.echo(line)
    if put_down:
        write(now)
        click.echo(f"{RECORD} is written")
    return Exit.DOES_NOT if complaints or (differing and not put_down) else Exit.CONFORMS


def _stale_beside(everybody: Sequence[Broken], known: Record, rules: Sequence[str]) -> bool:
    return bool(tasks(everybody, known, [id_ for id_ in all_rules() if id_ not in rules]))


def _found(todo: Sequence[Task], processes: int | None) -> Mapping[Broken, tuple[Task, Failures]]:
    judging = track(
        judge_all(todo, processes),
        "broken candidates",
        len(todo),
        console=Console(stderr=True),
        transient=True,
        disable=not todo,
    )
    try:
        return {task.broken: (task, failures) for task, failures in judging}
    except UnsoundError as unsound:
        raise click.ClickException(f"that is no verdict on what is wrong with it: {unsound}") from None


def _tell(now: Record, rules: Sequence[str], todo: Sequence[Task]) -> None:
    """Whom the rules catch, if they are few; how many, if they are all."""
    cells = sum(len(task.rules) for task in todo)
    click.echo(f"judged {cells:,} of {len(now.faults) * len(rules):,} pairs; the others are as recorded")
    if len(rules) == len(all_rules()):
        return
    for id_ in rules:
        caught = [f"{fault.family}:{fault.name}" for fault in now.faults if id_ in fault.failures]
        click.echo(f"{id_} catches {len(caught)}" + "".join(f"\n  {name}" for name in caught))


def _differing(known: Record, now: Record) -> list[str]:
    before = {(it.family, it.name): set(it.failures) for it in known.faults}
    after = {(it.family, it.name): set(it.failures) for it in now.faults}
    return [
        f"{family}:{name} {word} {rule}"
        for family, name in sorted(before.keys() | after.keys())
        for word, rules in (
            ("is now caught by", after.get((family, name), set()) - before.get((family, name), set())),
            ("is no longer caught by", before.get((family, name), set()) - after.get((family, name), set())),
        )
        for rule in sorted(rules)
    ]


def _complaints(now: Record, everybody: Sequence[Broken], rules: Sequence[str]) -> list[str]:
    caught = {(fault.family, fault.name): fault.failures for fault in now.faults}
    missed = [
        f"{it.target} is not caught by {it.about}, which it is about"
        for it in everybody
        if it.about in rules and it.about not in caught[it.family, it.name]
    ]
    catches = Counter(id_ for fault in now.faults for id_ in fault.failures)
    idle = [id_ for id_ in rules if not catches[id_] and all_rules()[id_].level in (Level.MUST, Level.SHOULD)]
    return missed + [f"{id_} catches nobody: break something that it would find" for id_ in idle]
