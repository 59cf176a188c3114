"""Real implementations, reached through their drivers: what they do is what was recorded of them."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import cards
import pytest

from stingy.guarantees import all_rules
from stingy.language import Level
from stingy.recorded import slim
from stingy.verdict import Evidence

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "stingy" / "candidates"
"""For what takes long to build from nothing; outside of the repository, whose files are the same for everybody."""


@dataclass(frozen=True)
class Toolchain:
    manifest: str
    """Who has this file in the folder is built by it."""
    tool: str
    needs: str
    build: tuple[str, ...]
    """With the folder that it may write to as ``{}``, as in ``driver``; if there is none, as the candidate's card says."""
    driver: str
    lacks: tuple[str, ...]
    """What it says where it is too old, or where its registry cannot be reached."""


TOOLCHAINS = (
    Toolchain("go.mod", "go", "Go 1.26", (), "{}/driver", ("requires go",)),
    Toolchain(
        "pom.xml",
        "mvn",
        "Maven and a JDK",
        ("mvn", "-q", "-B", "-Dto={}", "package"),
        "java -jar {}/driver.jar",
        ("could not be resolved", "Could not transfer", "release version 17 not supported"),
    ),
    Toolchain(
        "Cargo.toml",
        "cargo",
        "Rust",
        ("cargo", "build", "--quiet", "--release", "--locked", "--target-dir", "{}"),
        "{}/release/driver",
        ("failed to get", "failed to download", "requires rustc"),
    ),
)


NAMES = [
    folder.name
    for folder in sorted(cards.CANDIDATES.iterdir())
    if (folder / "result.json").exists() and any((folder / each.manifest).exists() for each in TOOLCHAINS)
]


def recorded(name):
    return json.loads((cards.CANDIDATES / name / "result.json").read_text())


def broken(result):
    return {row["rule"] for row in result["results"] if row["verdict"] == "FAIL"}


@pytest.fixture(scope="module", params=NAMES)
def judged(request, tmp_path_factory):
    """The name of a candidate, and the report of a run against it."""
    name = request.param
    toolchain = next(each for each in TOOLCHAINS if (cards.CANDIDATES / name / each.manifest).exists())
    if shutil.which(toolchain.tool) is None:
        pytest.skip(f"needs {toolchain.needs} to build the driver")
    place = tmp_path_factory.mktemp(name)
    path = place / "result.json"
    driver = built(toolchain, name, place if toolchain.tool == "go" else CACHE / name)
    command = [sys.executable, "-m", "stingy", "run", f"cmd:{driver}", "--report", f"json={path}"]
    done = subprocess.run(command, capture_output=True, text=True)
    fails = any(all_rules()[id_].level is Level.MUST for id_ in broken(recorded(name)))
    assert done.returncode == (1 if fails else 0), done.stdout + done.stderr
    return name, json.loads(path.read_text())


def built(toolchain, name, place):
    """The command that runs the driver; Go has a cache of its own."""
    build = [word.format(place) for word in toolchain.build] or cards.build(name, place / "driver")
    done = subprocess.run(build, cwd=cards.CANDIDATES / name, capture_output=True, text=True)
    said = done.stdout + done.stderr
    if done.returncode and any(lack in said for lack in toolchain.lacks):
        pytest.skip(f"{name} cannot be built here: {said.strip()[:300]}")
    assert done.returncode == 0, said
    return toolchain.driver.format(place)


@pytest.mark.budget(1200)
def test_it_breaks_no_rule_but_those_that_are_known(judged):
    """Why each is broken is said in candidates/NAME/candidate.toml."""
    name, report = judged
    assert broken(report) == broken(recorded(name))
    told = {row["verdict"] for row in report["results"]} - ({"BLOCKED"} if broken(report) else set())
    assert told <= {"PASS", "FAIL", "NOT-OFFERED"}
    assert {row["evidence"] for row in report["results"]} <= set(Evidence) - {Evidence.TIMED}


def test_the_recorded_result_is_what_is_found_now(judged):
    name, report = judged
    before = recorded(name)
    assert before.get("complete") or before["status"] == "complete"
    assert before["candidate"]["version"] == report["candidate"]["version"]
    were, are = told(before, broken(before)), told(slim(report), broken(before))
    by_luck = {key for key in were.keys() | are.keys() if is_by_luck(key[0], were.get(key), are.get(key))}
    assert {key: it for key, it in were.items() if key not in by_luck} == {
        key: it for key, it in are.items() if key not in by_luck
    }


def is_by_luck(id_, *outcomes):
    """Whether it is a row of a race in which a fault that is known shows in some orders only."""
    return all_rules()[id_].races and any(it and it[0] == "BLOCKED" for it in outcomes)


def told(result, lost):
    """The verdicts; and the outcomes, where several are accepted.

    In which races it loses depends on the order in which its goroutines happen to run.
    """
    lost = {id_ for id_ in lost if all_rules()[id_].races}
    rows = {(row["rule"], row["case"]): row for row in result["results"] if row["rule"] not in lost}
    open_ = (Level.CONTESTED, Level.UNDEFINED)
    return {
        key: (row["verdict"], row.get("evidence"), row.get("because") if row["level"] in open_ else "")
        for key, row in rows.items()
    }


def test_kube_proxies_of_several_versions_differ_in_their_ways_only():
    """Those for nftables and IPVS are judged as proxies alone."""
    results = [
        recorded(path.name)
        for path in cards.CANDIDATES.glob("kube-proxy*")
        if (path / "result.json").exists()
    ]
    found = [{(row["rule"], row["case"]): row["verdict"] for row in result["results"]} for result in results]
    found = [each for each in found if any(all_rules()[id_].profile.name == "tracker" for id_, _ in each)]
    assert len(found) > 2
    differ = {key[0] for key in set().union(*found) if len({verdicts.get(key) for verdicts in found}) > 1}
    assert differ
    assert {id_ for id_ in differ if not all_rules()[id_].where} == set()
