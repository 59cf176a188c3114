"""No signal goes to the number of a process that has been reaped: it may be another process's by then."""

import os
import signal
import subprocess
import sys

import pytest
from machine import patience

from stingy.transport import child, connection
from stingy.transport.child import Child
from stingy.transport.processes import CAN_BE_SEEN


@pytest.fixture
def killed(monkeypatch):
    """The numbers of the processes that were killed; each of them was a child not yet reaped."""
    numbers, kill = [], child.kill_all

    def note(number):
        if hasattr(os, "waitid"):
            os.waitid(os.P_PID, number, os.WEXITED | os.WNOHANG | os.WNOWAIT)  # raises if it is no child
        numbers.append(number)
        kill(number)

    for module in (child, connection):
        monkeypatch.setattr(module, "kill_all", note, raising=False)
    return numbers


@pytest.fixture
def run():
    """A function that starts a Python process, and returns it with its Popen."""
    started = []

    def run(code):
        words = [sys.executable, "-c", code]
        started.append(popen := subprocess.Popen(words, stdout=subprocess.PIPE, start_new_session=True))
        return Child(popen.pid), popen

    yield run
    for popen in started:
        popen.communicate()


def test_a_driver_that_has_ended_is_killed_before_it_is_reaped_and_never_again(killed):
    spawned = connection.Spawned(f"{sys.executable} -c 'raise SystemExit(7)'")
    assert spawned.ended(patience(5)) == "exited with 7"
    for _ in range(2):
        spawned.end()
    for stream in (spawned.answers, spawned.remarks):
        stream.close()
    assert len(killed) == 1


def test_how_a_process_ended_can_be_asked_again_after_its_end(run):
    process, _ = run("import os, signal; os.kill(os.getpid(), signal.SIGTERM)")
    assert process.ended(patience(5)) == -signal.SIGTERM
    assert process.ended() == process.end() == process.ended() == -signal.SIGTERM


def test_a_process_that_code_of_this_one_has_reaped_is_not_killed(run, killed):
    """A candidate may wait for whatever child ends."""
    process, popen = run("")
    os.waitpid(popen.pid, 0)
    assert process.ended() is not None
    process.end()
    process.send(signal.SIGTERM)
    assert killed == []


@pytest.mark.skipif(not CAN_BE_SEEN, reason="this system shows no processes")
def test_the_session_of_an_ended_process_is_killed(run):
    """It holds the output of the process open as long as it lives."""
    process, popen = run("import os, time; os.fork() or (os.setpgid(0, 0), time.sleep(1000))")
    process.ended(patience(5))
    process.end()
    assert popen.stdout.read() == b""
