"""Judge whatever is sound by every rule about races, with one seed after the other, until it is enough.

More processes than cores, so that threads are held up where they seldom are. Whoever is accused of anything
is printed at once; the exit status is 1 then.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from dataclasses import dataclass
from itertools import islice
from time import monotonic

import click

from stingy.guarantees import all_rules
from stingy.judge import Judge
from stingy.transport import locate
from stingy.verdict import Evidence, Finding
from stingy_reference import coroutine_variants, variants

WORKERS = (os.cpu_count() or 1) + 1

SOUND = (
    "stingy_reference",
    *(
        f"{kind.__module__}:{kind.__name__}"
        for kind in (*variants.VARIANTS, *coroutine_variants.VARIANTS)
        if hasattr(kind, "get")
    ),
)


@dataclass(frozen=True)
class Judged:
    target: str
    seed: int
    orders: int
    accused: tuple[str, ...]


@click.command()
@click.option("--runs", default=1000, show_default=True)
@click.option("--seconds", default=3600.0, show_default=True, help="Begin no run after so long.")
def main(runs: int, seconds: float) -> None:
    """Judge the sound variants by the rules about races."""
    end = monotonic() + seconds
    done = orders = accused = 0
    with ProcessPoolExecutor(WORKERS) as pool:
        for judged in _judged(pool, _jobs(runs, end)):
            done, orders = done + 1, orders + judged.orders
            accused += bool(judged.accused)
            for accusation in judged.accused:
                print(f"{judged.target}, seed {judged.seed}: {accusation}", flush=True)
            if done % 100 == 0:
                print(f"{done} runs, {orders:,} orders, {accused} accused", file=sys.stderr, flush=True)
    print(f"{done} runs of {len(SOUND)} that are sound, {orders:,} orders, {accused} accused")
    sys.exit(bool(accused))


def _judged(pool: ProcessPoolExecutor, jobs: Iterator[tuple[str, int]]) -> Iterator[Judged]:
    """What comes of each, as it comes; a job is taken up only when there is somebody to do it."""
    busy = {pool.submit(_judge, job) for job in islice(jobs, WORKERS)}
    while busy:
        done, busy = wait(busy, return_when=FIRST_COMPLETED)
        busy |= {pool.submit(_judge, job) for job in islice(jobs, len(done))}
        yield from (future.result() for future in done)


def _jobs(runs: int, end: float) -> Iterator[tuple[str, int]]:
    for n in range(runs):
        if monotonic() > end:
            return
        yield SOUND[n % len(SOUND)], 1 + n // len(SOUND)


def _judge(job: tuple[str, int]) -> Judged:
    target, seed = job
    candidate = locate(target, seed)
    judge = Judge(candidate, seed)
    found = [verdict for rule in all_rules().values() if rule.races for verdict in judge.verdicts(rule)]
    candidate.close()
    accused = tuple(
        f"{it.id} {it.verdict} {it.evidence} {it.because}"
        for it in found
        if it.verdict not in (Finding.PASS, Finding.NOT_OFFERED) or it.evidence is Evidence.TIMED
    )
    return Judged(target, seed, sum(it.runs for it in found), accused)


if __name__ == "__main__":
    main()
