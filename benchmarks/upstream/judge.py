"""Mutants of upstream's own code, judged by upstream's own tests and by stingy: ``python judge.py client-go``.

Each mutant is a file laid over a copy of the module (``go build -overlay``). A line is written to ``results/NAME.jsonl`` as
soon as it is known; begun again, it goes on where it stopped.
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
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

HERE = Path(__file__).parent
CANDIDATES = HERE.parent.parent / "candidates"
GO_TESTS_HAVE = 10
"""Seconds, of which they need less than one; what takes longer hangs."""
STINGY_HAS = 300


@dataclass(frozen=True)
class Upstream:
    """What is mutated, and whose driver reaches it."""

    candidate: str
    package: str
    files: tuple[str, ...]
    tests: str = ""
    """Only upstream's tests with such names; all of the package if empty."""
    rules: tuple[str, ...] = ()
    """Only rules of these profiles; all if empty."""


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
    ),
    "endpointslice": Upstream("endpointslice", "k8s.io/endpointslice/util", ("trigger_time_tracker.go",)),
}


@dataclass(frozen=True)
class Judged:
    """By whom it was found, and how."""

    red: bool
    how: str
    seconds: float


def main(name: str, workers: int) -> None:
    upstream = UPSTREAM[name]
    folder = CANDIDATES / upstream.candidate
    module, version, there = _go(
        folder, "list", "-f", "{{.Module.Path}} {{.Module.Version}} {{.Module.Dir}}", upstream.package
    ).split()
    results = HERE / "results" / f"{name}.jsonl"
    results.parent.mkdir(exist_ok=True)
    known = (
        {json.loads(line)["id"] for line in results.read_text().splitlines()} if results.exists() else set()
    )
    with tempfile.TemporaryDirectory(prefix="stingy-upstream-") as work, results.open("a") as out:
        copy = Path(work) / "module"
        shutil.copytree(there, copy, copy_function=_copied)
        where = copy / upstream.package.removeprefix(module).strip("/")
        (Path(work) / "go.mod").write_text(
            f"{_by_full_path((folder / 'go.mod').read_text(), folder)}\nreplace {module} {version} => {copy}\n"
        )
        shutil.copy(folder / "go.sum", work)
        mutate = ["go", "run", str(HERE / "mutate.go"), work, *(str(where / file) for file in upstream.files)]
        subprocess.run(mutate, check=True, stdout=sys.stderr)
        mutants = json.loads((Path(work) / "mutants.json").read_text())
        ahead = [mutant for mutant in mutants if mutant["id"] not in known]
        with ThreadPoolExecutor(workers) as pool:
            done = len(known)
            for line in pool.map(lambda mutant: _line(upstream, folder, where, Path(work), mutant), ahead):
                out.write(f"{json.dumps(line)}\n")
                out.flush()
                done += 1
                sys.stderr.write(f"\r{done} of {len(mutants)}")


def _line(
    upstream: Upstream, folder: Path, where: Path, work: Path, mutant: dict[str, object]
) -> dict[str, object]:
    at = work / str(mutant["id"])
    overlay = at / "overlay.json"
    overlay.write_text(
        json.dumps({"Replace": {str(where / str(mutant["file"])): str(at / str(mutant["file"]))}})
    )
    driver = at / "driver"
    build = [
        "go",
        "test",
        "-vet=off",
        f"-modfile={work / 'go.mod'}",
        "-c",
        "-overlay",
        str(overlay),
        "-o",
        str(driver),
        ".",
    ]
    built = subprocess.run(build, cwd=folder, capture_output=True, text=True, check=False)
    if built.returncode:
        return {**mutant, "stillborn": built.stdout[-200:] + built.stderr[-200:]}
    theirs = _theirs(upstream, folder, work, overlay)
    ours = _ours(driver, at)
    shutil.rmtree(at)
    return {**mutant, "upstream": asdict(theirs), "stingy": asdict(ours)}


def _theirs(upstream: Upstream, folder: Path, work: Path, overlay: Path) -> Judged:
    tests = ["-run", upstream.tests] if upstream.tests else []
    limits = ["-vet=off", "-count=1", f"-timeout={GO_TESTS_HAVE}s"]
    asked = ["go", "test", f"-modfile={work / 'go.mod'}", *limits, "-overlay", str(overlay), *tests]
    status, told, seconds = _run([*asked, upstream.package], folder, 2 * GO_TESTS_HAVE, {})
    failed = [line.split()[2] for line in told.splitlines() if line.strip().startswith("--- FAIL:")]
    how = ", ".join(failed) or ("panics" if "panic:" in told else "hangs" if status is None else told[-200:])
    return Judged(status != 0, "hangs" if "test timed out" in told else how if status != 0 else "", seconds)


def _ours(driver: Path, at: Path) -> Judged:
    """Until the first rule that is broken; a SHOULD counts, too, for upstream's tests know no difference."""
    pytest = [
        sys.executable,
        "-m",
        "pytest",
        "--pyargs",
        "stingy",
        "-x",
        "-q",
        "--no-header",
        "-p",
        "no:cacheprovider",
    ]
    judged = ["--candidate", f"cmd:{driver}", "--stingy-seed", "1", "--stingy-strict", "-rfE", "--tb=short"]
    status, told, seconds = _run([*pytest, *judged], at, STINGY_HAS, {"COLUMNS": "200"})
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
    main(sys.argv[1], int(sys.argv[2]) if sys.argv[2:] else 1)
