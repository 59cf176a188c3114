"""Judge whatever is sound by the whole suite, with one seed after the other, until it is enough.

More processes than cores, so that threads are held up where they seldom are. Who is accused of anything that is promised, cannot
be decided, or has another verdict than with the seed before, is printed at once; the exit status is 1 then.
"""

from __future__ import annotations

import os
import pkgutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from dataclasses import dataclass
from importlib import import_module
from itertools import islice
from time import monotonic

import click

import stingy_reference
from stingy.guarantees import all_rules
from stingy.judge import Judge
from stingy.language import Level
from stingy.transport import locate
from stingy.verdict import Evidence, Finding, Verdict

WORKERS = (os.cpu_count() or 1) + 1

ACCUSED = (Finding.FAIL, Finding.BLOCKED, Finding.ERROR, Finding.INCONCLUSIVE)


@dataclass(frozen=True)
class Job:
    target: str
    seed: int
    races: bool
    """Only the rules about races."""
    timed: bool
    """It can only be judged by waiting, and not by every rule."""


@dataclass(frozen=True)
class Judged:
    target: str
    seed: int
    orders: int
    verdicts: Mapping[str, str]
    """By rule and case."""
    accused: tuple[str, ...]


@click.command()
@click.option("--runs", default=300, show_default=True, help="So many candidates judged by so many seeds.")
@click.option("--seconds", default=3600.0, show_default=True, help="Begin no run after so long.")
@click.option("--races", is_flag=True, help="Only rules about races, which is where threads meet.")
@click.option("--driver", "drivers", multiple=True, metavar="TARGET", help="This one, too; more than once.")
@click.option(
    "--timed",
    metavar="TARGET",
    help="Nobody but this driver, which does not know when nothing moves any more.",
)
def main(runs: int, seconds: float, races: bool, drivers: tuple[str, ...], timed: str | None) -> None:
    """Judge the reference, its sound variants and drivers."""
    targets = (timed,) if timed else (*_sound(), *drivers)
    end = monotonic() + seconds
    first: dict[str, Mapping[str, str]] = {}
    done = orders = accused = 0
    with ProcessPoolExecutor(WORKERS) as pool:
        for judged in _judged(pool, _jobs(targets, runs, end, races=races, timed=bool(timed))):
            done, orders = done + 1, orders + judged.orders
            before = first.setdefault(judged.target, judged.verdicts)
            complaints = [*judged.accused, *_differing(before, judged.verdicts)]
            accused += bool(complaints)
            for complaint in complaints:
                print(f"{judged.target}, seed {judged.seed}: {complaint}", flush=True)
            if done % 50 == 0:
                print(f"{done} runs, {orders:,} orders, {accused} accused", file=sys.stderr, flush=True)
    print(
        f"{done} runs of {len(first)} that are sound, {orders:,} orders and examples, {accused} accused or differing"
    )
    sys.exit(bool(accused))


def _sound() -> Sequence[str]:
    modules = [module.name for module in pkgutil.iter_modules(stingy_reference.__path__)]
    variants = [
        cls
        for name in modules
        if name.endswith("variants")
        for cls in import_module(f"stingy_reference.{name}").VARIANTS
    ]
    return ("stingy_reference", *(f"{cls.__module__}:{cls.__name__}" for cls in variants))


def _differing(before: Mapping[str, str], now: Mapping[str, str]) -> Iterator[str]:
    for id_ in before.keys() | now.keys():
        if before.get(id_) != now.get(id_):
            yield f"{id_} was {before.get(id_)} and is {now.get(id_)}"


def _judged(pool: ProcessPoolExecutor, jobs: Iterator[Job]) -> Iterator[Judged]:
    """What comes of each, as it comes; a job is taken up only when there is somebody to do it."""
    busy = {pool.submit(_judge, job) for job in islice(jobs, WORKERS)}
    while busy:
        done, busy = wait(busy, return_when=FIRST_COMPLETED)
        busy |= {pool.submit(_judge, job) for job in islice(jobs, len(done))}
        yield from (future.result() for future in done)


def _jobs(targets: Sequence[str], runs: int, end: float, *, races: bool, timed: bool) -> Iterator[Job]:
    for n in range(runs):
        if monotonic() > end:
            return
        yield Job(targets[n % len(targets)], 1 + n // len(targets), races, timed)


def _judge(job: Job) -> Judged:
    candidate = locate(job.target, job.seed)
    judge = Judge(candidate, job.seed)
    rules = [rule for rule in all_rules().values() if rule.races or not job.races]
    found = [verdict for rule in rules for verdict in judge.verdicts(rule)]
    candidate.close()
    accused = tuple(
        f"{it.id} {it.verdict} {it.evidence} {it.because}" for it in found if _is_accused(it, timed=job.timed)
    )
    verdicts = {it.id: it.verdict.value for it in found}
    return Judged(job.target, job.seed, sum(it.runs for it in found), verdicts, accused)


def _is_accused(verdict: Verdict, *, timed: bool) -> bool:
    """Of anything that is promised; who need not be judged by waiting, and is, has escaped control, which is as bad."""
    if timed:
        return verdict.verdict in ACCUSED and verdict.verdict is not Finding.INCONCLUSIVE
    promised = verdict.level is not Level.SHOULD
    return (verdict.verdict in ACCUSED and promised) or verdict.evidence is Evidence.TIMED


if __name__ == "__main__":
    main()
