"""The kill matrix: every specimen, broken or sound, judged by every rule.

``kills.json`` is a dated snapshot of this matrix. No verdict depends on it: the gate judges each
broken candidate anew, by the rule that it breaks.
"""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from importlib import import_module
from itertools import chain
from math import inf
from multiprocessing import active_children
from multiprocessing.util import Finalize
from pathlib import Path

import click
import msgspec
from rich.console import Console
from rich.progress import track

from stingy.cli.rules import find_rules
from stingy.guarantees import all_rules
from stingy.judging.trial import Judge, Trial
from stingy.judging.verdict import Evidence, Exit, Finding, Verdict
from stingy.language.allowance import NOTHING, Allowance
from stingy.language.rule import Level, Row, Rule
from stingy.process.file import put
from stingy.process.snapshot import now
from stingy.reports.faults import RECORD, Failures, Fault, Record, failures, record
from stingy.transport.inprocess import InProcess

SEED = 1
SEEDS = range(SEED, SEED + (1 if sys.version_info < (3, 12) else 5))
"""The seeds that ``is_caught`` tries in turn: from Python 3.12 on, one seed draws other orders than those of the record."""
STEP = 50
"""Without a terminal, progress is written after this many specimens."""


@dataclass(frozen=True)
class Specimen:
    """A variant of the reference implementation, either broken or sound.

    ``about``: id of the rule that a broken variant is made to break; empty for a sound one.
    """

    module: str
    name: str
    says: str
    about: str = ""
    is_odd: bool = False
    """True if the specimen may wait in ways that the engine cannot control.

    Then real time passes, and some rules stay undecided.
    """

    @property
    def target(self) -> str:
        return f"{self.module}:{self.name}"

    @property
    def family(self) -> str:
        return self.module.rpartition(".")[2]


@dataclass(frozen=True)
class Task:
    """A specimen, and the ids of the rules by which it is judged.

    The races of the rules in ``whole`` run in all orders; other races run in one order.
    """

    specimen: Specimen
    rules: tuple[str, ...]
    whole: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Judged:
    """Result of a task. ``complaints`` describes each verdict that this specimen must not get."""

    task: Task
    failures: Failures
    complaints: tuple[str, ...] = ()


def broken_in(package: str) -> list[Specimen]:
    """Return the broken candidates that the package with this name lists."""
    return [_specimen(cls, cls.about) for cls in import_module(package).broken_candidates()]


def sound_in(package: str, named_by: str = "sound_candidates") -> list[Specimen]:
    """Return the sound candidates that the package with this name lists in its function ``named_by``."""
    is_odd = named_by == "oddities"
    return [_specimen(cls, is_odd=is_odd) for cls in getattr(import_module(package), named_by)()]


def _specimen(cls: type, about: str = "", *, is_odd: bool = False) -> Specimen:
    says = inspect.cleandoc(cls.__doc__ or "").partition("\n\n")[0]
    return Specimen(cls.__module__, cls.__name__, " ".join(says.split()), about, is_odd)


def tasks(everybody: Iterable[Specimen], known: Record, rules: Sequence[str]) -> list[Task]:
    """Return a task for each specimen: to judge it by these rules.

    Races run in all orders only if the specimen is broken and the rule may catch it: the rule that
    it is made to break, rules that caught it in the snapshot ``known``, and rules that caught no
    specimen there. All rules may catch a specimen that the snapshot does not have.
    """
    catching = {id_ for fault in known.faults for id_ in fault.failures}
    new = [id_ for id_ in rules if id_ not in catching]
    todo = []
    for specimen in everybody:
        fault = known.of(specimen.family, specimen.name)
        found = (fault.failures if fault else rules) if specimen.about else ()
        whole = frozenset(rules).intersection((specimen.about, *found, *(new if specimen.about else ())))
        todo.append(Task(specimen, tuple(rules), whole))
    return todo


def judge_all(todo: Sequence[Task], processes: int | None = None) -> Iterator[Judged]:
    """Judge the specimens in several processes, and yield each result as soon as it is ready.

    None for ``processes`` starts one for each processor; 1 judges in this process.
    """
    if processes == 1:
        yield from map(judge, todo)
        return
    with ProcessPoolExecutor(processes, initializer=_wait_for_nobody) as pool:
        try:
            for done in as_completed([pool.submit(judge, task) for task in todo]):
                yield done.result()
        finally:
            pool.shutdown(cancel_futures=True)


def _wait_for_nobody() -> None:
    """Make this worker process exit at once, even if a candidate left a thread or a child process."""
    Finalize(None, _end, exitpriority=FIRST)


FIRST = 1_000
"""Priority of a finalizer that runs first: that of a multiprocessing manager may block."""


def _end() -> None:
    for left in active_children():
        left.kill()
    os._exit(0)


def judge(task: Task) -> Judged:
    candidate = _Spared(task)
    judging = Judge(candidate, SEED, goes_on=False)
    try:
        verdicts = list(chain.from_iterable(judging.verdicts(all_rules()[id_]) for id_ in task.rules))
    finally:
        candidate.close()
    wrong = (it for it in verdicts if _is_wrong(it, task.specimen))
    complaints = (
        f"{task.specimen.target} by {it.rule} {it.case}: {it.verdict} {it.evidence}: {it.because}"
        for it in wrong
    )
    return Judged(task, failures(verdicts), tuple(complaints))


def _is_wrong(verdict: Verdict, specimen: Specimen) -> bool:
    """Return True if the specimen must not get this verdict.

    That is an ERROR; an undecided or timed verdict, unless the specimen is odd; and for a sound
    specimen a FAIL or BLOCKED, unless the rule is a SHOULD.
    """
    undecided = verdict.verdict is Finding.INCONCLUSIVE or verdict.evidence is Evidence.TIMED
    if verdict.verdict is Finding.ERROR or (undecided and not specimen.is_odd):
        return True
    accused = verdict.verdict in (Finding.FAIL, Finding.BLOCKED)
    return accused and not specimen.about and verdict.level is not Level.SHOULD


class _Spared:
    """Runs a task's candidate; only races of the rules in ``whole`` run in all orders.

    To save time, failing orders are not simplified.
    """

    share: float | None = None
    limit = inf

    def __init__(self, task: Task) -> None:
        self.target = self.name = task.specimen.target
        self.version = ""
        self._whole = task.whole
        self._candidate = InProcess(self.target, SEED)
        self._candidate.shrinks = False
        self.kubernetes = self._candidate.kubernetes
        self._trial = Trial(self._candidate, SEED)

    def judge(self, rule: Rule, row: Row | None, order: str = "", allowance: Allowance = NOTHING) -> Verdict:
        self._candidate.share = None if rule.id in self._whole else 0.0
        return self._trial.judge(rule, row, order, allowance)

    def close(self) -> None:
        self._candidate.close()


def is_caught(specimen: Specimen, known: Record) -> bool:
    """Return True if a broken candidate fails the rule that it is made to break, with one of SEEDS.

    Rows that failed in the snapshot ``known`` come first, and the first failure ends the search. An
    outdated snapshot only makes the search slower.
    """
    return any(_fails(specimen, seed, known) for seed in SEEDS)


def _fails(specimen: Specimen, seed: int, known: Record) -> bool:
    candidate = InProcess(specimen.target, seed)
    candidate.shrinks = False
    trial = Trial(candidate, seed)
    rule = all_rules()[specimen.about]
    fault = known.of(specimen.family, specimen.name)
    failed = fault.failures.get(rule.id, {}) if fault else {}
    rows = sorted(rule.cases, key=lambda row: (row.name if row else "") not in failed)
    try:
        return any(trial.judge(rule, row).verdict is Finding.FAIL for row in rows)
    finally:
        candidate.close()


def merge(
    broken: Iterable[Specimen], sound: Iterable[Specimen], known: Record, judged: Iterable[Judged] = ()
) -> Record:
    """Return a new snapshot of these specimens: that of ``known``, updated with the results ``judged``."""
    found = {it.task.specimen: it for it in judged}

    def enter(specimens: Iterable[Specimen]) -> tuple[Fault, ...]:
        return tuple(_enter(it, known, found.get(it)) for it in specimens)

    return Record(enter(broken), enter(sound), now())


def _enter(specimen: Specimen, known: Record, judged: Judged | None) -> Fault:
    fault = known.of(specimen.family, specimen.name, sound=not specimen.about) or Fault(
        specimen.name, "", specimen.family, {}
    )
    again = judged.task.rules if judged else ()
    kept = {id_: how for id_, how in fault.failures.items() if id_ in all_rules() and id_ not in again}
    by_rule = dict(sorted({**kept, **(judged.failures if judged else {})}.items()))
    return replace(fault, says=specimen.says, failures=by_rule)


def write(found: Record, file: Path) -> None:
    """Write a snapshot to a file, one candidate a line and sorted by name, so that diffs are readable."""
    parts = (
        f'"made":{_json(found.made)}',
        f'"faults":[\n{_lines(map(_json, _in_order(found.faults)))}\n]',
        f'"sound":[\n{_lines(map(_json, _in_order(found.sound)))}\n]',
    )
    put(file, f"{{\n{_lines(parts)}\n}}\n")
    record.cache_clear()


def _in_order(them: Iterable[Fault]) -> list[Fault]:
    return sorted(them, key=lambda it: (it.family, it.name))


def _lines(texts: Iterable[str]) -> str:
    return ",\n".join(texts)


def _json(thing: object) -> str:
    return msgspec.json.encode(thing).decode()


@click.command("kills", short_help="Name the candidates that the rules catch.")
@click.option("--rule", "globs", multiple=True, metavar="GLOB", help="Judge by these rules only; repeatable.")
@click.option("--write", "put_down", is_flag=True, help=f"Write the result to {RECORD.name}.")
@click.option(
    "-n", "processes", type=click.IntRange(1), help="Number of processes.  [default: one per processor]"
)
def command(globs: tuple[str, ...], put_down: bool, processes: int | None) -> int:
    """Judge every broken and every sound candidate, and list those that the rules catch.

    All rules take most of an hour on two processors. Without --write, results are compared with the
    last snapshot. Exit status: 0 every result is as recorded, or was written; 1 a result differs, a
    rule catches nothing, a broken candidate is not caught by the rule that it breaks, or a sound
    candidate is accused; 4 usage.
    """
    guilty, innocent = broken_in("stingy_broken"), sound_in("stingy_sound")
    rules = [rule.id for rule in find_rules(globs)] if globs else list(all_rules())
    known = record()
    judged = list(_track(tasks([*guilty, *innocent], known, rules), processes))
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
        write(
            replace(now, faults=tuple(it for it in now.faults if it.failures)), RECORD
        )  # faults that no rule catches are left out
        click.echo(f"{RECORD} is written")
    return Exit.DOES_NOT if complaints or (differing and not put_down) else Exit.CONFORMS


def _track(todo: Sequence[Task], processes: int | None) -> Iterator[Judged]:
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
    """Print how many pairs of a specimen and a rule were judged.

    Unless these were all rules, print which broken candidates each rule catches as well.
    """
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
            yield f"{id_} catches no broken candidate: write one that breaks it"
