"""Parts of the workshop that need processes: separate grading, the terminal, and response times."""

import os
import re
import signal
import statistics
import subprocess
import sys
import threading
import time

import machine
import pytest

from stingy_kata import apart
from stingy_kata.apart import Grader
from stingy_kata.exercise import exercises, find_exercise
from stingy_kata.feedback import feedback
from stingy_kata.grading import grade
from stingy_kata.screen import plain
from stingy_kata.script import build, read
from stingy_kata.workshop import make

READD = find_exercise("readd")


def replaced(source, old, new):
    assert old in source
    return source.replace(old, new)


COUNTS = """
import builtins

def comes_back(queue):
    seen = builtins.__dict__.setdefault("seen_by_a_cheat", [])
    seen.append(queue)
    queue.add("a")
    queue.get()
    assert {condition}
"""


@pytest.mark.parametrize("condition", ["len(seen) <= 3", "len(seen) > 3", "len(seen) % 2"])
def test_a_rule_that_counts_the_candidates_catches_nobody(tmp_path, condition):
    """Each candidate is judged in a separate process."""
    attempt = build(tmp_path / "counts.py", COUNTS.format(condition=condition))
    assert not grade(find_exercise("catch_lost"), attempt).kept


def test_a_rule_that_ends_its_process_is_told_so(tmp_path):
    ends = build(tmp_path / "ends.py", "import os\n\ndef comes_back(queue):\n    os._exit(0)\n")
    assert "it ends the process" in grade(find_exercise("catch_lost"), ends).unreadable


def test_apart_the_same_is_found_as_here():
    """The texts are the same, too: both processes report the actual value beside the expected one."""
    fifo = find_exercise("fifo")
    with Grader() as grader:
        assert grader.grade(fifo, fifo.start) == grade(fifo, fifo.start)


def test_what_is_kept_is_told_before_the_grading_is_over():
    """The rules of the exercise come long before the others that a right attempt is judged by."""
    told = []
    with Grader() as grader:
        found = grader.grade(READD, READD.solution, told.append)
    assert found.kept
    assert found.whole
    assert not any(it.whole for it in told)
    assert {verdict.rule for verdict in told[-1].verdicts} == set(READD.card.rules)
    assert set(told[-1].verdicts) <= set(found.verdicts)


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("while True: pass\n", "it does not come to an end"),
        ("import os; os._exit(0)\n", "it ends the process"),
        ("import sys; sys.exit()\n", "importing it raises SystemExit"),
        ("import builtins; builtins.len = None\n", "while being imported, it replaced builtins.len"),
    ],
    ids=["loop", "_exit", "exit", "builtin"],
)
def test_nothing_that_an_attempt_does_takes_others_along(tmp_path, monkeypatch, source, says):
    limit = 3.0 if "while" in source else machine.patience(5)
    monkeypatch.setattr(apart, "LIMIT", limit)
    monkeypatch.setattr(apart, "LIMIT_BY_THE_CLOCK", limit)
    file = tmp_path / "readd.py"
    file.write_text(source)
    with Grader() as grader:
        assert says in grader.grade(READD, read(file)).unreadable


def test_a_loop_that_spins_is_undecided_and_found_where_it_stands(tmp_path):
    file = tmp_path / "readd.py"
    spins = replaced(READD.solution.text, "self._changed.wait()", "pass")
    file.write_text(spins)
    with Grader() as grader:
        found = grader.grade(READD, read(file))
    assert found.exit.name == "INCONCLUSIVE"
    line = int(re.search(r"readd\.py:(\d+)", found.first_broken.because)[1])
    assert spins.splitlines()[line - 1].strip() in ("while not self._queue:", "pass")


@pytest.mark.skipif(not apart.CAN_BE_SEEN, reason="nobody can see here what a machine owes a process")
def test_a_process_that_is_kept_from_running_is_no_loop(monkeypatch):
    """Stopped for three times the limit, the process still answers."""
    monkeypatch.setattr(apart, "LIMIT", 0.5)
    with Grader() as grader:
        process = grader._ready.popen
        monkeypatch.setattr(apart.Spending, "add", lambda *_: 0.0)
        os.kill(process.pid, signal.SIGSTOP)
        threading.Timer(1.5, os.kill, (process.pid, signal.SIGCONT)).start()
        assert grader.grade(READD, READD.start).broken


def test_what_an_attempt_prints_is_shown_to_the_learner(tmp_path):
    file = tmp_path / "readd.py"
    file.write_text(READD.solution.text + "\nprint('here I am')\n")
    with Grader() as grader:
        found = grader.grade(READD, read(file))
    assert found.kept
    assert found.printed == "here I am"
    assert "here I am" in plain(feedback(found, read(file), "readd.py"))


@pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal on Windows")
def test_on_a_terminal_a_key_is_enough_and_the_screen_has_colours(tmp_path):
    import pty

    make(tmp_path)
    main_end, other_end = pty.openpty()
    environment = os.environ | {"TERM": "xterm-256color", "PYTHONUTF8": "1"}
    environment.pop("NO_COLOR", None)
    words = (sys.executable, "-m", "stingy_kata")
    shown = bytearray()
    with subprocess.Popen(
        words, cwd=tmp_path, stdin=other_end, stdout=other_end, stderr=other_end, env=environment
    ) as process:
        os.close(other_end)
        threading.Thread(target=_drain, args=(main_end, shown), daemon=True).start()
        assert _comes(shown, b"q quit"), bytes(shown)
        os.write(main_end, b"h")
        assert _comes(shown, b"hint 1 of 4"), bytes(shown)
        os.write(main_end, b"q")
        assert process.wait(machine.patience(5)) == 0
    assert b"\x1b[1;31m" in shown


def _drain(end, shown):
    try:
        while more := os.read(end, 4096):
            shown.extend(more)
    except OSError:
        pass  # the other end is closed


def _comes(shown, text):
    return machine.wait_for(lambda: text in re.sub(rb"\x1b\[[0-9;]*m", b"", bytes(shown)), 5)


def test_an_edit_is_graded_in_under_a_second():
    """The median processor time, in seconds of the machine on which the limit was set.

    The grader is ready by then.
    """
    took = []
    for exercise in exercises():
        since = time.process_time()
        grade(exercise, exercise.start)
        took.append(time.process_time() - since)
    assert statistics.median(took) < machine.unit()
