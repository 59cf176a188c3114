"""Real implementations, reached through their drivers: what they do is what was recorded of them."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from stingy.guarantees import all_rules
from stingy.language import Level
from stingy.recorded import slim

CANDIDATES = Path(__file__).parent.parent / "candidates"
BROKEN = {
    "client-go": set(),
    "endpointslice": set(),
    "kube-proxy": set(),
    "kube-proxy-1.30": set(),
    "kube-proxy-1.26": set(),
    "kube-proxy-1.21": set(),
    "controller-runtime": {
        "once_more/an-item-that-comes-back-joins-the-tail",
        "once_more/items-come-back-in-the-order-of-their-done",
        "length/len-leaves-out-what-waits-for-its-done",
        "shutdown/what-was-queued-is-still-handed-out",
        "shutdown/what-was-owed-is-still-handed-out",
        "shutdown/the-flag-means-no-item",
        "shutdown/a-second-shutdown-changes-nothing",
        "interleavings/work-ends-in-every-order",
        "abandonment/a-second-shutdown-changes-nothing",
        "metrics/every-call-is-a-retry",
        "priority_shutdown/a-second-shutdown-changes-nothing",
    },
}
"""What is known to be broken, and why: candidates/NAME/README.md."""
QUICK_TO_BUILD = {"client-go"}


@pytest.fixture(scope="module", params=BROKEN)
def judged(request, tmp_path_factory):
    """The name of a candidate, and the report of a run against it."""
    name = request.param
    if shutil.which("go") is None:
        pytest.skip("needs Go 1.26 to build the driver")
    if name not in QUICK_TO_BUILD and not os.environ.get("CI"):
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
    assert done.returncode == (1 if BROKEN[name] else 0), done.stdout + done.stderr
    return name, json.loads(path.read_text())


@pytest.mark.timeout(1200)
def test_it_breaks_no_rule_but_those_that_are_known(judged):
    name, report = judged
    broken = {row["rule"] for row in report["results"] if row["verdict"] == "FAIL"}
    assert broken == BROKEN[name]
    told = {row["verdict"] for row in report["results"]} - ({"BLOCKED"} if broken else set())
    assert told <= {"PASS", "FAIL", "NOT-OFFERED"}
    assert {row["evidence"] for row in report["results"] if row["evidence"]} <= {"deterministic", "sampled"}


def test_the_recorded_result_is_what_is_found_now(judged):
    name, report = judged
    recorded = json.loads((CANDIDATES / name / "result.json").read_text())
    assert recorded["complete"] is True
    assert recorded["candidate"]["version"] == report["candidate"]["version"]
    assert told(recorded, BROKEN[name]) == told(slim(report), BROKEN[name])


def told(result, broken):
    """The verdicts; and the outcomes, where several are accepted.

    In which races it loses depends on the order in which its goroutines happen to run.
    """
    lost = {id_ for id_ in broken if all_rules()[id_].races}
    rows = {(row["rule"], row["case"]): row for row in result["results"] if row["rule"] not in lost}
    open_ = (Level.CONTESTED, Level.UNDEFINED)
    return {
        key: (row["verdict"], row.get("evidence"), row.get("because") if row["level"] in open_ else "")
        for key, row in rows.items()
    }


def test_kube_proxies_of_several_versions_differ_in_their_ways_only():
    recorded = [
        json.loads(path.read_text())["results"] for path in CANDIDATES.glob("kube-proxy*/result.json")
    ]
    found = [{(row["rule"], row["case"]): row["verdict"] for row in rows} for rows in recorded]
    differ = {key[0] for key in set().union(*found) if len({verdicts.get(key) for verdicts in found}) > 1}
    assert differ
    assert {id_ for id_ in differ if not all_rules()[id_].where} == set()
