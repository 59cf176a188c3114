"""Judge mutants of upstream's own code: ``python benchmarks/upstream/judge.py client-go``.

Upstream's own tests and stingy judge each mutant. All mutants are built into one copy of the module, and ``STINGY_MUTANT`` chooses
the one that runs; the driver is built once, under control. Each result is written to ``results/NAME.jsonl`` as soon as it is known,
and a run that was interrupted continues there.

``--race``: whoever missed a mutant judges it once more, unless ``missed.toml`` calls it equivalent or beside the matter. Upstream's
tests run with Go's race detector. So does stingy, first in virtual time and then in real time. The results are in
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
from workshop import Workshop, set_out

from stingy.guarantees import all_rules, with_what_they_build_on
from stingy.judging.isolation import reach
from stingy.judging.trial import Judge
from stingy.judging.verdict import Finding, Verdict
from stingy.language.rule import Rule
from stingy.language.session import CandidateError
from stingy.request import Request
from stingy.transport import TargetError

HERE = Path(__file__).parent
MEMORY = 8 << 30
"""Limit of the address space in bytes, because a mutant may allocate without end. Not with ``--race``: the detector reserves more."""
SEED = 1
ENOUGH = 3
"""Number of errors that end the judging: most errors are a driver that does not answer for 20 s, and there are hundreds of rules."""
REST = 2
"""Seconds for further rules of the broken guarantee: a mutant that hangs does so in each of them."""

JUDGES = ("upstream", "stingy")
SAME = ("file", "function", "line", "operator", "was", "now")
"""Fields that identify a mutant. Its number may have belonged to another mutant before."""

Mutant = dict[str, Any]
"""Place and change of a mutant, as ``mutate.go`` writes them; after the judging, also what found it."""


@dataclass(frozen=True)
class Upstream:
    """A Go package of upstream to mutate. Its driver is in the folder of ``candidates`` with its name."""

    package: str
    files: tuple[str, ...]
    seconds: int = 10
    """Time limit of the package's own tests: several times what they need."""


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


@click.command()
@click.argument("name", type=click.Choice(sorted(UPSTREAM)))
@click.option("--race", is_flag=True, help="Judge what was missed once more, with Go's race detector.")
@click.option(
    "--again", is_flag=True, help="Forget the results of stingy, and keep those of upstream's tests."
)
@click.option("--whole", is_flag=True, help="Try all rules that no mutant has broken yet.")
@click.option(
    "--mutant", "numbers", type=int, multiple=True, help="Judge only this mutant, again if need be."
)
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
        settled = _settled(name)  # comes last, because every rule is tried on it
        known = [results.known(mutant) for mutant in mutants if not numbers or mutant["id"] in numbers]
        ahead = [mutant for mutant in known if not _is_judged(mutant)]
        for done, mutant in enumerate(sorted(ahead, key=lambda mutant: mutant["id"] in settled), 1):
            results.add(bench.judge(mutant, results.broken))
            click.echo(f"\r{done} of {len(ahead)}", nl=False, err=True)


def _is_judged(mutant: Mutant) -> bool:
    return "stillborn" in mutant or all(by in mutant for by in JUDGES)


def _missed(name: str) -> Iterator[tuple[int, Mutant]]:
    """Yield the number of each mutant that stingy or upstream's tests missed, or both.

    With it comes the verdict of the one that found the mutant, if any. Mutants that ``missed.toml``
    settles are left out.
    """
    settled = _settled(name)
    for line in Results(HERE / "results" / f"{name}.jsonl").lines.values():
        if "stillborn" in line or line["id"] in settled:
            continue
        found = {by: line[by] for by in JUDGES if line[by]["red"]}
        if len(found) < len(JUDGES):
            yield line["id"], found


def _settled(name: str) -> Collection[int]:
    """Return the numbers of mutants that ``missed.toml`` calls equivalent, or beside the matter."""
    reasons = tomllib.loads((HERE / "missed.toml").read_text()).get(name, {})
    kinds = ("equivalent", "beside")
    return {number for kind in kinds for reason in reasons.get(kind, []) for number in reason["mutants"]}


class Results:
    """Results of judging the mutants of a package, in a file with one line for each mutant."""

    def __init__(self, path: Path) -> None:
        self._path = path
        lines = path.read_text().splitlines() if path.exists() else []
        self.lines: dict[int, Mutant] = {line["id"]: line for line in map(json.loads, lines)}

    @property
    def broken(self) -> set[str]:
        """Ids of the rules that at least one mutant breaks."""
        return {rule for line in self.lines.values() for rule in line.get("stingy", {}).get("broken", ())}

    def known(self, mutant: Mutant) -> Mutant:
        """Return the mutant with its stored results, if its number still belongs to the same change."""
        line = self.lines.get(mutant["id"], {})
        return {**line, **mutant} if all(line.get(key) == mutant[key] for key in SAME) else mutant

    def forget(self, numbers: set[int]) -> None:
        """Remove stingy's results on these mutants; keep only the rule to try first the next time."""
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


@dataclass(frozen=True)
class Judged:
    """Result of one judge, which is either stingy or upstream's own tests, on one mutant."""

    red: bool
    how: str
    seconds: float
    broken: Sequence[str] = ()
    """The rules that the mutant broke, as far as they were tried."""


@dataclass(frozen=True)
class Bench:
    """Makes the mutants of one package, and judges them by upstream's own tests and by stingy."""

    upstream: Upstream
    workshop: Workshop
    work: Path
    race: bool
    whole: bool

    @property
    def folder(self) -> Path:
        """Folder of the Go package in the copy of its module."""
        module = self.workshop.module.name.partition("@")[0]
        return self.workshop.module / self.upstream.package.partition(f"/{module}/")[2]

    @property
    def options(self) -> Sequence[str]:
        return ["-race"] if self.race else []

    def mutate(self) -> Sequence[Mutant]:
        """Build the driver with all mutants that compile, and return all mutants.

        Those that do not compile have Go's error under the key ``stillborn``.
        """
        sound = {file: (self.folder / file).read_bytes() for file in self.upstream.files}
        stillborn: dict[int, str] = {}
        while True:
            for file, text in sound.items():
                (self.work / file).write_bytes(text)
            mutants = self._write_mutants(stillborn)
            if not (found := self._compile(mutants)):
                break
            stillborn |= found
        self.workshop.build(*self.options)
        return [{**it, "stillborn": stillborn[it["id"]]} if it["id"] in stillborn else it for it in mutants]

    def _write_mutants(self, without: Collection[int]) -> Sequence[Mutant]:
        files = [str(self.work / file) for file in self.upstream.files]
        left = ["-without", ",".join(map(str, without))]
        mutate = ["go", "run", str(HERE / "mutate.go"), *left, str(self.folder), *files]
        subprocess.run(mutate, check=True, stdout=sys.stderr)
        return json.loads((self.folder / "mutants.json").read_text())  # type: ignore[no-any-return]

    def _compile(self, mutants: Sequence[Mutant]) -> Mapping[int, str]:
        """Compile the package; return Go's error for each mutant that does not compile, by its number."""
        _, told, _ = _run(["go", "build", "-gcflags=-e", self.upstream.package], self.workshop.driver, 600)
        complaints = re.findall(r"^\S*?([^/\s]+\.go):(\d+):\d+: (.+)$", told, re.MULTILINE)
        if told and not complaints:
            sys.exit(told)
        return {_find(mutants, file, int(line))["id"]: said for file, line, said in complaints}

    def judge(self, mutant: Mutant, broken: Collection[str]) -> Mutant:
        """Judge a mutant by each judge whose result is missing, and return the mutant with the results.

        ``broken``: rules that other mutants break.
        """
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
        asked = ["env", _choose(mutant), str(tests), f"-test.timeout={limit}s"]
        status, told, seconds = _run(asked, self.folder, 300)
        failed = [line.split()[2] for line in told.splitlines() if line.startswith("--- FAIL:")]
        died = "panic:" in told or "fatal error:" in told
        how = ", ".join(failed) or ("panics" if died else "hangs" if status is None else told[-200:])
        return Judged(
            status != 0, "hangs" if "test timed out" in told else how if status != 0 else "", seconds
        )

    def _ours(self, mutant: Mutant, broken: Collection[str]) -> Judged:
        target = f"cmd:env {_choose(mutant)} {self.workshop.driver / 'driver'}"
        before = mutant.get("before", "")
        ours = _by_stingy(target, before, broken, whole=self.whole)
        if self.race and not ours.red:
            ours = _by_stingy(f"{target} -realtime", before, broken, whole=self.whole)
        return ours


def _by_stingy(target: str, before: str, known: Collection[str], *, whole: bool) -> Judged:
    """Judge a mutant by stingy, until the first broken rule, which may be a SHOULD.

    The rule that the mutant broke ``before`` comes first. After a failure, rules that are not in
    ``known``, those that other mutants break, are tried as well: rules of the same guarantee that
    take one run, or all if ``whole``. An error counts only if no rule is broken.
    """
    began = time.monotonic()
    try:
        candidate = reach(Request(target, seed=SEED))
    except (TargetError, CandidateError) as error:
        return Judged(True, f"ERROR  {error}", _since(began))
    try:
        judge = Judge(candidate, SEED)
        found = list(_until_broken(judge, before))
        broken = [verdict for verdict in found if verdict.verdict is Finding.FAIL]
        seconds = _since(began)
        if broken:
            rest = all_rules().values() if whole else _like(broken[0].rule)
            asked = [rule for rule in rest if rule.id not in known]
            for rule in asked:
                if not whole and _since(began) > seconds + REST:
                    break
                broken += [verdict for verdict in judge.verdicts(rule) if verdict.verdict is Finding.FAIL]
    finally:
        candidate.close()
    errors = [verdict for verdict in found if verdict.verdict is Finding.ERROR]
    told = next(iter(broken or errors), None)
    how = f"{told.verdict}  {told.level}  {told.id}  {told.evidence}".strip() if told else ""
    return Judged(told is not None, how, seconds, sorted({verdict.rule for verdict in broken}))


def _until_broken(judge: Judge, before: str) -> Iterator[Verdict]:
    errors = 0
    for rule in _in_order(before):
        for row in rule.cases:
            verdict = judge.verdict(rule, row)
            yield verdict
            errors += verdict.verdict is Finding.ERROR
            if verdict.verdict is Finding.FAIL or errors == ENOUGH:
                return


def _in_order(before: str) -> Sequence[Rule]:
    """Return all rules; first the one named in ``before``, with those that it builds on."""
    named = next((word.partition("[")[0] for word in before.split() if "/" in word), "")
    first = with_what_they_build_on([all_rules()[named]]) if named in all_rules() else {}
    return [*first.values(), *(rule for id_, rule in all_rules().items() if id_ not in first)]


def _like(broken: str) -> Sequence[Rule]:
    """Return the rules of the broken rule's guarantee that take one run, unlike races."""
    guarantee = all_rules()[broken].guarantee
    return [
        rule
        for rule in all_rules().values()
        if rule.guarantee == guarantee and not rule.races and not rule.for_all
    ]


def _choose(mutant: Mutant) -> str:
    """Return the environment variable, with its value, that makes the driver run this mutant."""
    return f"STINGY_MUTANT={mutant['id'] + 1}"


def _find(mutants: Sequence[Mutant], file: str, line: int) -> Mutant:
    found = next((it for it in mutants if it["file"] == file and it["from"] <= line <= it["to"]), None)
    return found or sys.exit(f"{file}:{line} is of no mutant, and does not compile")


def _run(command: Sequence[str], folder: Path, seconds: float) -> tuple[int | None, str, float]:
    """Run a command; return exit status, output, and the seconds it took.

    The status is None if the command exceeded the time limit of ``seconds``, after which it is
    killed.
    """
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
    return status, told, _since(began)


def _since(began: float) -> float:
    return round(time.monotonic() - began, 2)


if __name__ == "__main__":
    main()
