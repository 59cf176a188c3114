"""Mutants of upstream's own code, judged by upstream's own tests and by stingy: ``python judge.py client-go``.

Each mutant is a file laid over a copy of the module (``go build -overlay``). A line is written to ``results/NAME.jsonl`` as
soon as it is known; begun again, it goes on where it stopped. With ``--race``, who has missed a mutant that ``missed.toml`` does not
say to be equivalent or beside the matter judges it once more: upstream's tests with Go's race detector, stingy with that, and where that
does not help in real time, which a virtual clock has done away with. That is written to ``results/NAME-race.jsonl``.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import click

HERE = Path(__file__).parent
CANDIDATES = HERE.parent.parent / "candidates"
STINGY_HAS = 300


@dataclass(frozen=True)
class Upstream:
    """What is mutated, and whose driver reaches it."""

    candidate: str
    package: str
    files: tuple[str, ...]
    seconds: int = 10
    """What its tests have, several times what they need; what takes longer hangs."""


UPSTREAM = {
    "client-go": Upstream(
        "client-go",
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
        "kube-proxy",
        "k8s.io/kubernetes/pkg/proxy",
        ("endpointschangetracker.go",),
        seconds=40,
    ),
    "endpointslice": Upstream("endpointslice", "k8s.io/endpointslice/util", ("trigger_time_tracker.go",)),
}


Mutant = dict[str, Any]
"""Where it is and what it is, as ``mutate.go`` tells; judged, also by whom it was found."""


JUDGES = ("upstream", "stingy")


@dataclass(frozen=True)
class Judged:
    """By whom it was found, and how."""

    red: bool
    how: str
    seconds: float


@click.command()
@click.argument("name", type=click.Choice(sorted(UPSTREAM)))
@click.option("--workers", default=1, show_default=True, help="So many mutants at a time.")
@click.option("--race", is_flag=True, help="Once more with Go's race detector, by who has missed it.")
def main(name: str, workers: int, race: bool) -> None:
    """Judge the mutants of one of upstream's packages."""
    results = HERE / "results" / f"{name}{'-race' if race else ''}.jsonl"
    known = {line["id"] for line in _lines(results)}
    with _set_out(UPSTREAM[name], race=race) as bench, results.open("a") as out:
        mutants = list(_missed(name)) if race else bench.mutants()
        ahead = [mutant for mutant in mutants if mutant["id"] not in known]
        with ThreadPoolExecutor(workers) as pool:
            for done, line in enumerate(pool.map(partial(_judged, bench), ahead), len(known) + 1):
                out.write(f"{json.dumps(line)}\n")
                out.flush()
                click.echo(f"\r{done} of {len(mutants)}", nl=False, err=True)


def _lines(results: Path) -> list[Mutant]:
    return [json.loads(line) for line in results.read_text().splitlines()] if results.exists() else []


def _missed(name: str) -> Iterator[Mutant]:
    """Those that somebody has missed and might have found; with the verdict of who has found it."""
    reasons = tomllib.loads((HERE / "missed.toml").read_text()).get(name, {})
    settled = {
        number
        for kind in ("equivalent", "beside")
        for reason in reasons.get(kind, [])
        for number in reason["mutants"]
    }
    for line in _lines(HERE / "results" / f"{name}.jsonl"):
        if "stillborn" in line or line["id"] in settled:
            continue
        found = {by: line[by] for by in JUDGES if line[by]["red"]}
        if len(found) < len(JUDGES):
            yield {key: value for key, value in line.items() if key not in JUDGES} | found


@dataclass(frozen=True)
class Bench:
    """A copy of the module, with the mutants beside it."""

    upstream: Upstream
    work: Path
    where: Path
    """What the package's files are laid over."""
    race: bool

    @property
    def folder(self) -> Path:
        return CANDIDATES / self.upstream.candidate

    def mutants(self) -> list[Mutant]:
        return json.loads((self.work / "mutants.json").read_text())  # type: ignore[no-any-return]

    def go_test(self, overlay: Path) -> list[str]:
        options = ["-race"] if self.race else []
        return [
            *("go", "test", f"-modfile={self.work / 'go.mod'}", "-vet=off", "-overlay", str(overlay)),
            *options,
        ]


@contextmanager
def _set_out(upstream: Upstream, *, race: bool) -> Iterator[Bench]:
    folder = CANDIDATES / upstream.candidate
    module, version, there = _go(
        folder, "list", "-f", "{{.Module.Path}} {{.Module.Version}} {{.Module.Dir}}", upstream.package
    ).split()
    with tempfile.TemporaryDirectory(prefix="stingy-upstream-") as work:
        copy = Path(work) / "module"
        shutil.copytree(there, copy, copy_function=_copied)
        where = copy / upstream.package.removeprefix(module).strip("/")
        (Path(work) / "go.mod").write_text(
            f"{_by_full_path((folder / 'go.mod').read_text(), folder)}\nreplace {module} {version} => {copy}\n"
        )
        shutil.copy(folder / "go.sum", work)
        mutate = ["go", "run", str(HERE / "mutate.go"), work, *(str(where / file) for file in upstream.files)]
        subprocess.run(mutate, check=True, stdout=sys.stderr)
        yield Bench(upstream, Path(work), where, race)


def _judged(bench: Bench, mutant: Mutant) -> Mutant:
    at = bench.work / str(mutant["id"])
    overlay, driver = at / "overlay.json", at / "driver"
    overlay.write_text(json.dumps({"Replace": {str(bench.where / mutant["file"]): str(at / mutant["file"])}}))
    build = [*bench.go_test(overlay), "-c", "-o", str(driver), "."]
    built = subprocess.run(build, cwd=bench.folder, capture_output=True, text=True, check=False)
    if built.returncode:
        return {**mutant, "stillborn": (built.stdout + built.stderr).strip().rpartition("/")[2]}
    if "upstream" not in mutant:
        mutant |= {"upstream": asdict(_theirs(bench, overlay))}
    if "stingy" not in mutant:
        ours = _ours(f"cmd:{driver}", at)
        if bench.race and not ours.red:
            ours = _ours(f"cmd:{driver} -realtime", at)
        mutant |= {"stingy": asdict(ours)}
    shutil.rmtree(at)
    return mutant


def _theirs(bench: Bench, overlay: Path) -> Judged:
    limit = bench.upstream.seconds * (3 if bench.race else 1)
    asked = [*bench.go_test(overlay), "-count=1", f"-timeout={limit}s", bench.upstream.package]
    status, told, seconds = _run(asked, bench.folder, 300, {})
    failed = [line.split()[2] for line in told.splitlines() if line.startswith("--- FAIL:")]
    died = "panic:" in told or "fatal error:" in told
    how = ", ".join(failed) or ("panics" if died else "hangs" if status is None else told[-200:])
    return Judged(status != 0, "hangs" if "test timed out" in told else how if status != 0 else "", seconds)


def _ours(target: str, at: Path) -> Judged:
    """Until the first rule that is broken; a SHOULD counts, too, for upstream's tests know no difference."""
    asked = [
        *(sys.executable, "-m", "pytest", "--pyargs", "stingy", "-x", "-q", "--no-header"),
        *("-p", "no:cacheprovider", "-rfE", "--tb=short"),
        *("--candidate", target, "--stingy-seed", "1", "--stingy-strict"),
    ]
    status, told, seconds = _run(asked, at, STINGY_HAS, {"COLUMNS": "200", "GORACE": "halt_on_error=1"})
    verdicts = [line.strip() for line in told.splitlines() if line.startswith(("FAIL  ", "ERROR  "))]
    return Judged(status != 0, verdicts[0] if verdicts else told[-300:] if status != 0 else "", seconds)


def _run(
    command: list[str], folder: Path, seconds: float, env: dict[str, str]
) -> tuple[int | None, str, float]:
    began = time.monotonic()
    with subprocess.Popen(
        command,
        cwd=folder,
        env=os.environ | env,
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


def _copied(source: str, target: str) -> str:
    """The module cache is read-only; a copy is to be thrown away again."""
    return str(shutil.copyfile(source, target))


def _by_full_path(go_mod: str, folder: Path) -> str:
    return re.sub(r"=> (\.\S*)", lambda found: f"=> {(folder / found[1]).resolve()}", go_mod)


def _go(folder: Path, *words: str) -> str:
    return subprocess.run(["go", *words], cwd=folder, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    main()
