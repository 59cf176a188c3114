"""``stingy dev``: for whoever works on the rules themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

import click
from rich.console import Console
from rich.progress import track

from stingy.cli.group import Group
from stingy.cli.rules import find_rules
from stingy.faults import RECORD, Record, record, write
from stingy.guarantees import all_rules
from stingy.kills import Judged, Specimen, Task, broken_in, judge_all, merge, sound_in, tasks
from stingy.language import Level
from stingy.verdict import Exit

STEP = 50
"""Where there is no terminal to draw on, a line says after so many specimens how far it is."""


@click.group("dev", cls=Group)
def command() -> None:
    """For whoever works on the rules: who catches whom."""


@command.command("kills")
@click.option("--rule", "globs", multiple=True, metavar="GLOB", help="Only these rules; more than once.")
@click.option("--write", "put_down", is_flag=True, help=f"Put what is found into {RECORD.name}.")
@click.option("--broken", default="stingy_broken", show_default=True, help="What has the broken candidates.")
@click.option("--sound", default="stingy_sound", show_default=True, help="What has those that are right.")
@click.option("-n", "processes", type=click.IntRange(1), help="So many at once.  [default: one a processor]")
def kills(globs: tuple[str, ...], put_down: bool, broken: str, sound: str, processes: int | None) -> int:
    """Judge every broken and every sound candidate, and say whom the rules catch.

    By all rules that takes most of an hour on two processors. Without --write, what is found is held against the last snapshot.
    Exit status: 0 all is as recorded, or written; 1 something differs, a rule catches nobody, somebody broken is not caught by
    the rule that he breaks, or somebody sound is accused; 4 usage.
    """
    guilty, innocent = broken_in(broken), sound_in(sound)
    rules = [rule.id for rule in find_rules(globs)] if globs else list(all_rules())
    known = record()
    judged = list(_judge(tasks([*guilty, *innocent], known, rules), processes))
    now = merge(guilty, innocent, known, judged)
    _tell(now, rules, judged)
    differing = list(_find_differing(known, now))
    complaints = [
        *chain.from_iterable(it.complaints for it in judged),
        *_find_missed(now, guilty, rules),
        *_find_idle(now, rules),
    ]
    for line in (*differing, *complaints):
        click.echo(line)
    if put_down:
        write(replace(now, faults=tuple(it for it in now.faults if it.failures)))  # others may catch the rest
        click.echo(f"{RECORD} is written")
    return Exit.DOES_NOT if complaints or (differing and not put_down) else Exit.CONFORMS


def _judge(todo: Sequence[Task], processes: int | None) -> Iterator[Judged]:
    console = Console(stderr=True)
    judging = judge_all(todo, processes)
    if console.is_terminal:
        yield from track(judging, "specimens", len(todo), console=console, transient=True)
        return
    for number, it in enumerate(judging, 1):
        yield it
        if number % STEP == 0:
            click.echo(f"{number} of {len(todo)} specimens", err=True)


def _tell(now: Record, rules: Sequence[str], judged: Sequence[Judged]) -> None:
    """Whom the rules catch, if they are few; how many, if they are all."""
    click.echo(f"judged {sum(len(it.task.rules) for it in judged):,} pairs")
    if len(rules) == len(all_rules()):
        return
    for id_ in rules:
        caught = [f"{fault.family}:{fault.name}" for fault in now.faults if id_ in fault.failures]
        click.echo(f"{id_} catches {len(caught)}" + "".join(f"\n  {name}" for name in caught))


def _find_differing(known: Record, now: Record) -> Iterator[str]:
    everybody = [*((it, False) for it in now.faults), *((it, True) for it in now.sound)]
    for fault, sound in everybody:
        before = known.of(fault.family, fault.name, sound=sound)
        earlier = set(before.failures) if before else set()
        for word, rules in (
            ("is now caught by", fault.failures.keys() - earlier),
            ("is no longer caught by", earlier - fault.failures.keys()),
        ):
            yield from (f"{fault.family}:{fault.name} {word} {rule}" for rule in sorted(rules))


def _find_missed(now: Record, guilty: Sequence[Specimen], rules: Sequence[str]) -> Iterator[str]:
    for it in guilty:
        fault = now.of(it.family, it.name)
        if it.about in rules and fault and it.about not in fault.failures:
            yield f"{it.target} is not caught by {it.about}, which it breaks"


def _find_idle(now: Record, rules: Sequence[str]) -> Iterator[str]:
    catching = {id_ for fault in now.faults for id_ in fault.failures}
    for id_ in rules:
        if id_ not in catching and all_rules()[id_].level in (Level.MUST, Level.SHOULD):
            yield f"{id_} catches nobody: break something that it would find"
