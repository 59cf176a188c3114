"""``stingy run --fail-fast``: no more is judged once a rule is broken, and every report says so."""

import json
import os
import subprocess
import sys
import time

import pytest

from machine import wait_for
from stingy.guarantees import chosen
from stingy.verdict import spell

BROKEN = "stingy_broken.queues:LetsItOutInCompany"
LENIENT = "stingy_broken.memory:KeepsDuplicates"
ASKED = ("handing_out/*", "stingy/*", "length/*")

SLEEPER = """
import os, time
from stingy_reference import WorkQueue
_sleep = time.sleep
class Sleeper(WorkQueue):
    "Right in one process, which sleeps for minutes once there is another: there each hands out what nobody has added."
    first = False
    def __init__(self):
        super().__init__()
        try:
            with open("pid", "x") as out:
                out.write(str(os.getpid()))
            Sleeper.first = True
        except FileExistsError:
            pass
        if not Sleeper.first:
            open("other", "w").close()
        elif os.path.exists("other"):
            _sleep(170)
    def get(self):
        item, shutdown = super().get()
        return (item if Sleeper.first or shutdown else f"{item}!"), shutdown
"""


@pytest.fixture
def stingy(tmp_path):
    def stingy(*words):
        report = tmp_path / "out.json"
        words = [sys.executable, "-m", "stingy", *words, "--seed", "1", "--report", f"json={report}"]
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=160)
        return done, json.loads(report.read_text())

    return stingy


def rules(*globs):
    return [word for glob in globs for word in ("--rule", glob)]


def ids(globs):
    return [
        spell(rule.id, row.name if row else "") for rule in chosen((), globs).values() for row in rule.cases
    ]


def judged(told):
    return [spell(row["rule"], row["case"]) for row in told["results"]]


def test_no_rule_is_judged_after_the_first_that_is_broken(stingy):
    done, told = stingy("run", BROKEN, "-n", "1", "--fail-fast", *rules(*ASKED))
    assert done.returncode == told["summary"]["exit"] == 1
    assert told["status"] == "stopped"
    assert [row["verdict"] for row in told["results"]].index("FAIL") == len(told["results"]) - 1
    assert judged(told) + told["unjudged"] == ids(ASKED)


def test_the_screen_says_what_was_not_judged(tmp_path):
    words = ["run", BROKEN, "-n", "1", "--fail-fast", *rules(*ASKED)]
    told = subprocess.run(
        [sys.executable, "-m", "stingy", *words], cwd=tmp_path, capture_output=True, text=True, timeout=160
    ).stdout
    last = " ".join(told.partition("LetsItOutInCompany does not conform")[2].split())
    assert "--fail-fast ended the run: " in last
    assert last.endswith("more have not been judged")


def test_a_should_ends_it_only_if_it_fails_the_candidate(stingy):
    asked = ("-n", "1", "--fail-fast", *rules("memory/*"))
    _, lenient = stingy("run", LENIENT, *asked)
    _, strict = stingy("run", LENIENT, *asked, "--strict")
    assert {row["level"] for row in lenient["results"] if row["verdict"] == "FAIL"} <= {"SHOULD"}
    assert lenient["status"] == "complete"
    assert "unjudged" not in lenient
    assert strict["status"] == "stopped"
    assert strict["summary"]["exit"] == 1
    assert strict["summary"]["held_against"] == {"as promised": 2, "as upstream does": 1}


def test_of_one_that_conforms_everything_is_judged(stingy):
    done, told = stingy("run", "-n", "1", "--fail-fast", *rules("stingy/*"))
    assert done.returncode == 0
    assert told["status"] == "complete"
    assert judged(told) == ids(["stingy/*"])


def is_there(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_other_processes_are_ended_at_once_and_leave_nothing_behind(stingy, tmp_path):
    (tmp_path / "s.py").write_text(SLEEPER)
    began = time.monotonic()
    done, told = stingy("run", "s:Sleeper", "-n", "2", "--fail-fast")
    assert done.returncode == 1
    assert told["status"] == "stopped"
    assert time.monotonic() - began < 120, "nobody waits for the one that sleeps"
    sleeper = int((tmp_path / "pid").read_text())
    assert wait_for(lambda: not is_there(sleeper), 5)  # who finds its judge gone ends at its next heartbeat


def test_what_it_has_found_can_be_replayed(stingy, tmp_path):
    stingy("run", BROKEN, "-n", "1", "--fail-fast", *rules("stingy/*"))
    words = [sys.executable, "-m", "stingy", "replay", "out.json", BROKEN]
    again = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=160)
    assert again.returncode == 1
    assert "have not been judged" not in again.stdout
