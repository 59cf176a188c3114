"""The command leaves nothing behind of a candidate or a driver, even if SIGKILL ends it."""

import fcntl
import json
import os
import pty
import signal
import subprocess
import sys
import termios
from contextlib import suppress
from pathlib import Path

import pytest
from machine import patience, wait_for

CANDIDATES = """
import ctypes, os, time
from stingy_reference import WorkQueue

def begun():
    open(f"begun-{os.getpid()}", "w").close()

class Spins(WorkQueue):
    def shutting_down(self):
        begun()
        while True:
            pass

class KeepsPythonToItself(WorkQueue):
    def shutting_down(self):
        begun()
        ctypes.PyDLL(None).sleep(1000)

class Forks(WorkQueue):
    def shutting_down(self):
        for _ in range(3):
            if os.fork() == 0:
                begun()
                os.execvp("sleep", ["sleep", "1000"])
        while True:
            pass
"""
DRIVER = """
import json, os, sys, time
ops = ["add", "get", "done", "len", "shut_down", "shutting_down"]
for line in sys.stdin:
    asked = json.loads(line)
    hello = {"protocol": 1, "name": "hung", "version": "1", "ops": ops, "capabilities": {"resolution_ns": 1}}
    if asked["op"] == "new":
        open(f"begun-{os.getpid()}", "w").close()
        time.sleep(1000)
    print(json.dumps({"id": asked["id"], "ok": True, "val": hello}), flush=True)
    if asked["op"] == "bye":
        break
"""
TARGETS = ("mine:Spins", "mine:KeepsPythonToItself", "mine:Forks", f"cmd:{sys.executable} driver.py")
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL)


@pytest.fixture
def begin(tmp_path):
    """Start the command, and wait until a process of the candidate has begun."""
    (tmp_path / "mine.py").write_text(CANDIDATES)
    (tmp_path / "driver.py").write_text(DRIVER)
    started = []

    def begin(target, *words):
        rules = ("--rule", "shutdown/*", "--limit", "1000")
        command = [sys.executable, "-m", "stingy", "run", target, *rules, *words]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        run = subprocess.Popen(command, cwd=tmp_path, preexec_fn=listen, **pipes)  # noqa: PLW1509
        started.append(run)
        assert wait_for(lambda: begun(tmp_path), 5), run.communicate()
        return run

    yield begin
    for run in started:
        with suppress(ProcessLookupError):
            run.kill()
        run.communicate()


def listen():
    """Restore SIGINT, which a shell ignores for a command in the background."""
    for number in SIGNALS[:3]:
        signal.signal(number, signal.SIG_DFL if number != signal.SIGINT else signal.default_int_handler)


def begun(folder):
    return [int(it.name.partition("-")[2]) for it in folder.glob("begun-*")]


def is_gone(process):
    """Return True if the process does not exist, or only its exit status does."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2].startswith("Z")
    except OSError:
        return True


@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked for in /proc")
@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
@pytest.mark.parametrize("target", TARGETS, ids=["spins", "keeps the lock", "forks", "hung driver"])
@pytest.mark.parametrize("words", [(), ("-n", "2")], ids=["one process", "two"])
def test_nothing_is_left_behind(begin, tmp_path, target, number, words):
    run = begin(target, *words)
    run.send_signal(number)
    _, told = run.communicate(timeout=patience(5))
    assert run.returncode == (-number if number == signal.SIGKILL else 128 + number), told
    assert wait_for(lambda: all(map(is_gone, begun(tmp_path))), 3)
    assert "Traceback" not in told


@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked for in /proc")
def test_a_driver_that_begins_as_the_command_is_killed_is_not_left_behind(begin, tmp_path):
    """The command is killed before it knows that the driver has begun."""
    (tmp_path / "driver.sh").write_text("#!/bin/sh\n: >begun-$$\nkill -KILL $PPID\nexec sleep 1000\n")
    (tmp_path / "driver.sh").chmod(0o755)
    run = begin("cmd:./driver.sh")
    assert run.wait(patience(5)) == -signal.SIGKILL
    assert wait_for(lambda: all(map(is_gone, begun(tmp_path))), 3)


@pytest.mark.parametrize("number", SIGNALS[:3], ids=lambda number: number.name)
def test_an_interrupted_run_tells_what_it_found_and_nothing_of_conforming(begin, tmp_path, number):
    run = begin("mine:Spins", "--report", "json=out.json", "--report", "terminal")
    run.send_signal(number)
    said, told = run.communicate(timeout=patience(5))
    report = json.loads((tmp_path / "out.json").read_text())
    assert (run.returncode, report["status"]) == (128 + number, "interrupted")
    assert report["summary"]["exit"] == 130
    assert report["summary"]["PASS"] > 0
    assert told.splitlines()[-1].startswith("interrupted: ")
    assert "conform" not in said
    assert "the run was interrupted" in said


def test_a_terminal_that_is_closed_ends_the_command_with_its_report(tmp_path):
    """All later writes to the terminal fail."""
    ours, theirs = pty.openpty()
    words = ("--report", "json=out.json", "--report", "terminal", "-n", "2")
    run = subprocess.Popen(
        [sys.executable, "-m", "stingy", "run", "stingy_reference", *words],
        cwd=tmp_path,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        preexec_fn=take_the_terminal,  # noqa: PLW1509
    )
    os.close(theirs)
    told = b""
    while b" runs" not in told:  # the line with the progress
        told += os.read(ours, 1024)
    os.close(ours)
    assert run.wait(patience(10)) == 128 + signal.SIGHUP
    assert json.loads((tmp_path / "out.json").read_text())["status"] == "interrupted"


def take_the_terminal():
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    listen()


def test_a_driver_that_leaves_a_daemon_on_its_output_does_not_hold_the_command(stingy, tmp_path):
    served = Path(__file__).parent / "drivers/served.py"
    (tmp_path / "driver.sh").write_text(
        f"#!/bin/sh\nsetsid sleep 1000 &\necho $! > daemon\nexec {sys.executable} {served} stingy_reference\n"
    )
    (tmp_path / "driver.sh").chmod(0o755)
    for command in ("run", "doctor"):
        words = ("--rule", "shutdown/shutting-down-says-so") if command == "run" else ()
        done = stingy(command, "cmd:./driver.sh", *words)
        os.kill(int((tmp_path / "daemon").read_text()), signal.SIGKILL)
        assert done.returncode == 0, done.stdout + done.stderr


SPINS = """
from itertools import repeat

from stingy_reference import WorkQueue

class Spins(WorkQueue):
    def get(self):
        return all(repeat(True))
"""
"""Its loop is in C, so that the engine gets no turn to decide about it before the limit comes."""


@pytest.mark.parametrize(("words", "tried"), [((), 3), (("--fail-fast",), 1)])
def test_a_candidate_that_spins_is_given_up_after_three_rules_with_the_place(stingy, tmp_path, words, tried):
    (tmp_path / "spins.py").write_text(SPINS)
    asked = ("spins:Spins", "--limit", "3", "--rule", "handing_out/*", "--report", "json", *words)
    done = stingy("run", *asked, cpu_s=40)
    assert done.returncode == 2
    results = json.loads(done.stdout)["results"]
    undecided = [it["because"] for it in results if it["verdict"] == "INCONCLUSIVE"]
    limited = [it for it in undecided if "lifts that limit; it is in get, spins.py:" in it]
    untried = "not tried: 3 rules in a row have reached the limit, in get, spins.py"
    assert len(limited) == tried
    assert sum(untried in it for it in undecided) == len(undecided) - tried
