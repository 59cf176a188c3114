"""Judge the panel, to check that no rule accuses a sound candidate in any order.

``python -m lab.panel`` judges by all rules twelve fixed sound candidates, and each sound candidate
that the change touches. If the change touches rules, it judges all sound candidates by those rules.
The broken candidates are not judged here: the tests do that.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterable, Mapping

import click

from lab import change
from lab.kills import Specimen, Task, judge_all, sound_in
from stingy.guarantees import all_rules

FIXED = (
    "queues:Polling",
    "queues:OneAtTheDoor",
    "queues:WithDispatcher",
    "coroutines:OnACondition",
    "coroutines:AsksAThread",
    "delays:GetWaitsForTheDeadline",
    "delays:TimerForEach",
    "metrics:LooksAtEveryCall",
    "controllers:InOnePiece",
    "controllers:OnAThreadPool",
    "priorities:WithoutAThread",
    "proxies:GathersInTheBackground",
)
"""Sound candidates that are always judged: one for each way to wait, keep time and use threads."""


@click.command(help=__doc__)
@click.option(
    "--base",
    default="",
    metavar="COMMIT",
    help="Compare with this commit.  [default: where the branch left main]",
)
def main(base: str) -> None:
    since = base or change.base()
    click.echo(
        f"the panel, and changes since {since[:9]}" if since else "the panel; no commit to compare with"
    )
    everybody = [*sound_in("stingy_sound"), *sound_in("stingy_sound.oddities", "oddities")]
    sound = {it.target.removeprefix("stingy_sound."): it for it in everybody}
    rules = _changed_rules(since) if since else []
    todo = _tasks(sound, _changed_specimens(since, sound) if since else [], rules)
    click.echo(f"{len(todo)} candidates; changed rules: {', '.join(rules) or 'none'}")
    complaints: list[str] = []
    for number, judged in enumerate(judge_all(todo), 1):
        complaints += judged.complaints
        for complaint in judged.complaints:
            click.echo(complaint)
        click.echo(f"{number} of {len(todo)}: {judged.task.specimen.target}", err=True)
    click.echo(f"{len(todo)} judged, {len(complaints)} complaints")
    sys.exit(1 if complaints else 0)


def _tasks(sound: Mapping[str, Specimen], changed: Iterable[str], rules: Iterable[str]) -> list[Task]:
    everything, some = tuple(all_rules()), tuple(rules)
    whole = dict.fromkeys([*FIXED, *changed])
    tasks = [Task(sound[name], everything, frozenset(everything)) for name in whole]
    return tasks + [
        Task(it, some, frozenset(some)) for name, it in sound.items() if some and name not in whole
    ]


def _changed_rules(since: str) -> list[str]:
    by_file: dict[str, dict[str, str]] = {}
    for id_, rule in all_rules().items():
        by_file.setdefault(inspect.getsourcefile(rule.check) or "", {})[rule.check.__name__] = id_
    return [
        rules[name]
        for file, names in change.changed(since, "spec/stingy/guarantees").items()
        for rules in [by_file.get(str(file), {})]
        for name in sorted(change.touched(names, rules))
    ]


def _changed_specimens(since: str, sound: Mapping[str, Specimen]) -> list[str]:
    by_file: dict[str, dict[str, str]] = {}
    for target, it in sound.items():
        file = inspect.getsourcefile(sys.modules[it.module]) or ""
        by_file.setdefault(file, {})[it.name] = target
    return [
        targets[name]
        for file, names in change.changed(since, "reference").items()
        for targets in [by_file.get(str(file), {})]
        for name in sorted(change.touched(names, targets))
    ]


if __name__ == "__main__":
    main()
