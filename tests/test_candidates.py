"""Real implementations, reached through their drivers, keep every rule of the profiles they offer."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CANDIDATES = Path(__file__).parent.parent / "candidates"
OFFERED = {"client-go": {"queue", "drain"}, "kube-proxy": {"tracker", "proxy"}}
CONTESTED = {
    "client-go": {
        "drain/whether-it-waits-for-what-is-queued": "it returns with items still queued",
        "drain/whether-two-drains-both-return": "one of them returns",
        "drain/whether-it-waits-after-a-shutdown": "it waits for what is in processing",
        "handing_out/done-of-an-item-nobody-holds": "the item is handed out twice at once",
    },
    "kube-proxy": {
        "removal/the-times-of-a-removed-slices-siblings": "they are dropped",
        "latency/the-times-of-a-failed-sync": "they are lost",
    },
}


@pytest.fixture(scope="module", params=OFFERED)
def judged(request, tmp_path_factory):
    """The name of a candidate, and the report of a run against it."""
    name = request.param
    if shutil.which("go") is None:
        pytest.skip("needs Go 1.26 to build the driver")
    if name == "kube-proxy" and not os.environ.get("CI"):
        pytest.skip("takes minutes to build for the first time: set CI=1 to have it judged here")
    driver = tmp_path_factory.mktemp(name) / "driver"
    build = ["go", "test", "-c", "-o", str(driver), "."]
    built = subprocess.run(build, cwd=CANDIDATES / name, capture_output=True, text=True)
    if built.returncode and "requires go" in built.stderr:
        pytest.skip(built.stderr.strip())
    assert built.returncode == 0, built.stderr
    path = driver.with_name("result.json")
    command = [sys.executable, "-m", "stingy", "run", f"cmd:{driver}", "--report", f"json={path}"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return name, json.loads(path.read_text())


@pytest.mark.timeout(1200)
def test_it_keeps_every_rule_of_its_profiles(judged):
    name, report = judged
    offered = [row for row in report["results"] if row["profile"] in OFFERED[name]]
    assert {row["verdict"] for row in offered} == {"PASS"}
    assert {row["evidence"] for row in offered} <= {"deterministic", "sampled"}
    assert {row["verdict"] for row in report["results"] if row not in offered} == {"NOT-OFFERED"}


def test_it_shows_the_contested_outcomes_that_are_known_of_it(judged):
    name, report = judged
    seen = {row["rule"]: row["because"] for row in report["results"]}
    assert {rule: seen[rule] for rule in CONTESTED[name]} == {
        rule: f"seen: {outcome}" for rule, outcome in CONTESTED[name].items()
    }


def test_the_recorded_result_is_what_is_found_now(judged):
    name, report = judged
    recorded = json.loads((CANDIDATES / name / "result.json").read_text())
    assert recorded["complete"] is True

    def told(result):
        return {(row["rule"], row["case"]): (row["verdict"], row["evidence"]) for row in result["results"]}

    assert told(recorded) == told(report)
    assert recorded["candidate"]["version"] == report["candidate"]["version"]
