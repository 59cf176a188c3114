"""Look for false positives of the shipped command under load: it judges correct implementations while the processors are busy.

Each target is judged once in the usual way, and then with two processes, with little memory, with other hashes, in Python's
development mode, with warnings as errors, in the locale ``C``, and stopped for five seconds at random moments. The script prints
each MUST or MAY that is broken, each rule that cannot be decided, and each row that differs from the first report of the target.
Exit status: 1 if it printed any.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import monotonic, sleep
from typing import Any

import click

from stingy.judging.verdict import Finding
from stingy.language import Level
from stingy.process.setting import count_processors
from stingy_sound import sound_candidates
from stingy_sound.oddities import oddities

AT_ONCE = count_processors()
BURNERS = 2
"""Number of processes that only keep a processor busy."""
STOPPED = 5.0
"""Seconds for which a run is stopped."""
TOO_LONG = 3600.0
"""Seconds after which a run that has not ended is an error."""

ACCUSED = (Finding.FAIL, Finding.BLOCKED, Finding.ERROR, Finding.INCONCLUSIVE)


@dataclass(frozen=True)
class Way:
    """A way to run ``stingy run``: options, environment and disturbances that must not change a verdict."""

    name: str
    python: Sequence[str] = ()
    words: Sequence[str] = ()
    environment: Sequence[tuple[str, str]] = ()
    stops: bool = False
    """True if the run is stopped at random moments."""


PLAIN = Way("in the usual way")
WAYS = (
    Way("with two processes", words=("-n", "2")),
    Way("stopped at random", stops=True),
    Way("with 1,024 MB", words=("--memory", "1024")),
    Way("with other hashes", environment=(("PYTHONHASHSEED", "4711"),)),
    Way("in development mode", python=("-X", "dev")),
    Way("with warnings as errors", python=("-W", "error")),
    Way("in the locale C", environment=(("LANG", "C"), ("LC_ALL", "C"), ("PYTHONUTF8", "0"))),
)


@dataclass(frozen=True)
class Job:
    target: str
    seed: int
    way: Way


@dataclass(frozen=True)
class Judged:
    job: Job
    report: bytes
    said: str
    """Output to standard error."""

    @property
    def results(self) -> Sequence[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(self.report)["results"] if self.report else []
        return found

    def complaints(self) -> Iterator[str]:
        if not self.report:
            yield f"no report: {self.said[-500:]}"
        for row in self.results:
            promised = row["level"] != Level.SHOULD
            if row["verdict"] in ACCUSED and promised:
                yield f"{row['rule']} {row['case']} {row['verdict']} {row.get('evidence', '')} {row.get('because', '')[:200]}"


@click.command()
@click.option(
    "--rounds",
    default=1,
    show_default=True,
    help="Number of ways in which each target is judged, besides the usual one.",
)
@click.option("--seconds", default=3600.0, show_default=True, help="Begin no run after this time.")
@click.option("--every", default=1, show_default=True, help="Judge only every N-th sound implementation.")
@click.option("--rule", "globs", multiple=True, help="Judge only by these rules.")
@click.option("--odd", is_flag=True, help="Judge the sound oddities as well.")
@click.option(
    "--driver", "drivers", multiple=True, metavar="TARGET", help="Judge this driver as well. May be repeated."
)
def main(
    rounds: int, seconds: float, every: int, globs: tuple[str, ...], odd: bool, drivers: tuple[str, ...]
) -> None:
    """Judge the reference, its sound variants and drivers."""
    targets = ("stingy_reference", *sound(odd=odd)[::every], *drivers)
    rules = [word for glob in globs for word in ("--rule", glob)]
    end = monotonic() + seconds
    first: dict[tuple[str, int], bytes] = {}
    runs = orders = complained = 0
    with TemporaryDirectory() as folder, busy_processors():
        for judged in _judged(_jobs(targets, rounds), Path(folder), rules, end):
            job = judged.job
            runs, orders = runs + 1, orders + sum(row.get("runs", 0) for row in judged.results)
            before = first.setdefault((job.target, job.seed), judged.report)
            complaints = [*judged.complaints(), *_differing(before, judged.report)]
            complained += bool(complaints)
            for complaint in complaints:
                print(f"{job.target}, {job.way.name}: {complaint}", flush=True)
            print(
                f"{runs} runs, {orders:,} orders, {complained} broken, undecided or different",
                file=sys.stderr,
                flush=True,
            )
    print(
        f"{runs} runs of {len(first)} targets, {orders:,} orders and examples, {complained} broken, undecided or different"
    )
    sys.exit(bool(complained))


def sound(*, odd: bool) -> Sequence[str]:
    """Return the targets of the sound variants of the reference; if ``odd``, of odd ones as well."""
    variants = [*sound_candidates(), *(oddities() if odd else ())]
    return [f"{each.__module__}:{each.__name__}" for each in variants]


def _jobs(targets: Sequence[str], rounds: int) -> Iterator[Job]:
    ways = cycle(WAYS)
    for target in targets:
        for way in (PLAIN, *islice(ways, rounds)):
            yield Job(target, 1, way)


def _judged(jobs: Iterator[Job], folder: Path, rules: Sequence[str], end: float) -> Iterator[Judged]:
    """Run the jobs in threads, and yield each result as soon as it is there.

    A job starts only when a thread is free, and none after ``end``, a time of ``monotonic``.
    """

    def begun(number: int) -> set[Any]:
        return {pool.submit(_judge, job, folder, rules) for job in islice(jobs, number) if monotonic() < end}

    with ThreadPoolExecutor(AT_ONCE) as pool:
        busy = begun(AT_ONCE)
        while busy:
            done, busy = wait(busy, return_when=FIRST_COMPLETED)
            busy |= begun(len(done))
            yield from (future.result() for future in done)


def _judge(job: Job, folder: Path, rules: Sequence[str]) -> Judged:
    report = folder / f"{abs(hash(job))}.json"
    way = job.way
    words = [
        sys.executable,
        *way.python,
        "-m",
        "stingy",
        "run",
        job.target,
        f"--seed={job.seed}",
        *way.words,
        *rules,
    ]
    with subprocess.Popen(
        [*words, "--report", f"json={report}"],
        env=os.environ | dict(way.environment),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as run:
        said = _watched(run, Random(str(job))) if way.stops else run.communicate(timeout=TOO_LONG)[1]
    return Judged(job, report.read_bytes() if report.exists() else b"", said.decode(errors="replace"))


def _watched(run: subprocess.Popen[bytes], random: Random) -> bytes:
    """Pause the command, or the processes that it has started, at random moments until it ends.

    Return what it wrote to standard error.
    """
    while True:
        with suppress(subprocess.TimeoutExpired):
            return run.communicate(timeout=random.uniform(2, 20))[1]
        stopped = _started_by(run.pid) if random.random() < 0.5 else [run.pid]
        _signal(stopped, signal.SIGSTOP)
        sleep(STOPPED)
        _signal(stopped, signal.SIGCONT)


def _signal(processes: Sequence[int], order: signal.Signals) -> None:
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process, order)


def _started_by(process: int) -> list[int]:
    """Return all processes that descend from a process; if there are none, the process itself."""
    parents: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            number = int(stat.parent.name)
            parents.setdefault(int(stat.read_text().rpartition(")")[2].split()[1]), []).append(number)
    found, look = [], [process]
    while look:
        children = parents.get(look.pop(), [])
        found += children
        look += children
    return found or [process]


def _differing(before: bytes, now: bytes) -> Iterator[str]:
    if before == now or not (before and now):
        return
    was, is_ = (
        {(row["rule"], row["case"]): row for row in json.loads(it)["results"]} for it in (before, now)
    )
    for id_ in was.keys() | is_.keys():
        if was.get(id_) != is_.get(id_):
            yield f"{id_} was {_short(was.get(id_))} and is {_short(is_.get(id_))}"


def _short(row: dict[str, Any] | None) -> str:
    if row is None:
        return "not there"
    return f"{row['verdict']} {row.get('evidence', '')} of {row.get('runs', 0)} {row.get('because', '')[:80]}"


@contextmanager
def busy_processors() -> Iterator[None]:
    """Keep every processor busy during the block."""
    burners = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(BURNERS)]
    try:
        yield
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()


if __name__ == "__main__":
    main()
