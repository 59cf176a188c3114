"""Real implementations that take seconds to build: a few rules are asked again, and found as they are recorded."""

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from stingy.guarantees import all_rules
from stingy.language import Level
from stingy.recorded import slim

CANDIDATES = Path(__file__).parents[2] / "candidates"
BROKEN = {
    "webernetes": {"defaults/a-controllers-items-are-ten-a-second"},
    "aiok8s": {
        "cancellation/a-cancelled-get-takes-no-wake-up-with-it",
        "abandonment/a-shutdown-drops-what-waits",
        "abandonment/an-addafter-after-a-shutdown-is-ignored",
        "rate_limiting/a-shutdown-drops-the-retries",
        "rate_limiting/an-addratelimited-after-a-shutdown-is-ignored",
        "backoff/the-longest-wait-is-for-ever",
        "delays/a-clock-that-is-set-makes-nothing-due",
        "delays/a-clock-that-is-set-puts-nothing-off",
        "layers/a-delaying-queue-is-a-work-queue",
        "layers/a-rate-limiting-queue-is-a-work-queue",
    },
    "dragonk8s": {
        "delays/an-item-is-there-when-its-delay-is-over",
        "delays/a-clock-that-is-set-makes-nothing-due",
        "delays/a-clock-that-is-set-puts-nothing-off",
        "interleavings/a-shutdown-ends-a-drain-in-every-order",
        "delays/of-many-delayed-items-none-is-lost",
        "deadlines/the-earlier-deadline-wins",
        "rate_limiting/failures-in-a-row-are-one-retry",
    },
    "kopf": {
        "controller/less-than-one-worker-counts-as-one",
        "controller/many-events-before-a-run-are-one-run",
        "outcomes/many-events-during-a-run-are-followed-by-one",
    },
    "kuroboros": {"outcomes/however-it-ends-an-event-starts-it-again"},
    "pyk8s-controller": set(),
}
"""What is known to be broken, and why: candidates/NAME/README.md."""
HANGS = ("dragonk8s",)
"""Whose thread spins for ever where an item is hurried up: what comes of it then takes as long as it takes."""
ASKED_AGAIN = (
    *("handing_out/*", "drain/whether-*", "cancellation/*", "abandonment/*-shutdown-*"),
    *("backoff/the-longest-*", "defaults/*", "controller/*", "outcomes/however-*"),
)
MENDED_IN_3_13 = "cancellation/a-cancelled-get-takes-no-wake-up-with-it"
"""By asyncio's own Condition."""


def recorded(name):
    return json.loads((CANDIDATES / name / "result.json").read_text())


@pytest.fixture(params=BROKEN)
def built(request, tmp_path):
    """The name of a candidate, where it has been built, and what there is to be known for its judge."""
    name = request.param
    place = tmp_path / CANDIDATES.name / name
    (tmp_path / "spec").symlink_to(CANDIDATES.parent / "spec")  # what a driver is made of stands there
    shutil.copytree(CANDIDATES / name, place, ignore=shutil.ignore_patterns("node_modules", "dist"))
    if (place / "package.json").exists():
        build = [["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], ["npm", "run", "build"]]
    else:
        install = [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--no-deps",
            "--no-compile",
            "--target",
            "packages",
        ]
        build = [[*install, "-r", "requirements.txt"]]
    for command in build:
        if shutil.which(command[0]) is None:
            pytest.skip(f"needs {command[0]} to be built")
        done = subprocess.run(command, cwd=place, capture_output=True, text=True)
        if done.returncode and command is build[0]:
            pytest.skip(f"what it needs cannot be installed here: {done.stderr.strip().splitlines()[-1]}")
        assert done.returncode == 0, done.stderr
    path = os.pathsep.join(filter(None, [str(place / "packages"), os.environ.get("PYTHONPATH")]))
    return name, place, os.environ | {"PYTHONPATH": path}


@pytest.mark.budget(300)
def test_what_is_recorded_is_found_again(built):
    name, place, environment = built
    target = tomllib.loads((place / "candidate.toml").read_text())["target"]
    asked = [word for glob in ASKED_AGAIN for word in ("--rule", glob)]
    command = [
        sys.executable,
        "-m",
        "stingy",
        "run",
        target,
        "--seed",
        "1",
        *asked,
        "--report",
        "json=now.json",
    ]
    done = subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    report = json.loads((place / "now.json").read_text())
    assert report["candidate"] == recorded(name)["candidate"]
    found = told(report)
    assert found
    assert found == {key: seen for key, seen in told(recorded(name)).items() if key in found}


def told(report):
    """The verdicts; and the outcomes, where several are accepted."""
    open_ = (Level.CONTESTED, Level.UNDEFINED)
    return {
        (row["rule"], row["case"]): (row["verdict"], row.get("because") if row["level"] in open_ else "")
        for row in slim(report)["results"]
        if row["rule"] != MENDED_IN_3_13 or sys.version_info < (3, 13)
    }


@pytest.mark.parametrize("name", BROKEN)
def test_a_record_breaks_no_rule_but_those_that_are_known(name):
    report = recorded(name)
    assert report.get("complete") or report["status"] == "complete"
    assert report["candidate"]["name"] == name
    assert {row["verdict"] for row in report["results"]} <= {
        *("PASS", "FAIL", "BLOCKED"),
        *(["INCONCLUSIVE"] if name in HANGS else []),
    }
    assert {row["rule"] for row in report["results"] if row["verdict"] == "FAIL"} == BROKEN[name]


@pytest.mark.parametrize("name", BROKEN)
def test_a_record_is_of_the_release_that_is_asked_for(name):
    pins = "".join(
        path.read_text()
        for path in CANDIDATES.glob(f"{name}/*")
        if path.name in ("package.json", "requirements.txt")
    )
    version = recorded(name)["candidate"]["version"]
    assert f"{name}=={version}" in pins or f'/{name}": "{version}"' in pins


@pytest.mark.parametrize("name", BROKEN)
def test_a_record_knows_no_rule_that_is_gone(name):
    assert {row["rule"] for row in recorded(name)["results"]} <= all_rules().keys()
