"""Mutants of the drivers themselves, judged by what is recorded of their candidates: ``python drivers.py module``.

A driver that is wrong accuses a right candidate, or lets a wrong one pass. So all mutants of a package stand in a copy of the drivers,
as those of upstream do, and the candidates are judged through it. A mutant is found where the package's own tests fail, where ``stingy
doctor`` finds another thing than with the driver as it is, or where a verdict or its evidence is not what ``result.json`` records.
Where there are many, so many are drawn with a seed. What is known is written to ``results/driver-NAME.jsonl`` as soon as it is; begun
again, it goes on where it stopped. ``--again`` asks once more of those that nobody has found.
"""

from __future__ import annotations

import json
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import click
from population import Mutant, Package, Results, choice, run
from workshop import CANDIDATES, Workshop

from stingy.doctor import Condition, examine
from stingy.doctor.looks import hello
from stingy.guarantees import all_rules
from stingy.isolation import reach
from stingy.language.rule import Row, Rule
from stingy.language.session import CandidateError
from stingy.request import Request
from stingy.transport import TargetError, wire
from stingy.trial import Judge

HERE = Path(__file__).parent
MODULE = Path("spec/stingy/starters/go/stingy")
SEED = 1
HANGS = 5
"""Seconds after which a driver is taken to hang; the longest answer takes a tenth of that."""
MEMORY = 16 << 30
"""Bytes of address space."""


@dataclass(frozen=True)
class Driver:
    """A package that drivers are made of."""

    folder: Path
    path: str
    files: str
    through: tuple[str, ...]
    """Candidates that are judged through it: the next one where no verdict differs."""
    most: int
    """Mutants that are judged; of more, so many are drawn."""


DRIVERS = {
    "module": Driver(
        MODULE,
        "stingy.invalid/driver",
        "bubble burst candidate driver lanes limiter metrics ops outcomes protocol running schedules step",
        ("client-go", "kube-proxy"),
        160,
    ),
    "sched": Driver(
        MODULE / "sched",
        "stingy.invalid/driver/sched",
        "channels clock footprints goroutine locks run strategies trail waits",
        ("client-go",),
        60,
    ),
    "client-go": Driver(
        Path("candidates/client-go"), ".", "limiters queues store watched", ("client-go",), 60
    ),
    "kube-proxy": Driver(Path("candidates/kube-proxy"), ".", "latency make", ("kube-proxy",), 60),
    "kube-proxy-driver": Driver(
        Path("candidates/kube-proxy-driver"),
        "stingy.invalid/candidates/kube-proxy-driver",
        "driver informer kernel latency proxy tables tracker wire",
        ("kube-proxy",),
        60,
    ),
    "endpointslice": Driver(
        Path("candidates/endpointslice"), ".", "instant tracker writer", ("endpointslice",), 60
    ),
}


@click.command()
@click.argument("name", type=click.Choice(sorted(DRIVERS)))
@click.option("--again", is_flag=True, help="Judge once more what nobody has found.")
@click.option(
    "--tests", is_flag=True, help="Of all of them, note only those that the package's own tests find."
)
@click.option("--most", type=int, help="So many mutants.")
def main(name: str, again: bool, tests: bool, most: int | None) -> None:
    """Judge the mutants of one package of the drivers."""
    driver = DRIVERS[name]
    results = Results(HERE / "results" / f"driver-{name}.jsonl")
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    wire.SILENCE = hello.STARTING = HANGS
    with tempfile.TemporaryDirectory(prefix="stingy-drivers-") as temporary:
        bench = Bench(driver, _copy(Path(temporary) / "copy"), Path(temporary))
        mutants = [it for it in bench.mutate() if "stillborn" not in it]
        drawn = _draw(mutants, most or (len(mutants) if tests else driver.most))
        known = [results.known(mutant) for mutant in drawn]
        ahead = [it for it in known if "by" not in it or (again and not it["by"])]
        if not tests:
            bench.build()
        for done, mutant in enumerate(ahead, 1):
            judged = bench.judge(mutant, further=not tests)
            if judged["by"] or not tests:
                results.add(judged)
            click.echo(f"\r{done} of {len(ahead)}", nl=False, err=True)
    found = Counter(line["by"] or "nobody" for line in results.lines.values())
    click.echo(f"\n{len(results.lines)} of {len(mutants)} that compile were judged; found by: {dict(found)}")


def _draw(mutants: Sequence[Mutant], most: int) -> Sequence[Mutant]:
    """So many of them, in the order in which they are judged: whenever it is stopped, what has been judged is a fair sample."""
    shuffled = list(mutants)
    random.Random(SEED).shuffle(shuffled)
    return shuffled[:most]


def _copy(to: Path) -> Path:
    """All drivers in Go, and the module that they share, as far from each other as they are here."""
    repository = CANDIDATES.parent
    for folder in (MODULE, *(path.parent.relative_to(repository) for path in CANDIDATES.glob("*/go.mod"))):
        shutil.copytree(repository / folder, to / folder, ignore=shutil.ignore_patterns("driver", "testdata"))
    return to


@dataclass(frozen=True)
class Bench:
    """Where the mutants are made and judged."""

    driver: Driver
    copy: Path
    work: Path
    told: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    """By which row of which candidate how many were found."""

    def mutate(self) -> Sequence[Mutant]:
        folder = self.copy / self.driver.folder
        built_in = self.copy / "candidates" / self.driver.through[0]
        package = Package(
            folder, self.driver.path, [f"{it}.go" for it in self.driver.files.split()], built_in
        )
        return package.mutate(self.work)

    def build(self) -> None:
        for candidate in self.driver.through:
            self.workshop(candidate).build()

    def workshop(self, candidate: str) -> Workshop:
        return Workshop(
            self.copy / "candidates" / candidate, self.work, CANDIDATES / candidate / "candidate.toml"
        )

    def judge(self, mutant: Mutant, *, further: bool) -> Mutant:
        """By whom it was found first, and how; by the package's own tests, and further."""
        began = time.monotonic()
        by, how = next(self._found(mutant, further), ("", ""))
        kept = {
            key: value for key, value in mutant.items() if key not in ("from", "to", "by", "how", "seconds")
        }
        return {**kept, "by": by, "how": how, "seconds": round(time.monotonic() - began, 1)}

    def _found(self, mutant: Mutant, further: bool) -> Iterator[tuple[str, str]]:
        if how := self._by_its_tests(mutant):
            yield "its tests", how
        for candidate in self.driver.through if further else ():
            target = f"cmd:env {choice(mutant)} {self.workshop(candidate).driver / 'driver'}"
            if how := self.sound[candidate].by_the_doctor(target):
                yield "the doctor", f"{candidate}  {how}"
            if how := self._by_rules(candidate, target):
                yield "the record", f"{candidate}  {how}"

    def _by_its_tests(self, mutant: Mutant) -> str:
        folder, tests = self.copy / self.driver.folder, self.work / "tests"
        if self.driver.path == "." or not list(folder.glob("*_test.go")):
            return ""
        if not tests.exists():
            subprocess.run(["go", "test", "-c", "-vet=off", "-o", str(tests), "."], cwd=folder, check=True)
        status, said, _ = run(
            ["env", choice(mutant), str(tests), "-test.timeout=10s", "-test.skip=^TestDriver$"], folder, 20
        )
        failed = [line.split()[2] for line in said.splitlines() if line.startswith("--- FAIL:")]
        return "" if status == 0 else ", ".join(failed) or "dies" if status is not None else "hangs"

    @cached_property
    def sound(self) -> Mapping[str, Sound]:
        return {
            candidate: Sound.of(candidate, self.workshop(candidate).target)
            for candidate in self.driver.through
        }

    def _by_rules(self, candidate: str, target: str) -> str:
        sound = self.sound[candidate]
        rows = sorted(sound.rows, key=lambda it: (-self.told[candidate, it.rule.id, it.case], it.seconds))
        row, how = _differs(target, rows)
        if row:
            self.told[candidate, row.rule.id, row.case] += 1
        return how


@dataclass(frozen=True)
class Recorded:
    """A row, what is recorded of it, and how long it took just now."""

    rule: Rule
    row: Row | None
    verdict: str
    evidence: str
    seconds: float = 0.0

    @property
    def case(self) -> str:
        return self.row.name if self.row else ""


@dataclass(frozen=True)
class Sound:
    """What comes of a candidate through its driver as it is."""

    rows: Sequence[Recorded]
    doctor: Mapping[str, Condition]

    @classmethod
    def of(cls, candidate: str, target: str) -> Sound:
        result = json.loads((CANDIDATES / candidate / "result.json").read_text())
        told = {(it["rule"], it["case"]): (it["verdict"], it.get("evidence", "")) for it in result["results"]}
        rows = [
            Recorded(rule, row, *told[key])
            for rule in all_rules().values()
            for row in rule.cases
            if (key := (rule.id, row.name if row else "")) in told
        ]
        return cls(_quick(list(_kept(target, rows))), _examined(target))

    def by_the_doctor(self, target: str) -> str:
        """What it finds another way; how a driver is ill is told."""
        examined = _examined(target)
        return next((f"{look}: {it}" for look, it in examined.items() if self.doctor.get(look) != it), "")


def _quick(rows: Sequence[Recorded]) -> Sequence[Recorded]:
    """All rows that take one run; of a race, or of a rule about examples, the quickest."""
    long = [it for it in rows if it.rule.races or it.rule.for_all]
    quickest = {it.rule.id: it for it in sorted(long, key=lambda it: -it.seconds)}
    return [it for it in rows if it not in long or it is quickest[it.rule.id]]


def _kept(target: str, rows: Sequence[Recorded]) -> Iterator[Recorded]:
    """Those that come out as they were recorded, with their times; the others depend on the day."""
    candidate = reach(Request(target, seed=SEED))
    try:
        judge = Judge(candidate, SEED)
        for it in rows:
            began = time.monotonic()
            found = judge.verdict(it.rule, it.row)
            if (found.verdict, found.evidence) == (it.verdict, it.evidence):
                yield Recorded(it.rule, it.row, it.verdict, it.evidence, time.monotonic() - began)
            else:
                print("not as recorded:", found.id, found.verdict, found.evidence, file=sys.stderr)
    finally:
        candidate.close()


def _differs(target: str, rows: Sequence[Recorded]) -> tuple[Recorded | None, str]:
    """The first that does not come out as it was recorded, and how it does."""
    try:
        candidate = reach(Request(target, seed=SEED))
    except (TargetError, CandidateError) as error:
        return None, f"ERROR  {error}"
    try:
        judge = Judge(candidate, SEED)
        for it in rows:
            found = judge.verdict(it.rule, it.row)
            if (found.verdict, found.evidence) != (it.verdict, it.evidence):
                return it, f"{found.verdict}  {found.id}  {found.evidence}".strip()
    finally:
        candidate.close()
    return None, ""


def _examined(target: str) -> Mapping[str, Condition]:
    """What the doctor says, but of how long an answer takes."""
    try:
        return {
            it.looked_at: it.condition
            for it in examine(target, HANGS).found
            if it.looked_at != "answers in time"
        }
    except TargetError:
        return {}


if __name__ == "__main__":
    main()
