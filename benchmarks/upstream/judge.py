"""Mutants of upstream's own code, judged by upstream's own tests and by stingy: ``python judge.py client-go``.

All mutants stand in a copy of the module, and STINGY_MUTANT says which of them is run; the driver is built once, as its card says,
under control. What is known is written to ``results/NAME.jsonl`` as soon as it is; begun again, it goes on where it stopped. ``--race``: who has missed a mutant that
``missed.toml`` does not say to be equivalent or beside the matter judges it once more: upstream's tests with Go's race detector, stingy
with that, and where that does not help in real time, which a virtual clock has done away with. That is written to
``results/NAME-race.jsonl``.
"""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click
from first_broken import Judged, by_stingy
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


Mutant = dict[str, Any]
"""Where it is and what it is, as ``mutate.go`` tells; judged, also by whom it was found."""


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


class Results:
    """What is known of the mutants, a line each."""

    def __init__(self, path: Path) -> None:
        self._path = path
        lines = path.read_text().splitlines() if path.exists() else []
        self.lines: dict[int, Mutant] = {line["id"]: line for line in map(json.loads, lines)}

    @property
    def broken(self) -> set[str]:
        """The rules that one of them at least breaks."""
        return {rule for line in self.lines.values() for rule in line.get("stingy", {}).get("broken", ())}

    def known(self, mutant: Mutant) -> Mutant:
        """It, with what is known of it; unless the number was that of another one then."""
        line = self.lines.get(mutant["id"], {})
        same = all(
            line.get(key) == mutant[key] for key in ("file", "function", "line", "operator", "was", "now")
        )
        return {**line, **mutant} if same else mutant

    def forget(self, numbers: set[int]) -> None:
        """What stingy has found, but for what is to be asked first the next time."""
        for number in numbers & set(self.lines):
            found = self.lines[number].pop("stingy", None)
            if found and found["how"]:
                self.lines[number]["before"] = found["how"]
        self._write()

    def add(self, line: Mutant) -> None:
        self.lines[line["id"]] = line
        self._write()

    def _write(self) -> None:
        whole = "".join(f"{json.dumps(self.lines[number])}\n" for number in sorted(self.lines))
        begun = self._path.with_suffix(".begun")
        begun.write_text(whole)
        begun.replace(self._path)


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
        sound = {file: (self.package / file).read_bytes() for file in self.upstream.files}
        stillborn: dict[int, str] = {}
        while True:
            for file, text in sound.items():
                (self.work / file).write_bytes(text)
            mutants = self._mutate(stillborn)
            if not (found := self._compile(mutants)):
                break
            stillborn |= found
        self.workshop.build(*self.options)
        return [{**it, "stillborn": stillborn[it["id"]]} if it["id"] in stillborn else it for it in mutants]

    def _mutate(self, without: Collection[int]) -> Sequence[Mutant]:
        files = [str(self.work / file) for file in self.upstream.files]
        left = ["-without", ",".join(map(str, without))]
        mutate = ["go", "run", str(HERE / "mutate.go"), *left, str(self.package), *files]
        subprocess.run(mutate, check=True, stdout=sys.stderr)
        return json.loads((self.package / "mutants.json").read_text())  # type: ignore[no-any-return]

    def _compile(self, mutants: Sequence[Mutant]) -> Mapping[int, str]:
        """What Go says of those that do not compile."""
        asked = ["go", "build", "-gcflags=-e", self.upstream.package]
        _, told, _ = _run(asked, self.workshop.driver, 600)
        complaints = re.findall(r"^\S*?([^/\s]+\.go):(\d+):\d+: (.+)$", told, re.MULTILINE)
        if told and not complaints:
            sys.exit(told)
        return {_find(mutants, file, int(line))["id"]: said for file, line, said in complaints}

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
        asked = ["env", _choice(mutant), str(tests), f"-test.timeout={limit}s"]
        status, told, seconds = _run(asked, self.package, 300)
        failed = [line.split()[2] for line in told.splitlines() if line.startswith("--- FAIL:")]
        died = "panic:" in told or "fatal error:" in told
        how = ", ".join(failed) or ("panics" if died else "hangs" if status is None else told[-200:])
        return Judged(
            status != 0, "hangs" if "test timed out" in told else how if status != 0 else "", seconds
        )

    def _ours(self, mutant: Mutant, broken: Collection[str]) -> Judged:
        target = f"cmd:env {_choice(mutant)} {self.workshop.driver / 'driver'}"
        before = mutant.get("before", "")
        ours = by_stingy(target, before, broken, whole=self.whole)
        if self.race and not ours.red:
            ours = by_stingy(f"{target} -realtime", before, broken, whole=self.whole)
        return ours


def _choice(mutant: Mutant) -> str:
    """The environment in which it is run."""
    return f"STINGY_MUTANT={mutant['id'] + 1}"


def _find(mutants: Sequence[Mutant], file: str, line: int) -> Mutant:
    found = next((it for it in mutants if it["file"] == file and it["from"] <= line <= it["to"]), None)
    return found or sys.exit(f"{file}:{line} is of no mutant, and does not compile")


def _run(command: Sequence[str], folder: Path, seconds: float) -> tuple[int | None, str, float]:
    began = time.monotonic()
    with subprocess.Popen(
        command,
        cwd=folder,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    ) as running:
        try:
            told, _ = running.communicate(timeout=seconds)
            status: int | None = running.returncode
        except subprocess.TimeoutExpired:
            os.killpg(running.pid, signal.SIGKILL)
            told, _ = running.communicate()
            status = None
    return status, told, round(time.monotonic() - began, 2)


if __name__ == "__main__":
    main()
