"""``stingy run --fail-fast`` in several processes: the first broken rule ends them all."""

import json
import os

from machine import wait_for

SLEEPER = """
import os, time
from stingy_reference import WorkQueue
_sleep = time.sleep
class Sleeper(WorkQueue):
    "Right in one process, which sleeps for ten minutes once there is another: there each hands out what nobody has added."
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
            _sleep(600)
    def get(self):
        item, shutdown = super().get()
        return (item if Sleeper.first or shutdown else f"{item}!"), shutdown
"""


def is_there(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


KILLER = """
import os, signal
from stingy_reference import WorkQueue

class Killer(WorkQueue):
    def __len__(self):
        if not os.path.exists("killed"):
            open("killed", "w").close()
            os.kill(os.getppid(), signal.SIGKILL)
        return super().__len__()
"""


def test_a_process_that_is_killed_loses_only_the_case_that_it_judges(stingy, tmp_path):
    (tmp_path / "k.py").write_text(KILLER)
    words = ("run", "k:Killer", "-n", "2", "--seed", "1", "--rule", "length/*", "--report", "json=out.json")
    done = stingy(*words)
    told = json.loads((tmp_path / "out.json").read_text())
    assert (done.returncode, told["status"]) == (3, "complete"), done.stderr
    (lost,) = (row for row in told["results"] if row["verdict"] not in ("PASS", "NOT-OFFERED"))
    assert lost["verdict"] == "ERROR"
    assert lost["because"].startswith("the process that judges was ended by SIGKILL: either the candidate")
    assert len(told["results"]) > 10


def test_processes_that_are_all_killed_leave_no_rule_without_a_verdict(stingy, tmp_path):
    (tmp_path / "k.py").write_text(KILLER.replace('not os.path.exists("killed")', "True"))
    words = ("run", "k:Killer", "-n", "2", "--seed", "1", "--rule", "length/*", "--report", "json=out.json")
    done = stingy(*words)
    told = json.loads((tmp_path / "out.json").read_text())
    assert (done.returncode, told["status"], "unjudged" in told) == (3, "complete", False), done.stderr
    assert [row["verdict"] for row in told["results"]].count("ERROR") > 2


def test_other_processes_are_ended_at_once_and_leave_nothing_behind(stingy, tmp_path):
    (tmp_path / "s.py").write_text(SLEEPER)
    words = ("run", "s:Sleeper", "-n", "2", "--fail-fast", "--seed", "1", "--report", "json=out.json")
    done = stingy(*words)
    assert done.returncode == 1
    assert json.loads((tmp_path / "out.json").read_text())["status"] == "stopped"
    sleeper = int((tmp_path / "pid").read_text())
    assert wait_for(lambda: not is_there(sleeper), 5)  # without its judge it ends at its next heartbeat
