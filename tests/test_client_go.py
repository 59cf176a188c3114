"""The real workqueue of client-go keeps every MUST, through its driver."""

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

HOME = Path(__file__).parent.parent / "candidates" / "client-go"


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    if shutil.which("go") is None:
        pytest.skip("needs Go 1.26 to build the driver")
    built = tmp_path_factory.mktemp("client-go") / "driver"
    done = subprocess.run(["go", "test", "-c", "-o", built, "."], cwd=HOME, capture_output=True, text=True)
    if done.returncode and "go.mod requires go" in done.stderr:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stderr
    return built


@pytest.fixture(scope="module")
def report(driver, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "result.json"
    since = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "stingy", "run", f"cmd:{driver}", "--report", f"json={path}"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(path.read_text()) | {"seconds": time.monotonic() - since}


def test_it_keeps_every_rule_of_its_profiles(report):
    offered = [row for row in report["results"] if row["profile"] in ("queue", "drain")]
    assert {row["verdict"] for row in offered} == {"PASS"}
    assert {row["evidence"] for row in offered} == {"deterministic", "sampled"}
    assert report["seconds"] < 10


def test_it_shows_the_contested_outcomes_that_are_known_of_it(report):
    seen = {row["rule"]: row["because"] for row in report["results"]}
    assert seen["drain/whether-it-waits-for-what-is-queued"] == "seen: it returns with items still queued"
    assert seen["drain/whether-two-drains-both-return"] == "seen: one of them returns"
    assert seen["drain/whether-it-waits-after-a-shutdown"] == "seen: it waits for what is in processing"
    assert seen["handing_out/done-of-an-item-nobody-holds"] == "seen: the item is handed out twice at once"


def test_the_recorded_result_is_what_is_found_now(report):
    recorded = json.loads((HOME / "result.json").read_text())
    assert recorded["complete"] is True

    def told(result):
        return {(row["rule"], row["case"]): (row["verdict"], row["evidence"]) for row in result["results"]}

    assert told(recorded) == told(report)
    assert recorded["candidate"]["version"] == report["candidate"]["version"]
