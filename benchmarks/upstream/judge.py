"""Mutants of upstream's own code, judged by upstream's own tests and by stingy: ``python judge.py client-go``.

All mutants stand in a copy of the module, and STINGY_MUTANT says which of them is run; the driver is built once, as its card says,
under control. What is known is written to ``results/NAME.jsonl`` as soon as it is; begun again, it goes on where it stopped. ``--race``: who has missed a mutant that
``missed.toml`` does not say to be equivalent or beside the matter judges it once more: upstream's tests with Go's race detector, stingy
with that, and where that does not help in real time, which a virtual clock has done away with. That is written to
``results/NAME-race.jsonl``.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import click
from first_broken import Judged, by_stingy
from population import Mutant, Package, Results, choice, run
from workshop import Workshop, set_out

HERE = Path(__file__).parent
MEMORY = 8 << 30
"""Bytes of address space, for a mutant may take all there is; Go's race detector reserves more by itself."""


@dataclass(frozen=True)
class Upstream:
    """What is mutated; whoever drives it has the same name."""

    package: str
    files: tuple[str, ...]
    seconds: int = 10
    """What its tests have, several times what they need; what takes longer hangs."""


UPSTREAM = {
    "client-go": Upstream(
        "k8s.io/client-go/util/workqueue",
        (
            "queue.go",
            "delaying_queue.go",
            "default_rate_limiters.go",
            "rate_limiting_queue.go",
            "metrics.go",
        ),
    ),
    "kube-proxy": Upstream(
        "k8s.io/kubernetes/pkg/proxy",
        ("endpointschangetracker.go",),
        seconds=40,
    ),
    "endpointslice": Upstream("k8s.io/endpointslice/util", ("trigger_time_tracker.go",)),
}


JUDGES = ("upstream", "stingy")


@click.command()
@click.argument("name", type=click.Choice(sorted(UPSTREAM)))
@click.option("--race", is_flag=True, help="Once more with Go's race detector, by who has missed it.")
@click.option("--again", is_flag=True, help="Forget what stingy has found; what upstream's tests have stays.")
@click.option("--whole", is_flag=True, help="By all rules that no mutant has broken yet.")
@click.option("--mutant", "numbers", type=int, multiple=True, help="Only this one, whatever is known of it.")
def main(name: str, race: bool, again: bool, whole: bool, numbers: tuple[int, ...]) -> None:
    """Judge the mutants of one of upstream's packages."""
    results = Results(HERE / "results" / f"{name}{'-race' if race else ''}.jsonl")
    results.forget(set(results.lines) if again else set(numbers))
    if not race:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    with tempfile.TemporaryDirectory(prefix="stingy-mutants-") as work, set_out(name) as workshop:
        bench = Bench(UPSTREAM[name], workshop, Path(work), race, whole)
        mutants = bench.mutate()
        if race:
            missed = dict(_missed(name))
            mutants = [mutant | missed[mutant["id"]] for mutant in mutants if mutant["id"] in missed]
        settled = _settled(name)  # what nobody can notice is judged by every rule
        known = [results.known(mutant) for mutant in mutants if not numbers or mutant["id"] in numbers]
        ahead = [mutant for mutant in known if not _is_judged(mutant)]
        for done, mutant in enumerate(sorted(ahead, key=lambda mutant: mutant["id"] in settled), 1):
            results.add(bench.judge(mutant, results.broken))
            click.echo(f"\r{done} of {len(ahead)}", nl=False, err=True)


def _is_judged(mutant: Mutant) -> bool:
    return "stillborn" in mutant or all(by in mutant for by in JUDGES)


def _missed(name: str) -> Iterator[tuple[int, Mutant]]:
    """Those that somebody has missed and might have found, by number; with the verdict of who has found it."""
    settled = _settled(name)
    for line in Results(HERE / "results" / f"{name}.jsonl").lines.values():
        if "stillborn" in line or line["id"] in settled:
            continue
        found = {by: line[by] for by in JUDGES if line[by]["red"]}
        if len(found) < len(JUDGES):
            yield line["id"], found


def _settled(name: str) -> Collection[int]:
    """Those that are equivalent, or beside the matter."""
    reasons = tomllib.loads((HERE / "missed.toml").read_text()).get(name, {})
    kinds = ("equivalent", "beside")
    return {number for kind in kinds for reason in reasons.get(kind, []) for number in reason["mutants"]}


@dataclass(frozen=True)
class Bench:
    """Where the mutants are made and judged."""

    upstream: Upstream
    workshop: Workshop
    work: Path
    race: bool
    whole: bool

    @property
    def package(self) -> Path:
        """Where the package is that is mutated."""
        module = self.workshop.module.name.partition("@")[0]
        return self.workshop.module / self.upstream.package.partition(f"/{module}/")[2]

    @property
    def options(self) -> Sequence[str]:
        return ["-race"] if self.race else []

    def mutate(self) -> Sequence[Mutant]:
        """Build the driver with all mutants that compile; those that do not are said to be stillborn."""
        package = Package(self.package, self.upstream.package, self.upstream.files, self.workshop.driver)
        mutants = package.mutate(self.work)
        self.workshop.build(*self.options)
        return mutants

    def judge(self, mutant: Mutant, broken: Collection[str]) -> Mutant:
        """By whoever has not judged it yet; other mutants have broken some of the rules already."""
        if "upstream" not in mutant:
            mutant |= {"upstream": asdict(self._theirs(mutant))}
        if "stingy" not in mutant:
            mutant |= {"stingy": asdict(self._ours(mutant, broken))}
        return {key: value for key, value in mutant.items() if key not in ("before", "from", "to")}

    def _theirs(self, mutant: Mutant) -> Judged:
        tests = self.work / "tests"
        if not tests.exists():
            build = ["go", "test", "-c", "-vet=off", *self.options, "-o", str(tests), self.upstream.package]
            subprocess.run(build, cwd=self.workshop.driver, check=True, stdout=sys.stderr)
        limit = self.upstream.seconds * (3 if self.race else 1)
        asked = ["env", choice(mutant), str(tests), f"-test.timeout={limit}s"]
        status, told, seconds = run(asked, self.package, 300)
        failed = [line.split()[2] for line in told.splitlines() if line.startswith("--- FAIL:")]
        died = "panic:" in told or "fatal error:" in told
        how = ", ".join(failed) or ("panics" if died else "hangs" if status is None else told[-200:])
        return Judged(
            status != 0, "hangs" if "test timed out" in told else how if status != 0 else "", seconds
        )

    def _ours(self, mutant: Mutant, broken: Collection[str]) -> Judged:
        target = f"cmd:env {choice(mutant)} {self.workshop.driver / 'driver'}"
        before = mutant.get("before", "")
        ours = by_stingy(target, before, broken, whole=self.whole)
        if self.race and not ours.red:
            ours = by_stingy(f"{target} -realtime", before, broken, whole=self.whole)
        return ours


if __name__ == "__main__":
    main()
