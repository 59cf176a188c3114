"""A debugger stops in a candidate, with a prompt that waits, and the verdict stays the same."""

import json
import os
import pty
import re
import select
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import dap
import machine
import pytest

from stingy.transport.realthreads import GENEROUS

PROMPT = b"(Pdb) "
PAUSE = GENEROUS + 1.0
"""Seconds that a user thinks at a prompt: longer than any wait of stingy for a call in real time."""

START = Path(__file__).parents[2] / "docs" / "starts" / "queue.py"
QUEUE = '''
from start import WorkQueue


class Racy(WorkQueue):
    """A queue whose Get takes an item in two steps, so that two workers may get it.

    The debugger stops in Add, whose first statement is in line 13; a test chooses that
    statement.
    """

    def add(self, item):
        STOP
        with self._changed:
            if item in self._dirty or self._down:
                return
            self._dirty.add(item)
            if item not in self._processing:
                self._queue.append(item)
                self._changed.notify()

    def get(self):
        with self._changed:
            while not self._queue and not self._down:
                self._changed.wait()
            if not self._queue:
                return None, True
            item = self._queue[0]
        self._processing.add(item)
        with self._changed:
            if item in self._queue:
                self._queue.remove(item)
            self._dirty.discard(item)
            return item, False


class Forgets(Racy):
    get = WorkQueue.get

    def add(self, item):
        self._processing.discard(item)
        super().add(item)
'''
ONE_WORKER = "stingy/one-worker-at-a-time"
RACE = "stingy/no-item-is-with-two-workers"


@pytest.fixture
def queue(tmp_path):
    """Write the module ``theirs``; return a function that writes it with another statement in Add."""
    (tmp_path / "start.py").write_text(START.read_text(encoding="utf-8"))

    def write(statement="pass"):
        (tmp_path / "theirs.py").write_text(QUEUE.replace("STOP", statement))

    write()
    return write


@pytest.fixture
def talk(tmp_path):
    """Return a function that runs the command on a terminal and answers each prompt in turn.

    It returns all that was shown, and the exit status. A number in place of an answer is a pause.
    """

    def talk(*words, answers, cpu_s=15):
        process, terminal = pty.fork()
        if process == 0:
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # a shell ignores it for a command in the background
            os.chdir(tmp_path)
            os.environ["COLUMNS"] = "200"
            os.execv(sys.executable, [sys.executable, "-m", "stingy", *words])
        shown, heard, left = b"", 0, list(answers)
        end = time.monotonic() + machine.patience(cpu_s) + sum(it for it in left if not isinstance(it, str))
        while time.monotonic() < end:
            if select.select([terminal], [], [], 0.1)[0]:
                try:
                    shown += os.read(terminal, 1 << 16)
                except OSError:
                    break
            if shown.endswith(PROMPT) and len(shown) > heard and left:
                heard = len(shown)
                while left and not isinstance(left[0], str):
                    time.sleep(left.pop(0))
                os.write(terminal, left.pop(0).encode() + b"\n")
        else:
            os.kill(process, 9)
        status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        os.close(terminal)
        return re.sub(r"\x1b\[[\d;]*[mK]|\r", "", shown.decode()), status

    return talk


def failures(file):
    return [row for row in json.loads(file.read_text())["results"] if row["verdict"] == "FAIL"]


def test_a_breakpoint_stops_in_its_line_and_a_long_pause_is_no_verdict(talk, queue):
    queue("breakpoint()")
    shown, status = talk(
        *("run", "theirs:Forgets", "--rule", ONE_WORKER, "--seed", "1", "-s"),
        answers=["p item", PAUSE, "n", *["c"] * 20],
    )
    assert "theirs.py(14)add()\n-> with self._changed:" in shown
    assert "(Pdb) p item\n'" in shown
    assert "theirs.py(15)add()" in shown
    assert f"FAIL  MUST  {ONE_WORKER}" in shown
    assert "still judging" not in shown
    assert status == 1


def test_a_breakpoint_stops_in_a_race_as_well(talk, queue):
    queue("if len(self._queue): breakpoint()")
    shown, status = talk(
        *("run", "theirs:Racy", "--rule", RACE, "--seed", "1", "-s"), answers=["n", PAUSE, "n", "q"]
    )
    assert "theirs.py(14)add()" in shown
    assert "theirs.py(15)add()" in shown
    assert "unknown debugging event" not in shown
    assert status == 130


def test_a_breakpoint_in_real_time_is_no_verdict(talk, queue):
    queue("__import__('subprocess').run(['true']); breakpoint()")
    shown, status = talk(
        *("run", "theirs:Forgets", "--rule", ONE_WORKER, "--seed", "1", "-s"),
        answers=[*["c"] * 5, PAUSE, "c", PAUSE, *["c"] * 40],
    )
    assert "does not return" not in shown
    assert f"FAIL  MUST  {ONE_WORKER}  timed" in shown
    assert status == 1


def test_quitting_the_debugger_interrupts_the_run(talk, queue):
    queue("breakpoint()")
    shown, status = talk("run", "theirs:Forgets", "--rule", ONE_WORKER, "-s", answers=["q"])
    assert "interrupted" in shown
    assert "BdbQuit" not in shown
    assert status == 130


def test_a_breakpoint_in_a_process_of_its_own_is_an_error_that_says_what_to_do(stingy, queue):
    queue("breakpoint()")
    done = stingy("run", "theirs:Forgets", "--rule", ONE_WORKER)
    assert done.returncode == 3
    assert "ERROR" in done.stdout
    assert "add -s or --no-isolate to stop there" in " ".join(done.stdout.split())


def test_a_replay_stops_at_the_step_that_goes_wrong(stingy, talk, queue, tmp_path):
    stingy("run", "theirs:Forgets", "--rule", ONE_WORKER, "--seed", "1", "--report", "json=out.json")
    (failure,) = failures(tmp_path / "out.json")
    row, line = next((n, line) for n, line in enumerate(failure["story"], 1) if line.get("expected"))
    assert line["op"] == "get"
    shown, status = talk(
        "replay", "out.json", "--debug", answers=[PAUSE, "w", "p list(self._processing)", "c"]
    )
    assert "stingy/engine" not in shown, "where shows the candidate's frames alone"
    assert f"stopped as step {row} begins: Get() of {line['lane']}" in shown
    assert "-> with self._changed:" in shown
    assert status == 1


def test_a_replayed_race_goes_wrong_in_the_same_order_though_it_is_debugged(stingy, talk, queue, tmp_path):
    stingy("run", "theirs:Racy", "--rule", RACE, "--seed", "1", "--report", "json=out.json")
    (failure,) = failures(tmp_path / "out.json")
    assert any("is interrupted" in line["did"] for line in failure["story"])
    row, line = next((n, line) for n, line in enumerate(failure["story"], 1) if line.get("expected"))
    shown, _ = talk("replay", "out.json", "--debug", answers=["n"] * 40)
    assert f"stopped as step {row} begins: {line['did'].replace(' ends', '')}" in shown
    assert shown.count("(Pdb) n") > 4
    assert f"FAIL  MUST  {RACE}" in shown
    story = shown.partition(f"FAIL  MUST  {RACE}")[2]
    assert story.count("Get() → 'a'") + story.count("Get() ends → 'a'") == 2


def test_only_a_failure_of_the_report_can_be_debugged(stingy, queue):
    stingy("run", "theirs:Forgets", "--rule", ONE_WORKER, "--seed", "1", "--report", "json=out.json")
    done = stingy("replay", "out.json", "--debug", "2")
    assert done.returncode == 4
    assert "there is no failure 2: the report has 1" in done.stderr


NO_DEBUGPY = "no debugpy here: pip install -e '.[editor]'"


@pytest.fixture
def attach(stingy, queue, tmp_path):
    """Return a function that replays a failure of a candidate, and attaches an editor to it."""
    pytest.importorskip("debugpy", reason=NO_DEBUGPY)
    processes = []

    def attach(candidate, rule, breakpoints=()):
        stingy("run", f"theirs:{candidate}", "--rule", rule, "--seed", "1", "--report", "json=out.json")
        process = subprocess.Popen(
            [sys.executable, "-m", "stingy", "replay", "out.json", "--debug-with", "debugpy:0"],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        processes.append(process)
        said = process.stderr.readline()
        port = re.fullmatch(r"listening on 127\.0\.0\.1:(\d+); attach your editor\n", said)
        assert port, said
        client = dap.Client(int(port[1]))
        client.attach({tmp_path / "theirs.py": [{"line": line} for line in breakpoints]})
        return client, process

    yield attach
    for process in processes:
        process.kill()
        process.communicate()


def ends(process):
    """Return what a replay shows, once it and the process that talks to the editor have ended."""
    shown, _ = process.communicate(timeout=machine.patience(15))  # both have the pipe open
    assert process.returncode == 1
    return shown


def test_an_editor_stops_where_pdb_does_and_a_long_pause_is_no_verdict(attach):
    client, process = attach("Forgets", ONE_WORKER)
    reason, thread, frame = client.wait_until_stopped()
    assert (reason, frame["name"], Path(frame["source"]["path"]).name) == ("breakpoint", "get", "start.py")
    assert client.local_variables(frame)["self"].startswith("<theirs.Forgets object")
    time.sleep(PAUSE)
    assert client.evaluate("self.add('b') or list(self._queue)[-1]", frame) == "'b'"
    client.ask("next", threadId=thread)
    reason, thread, after = client.wait_until_stopped()
    assert (reason, after["line"]) == ("step", frame["line"] + 1)
    client.ask("continue", threadId=thread)
    assert client.wait_until_stopped() is None
    client.close()
    assert f"FAIL  MUST  {ONE_WORKER}  deterministic" in ends(process)


def test_a_race_goes_wrong_in_the_same_order_though_an_editor_steps_through_it(attach, stingy):
    client, process = attach("Racy", RACE)
    lines = []
    while stopped := client.wait_until_stopped():
        _, thread, frame = stopped
        lines.append(frame["line"])
        client.ask("next", threadId=thread)
    client.close()
    assert len(lines) > 4
    assert frame["name"] == "get"
    assert ends(process) == stingy("replay", "out.json").stdout


def test_a_breakpoint_of_the_editor_stops_after_the_wrong_step_has_begun(attach):
    begins, later = 14, 29
    client, process = attach("Racy", RACE, [begins, later])
    _, thread, frame = client.wait_until_stopped()
    assert frame["name"] == "get"
    client.ask("continue", threadId=thread)
    reason, thread, frame = client.wait_until_stopped()
    assert (reason, frame["line"]) == ("breakpoint", later)
    client.ask("continue", threadId=thread)
    assert client.wait_until_stopped() is None
    client.close()
    assert f"FAIL  MUST  {RACE}" in ends(process)


def test_the_replay_ends_if_the_editor_goes_away(attach):
    client, process = attach("Forgets", ONE_WORKER)
    client.wait_until_stopped()
    client.close()
    assert f"FAIL  MUST  {ONE_WORKER}  deterministic" in ends(process)


def test_a_port_in_use_is_an_error_that_says_what_to_do(stingy, queue):
    pytest.importorskip("debugpy", reason=NO_DEBUGPY)
    stingy("run", "theirs:Forgets", "--rule", ONE_WORKER, "--seed", "1", "--report", "json=out.json")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = stingy("replay", "out.json", "--debug-with", f"debugpy:{port}")
    assert done.returncode == 4
    assert f"cannot listen on port {port}" in done.stderr
    assert "write --debug-with debugpy:PORT for another" in done.stderr
