"""Ctrl-C at any moment leads to a sentence, an exit status and the results so far, without a traceback."""

import contextlib
import json
import os

import pytest
from moments import run

RULES = ("--rule", "fair/first-come-first-served", "--seed", "1")
RUN = ("run", "--reference", *RULES)
EACH = "import stingy.cli.session as session\nbefore(session.Progress, 'tell'{})\n"
JUDGED = "import stingy.cli.session as session\nbefore(session.Progress, 'clear')\n"
WRITTEN = "import stingy.reports.terminal as terminal\nbefore(terminal, 'write'{})\n"
TWICE = """
from stingy.process import interrupt as ear
def twice():
    interrupt()
    ear._clock = lambda: ear._ear.heard + 2 * ear.SAME
    interrupt()
"""


SOON = "import stingy.process.interrupt as ear\near.WRITING = 0.5\n"
AS_A_REPORT_IS_WRITTEN = "import stingy.reports.json as it\nbefore(it, 'write'{})\n"
TERMINATE = ", lambda: os.kill(os.getpid(), signal.SIGTERM)"


@pytest.fixture
def stuck(tmp_path):
    """Path of a pipe whose reader does not read, and which is almost full."""
    os.mkfifo(path := tmp_path / "stuck")
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    writer = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
    with contextlib.suppress(BlockingIOError):
        while os.write(writer, b"x" * 512):
            pass
    yield path
    os.close(writer)
    os.close(reader)


@pytest.fixture
def interrupted(tmp_path):
    def interrupted(lines, *words):
        done = run(tmp_path, 8, lines, *words)
        assert "Traceback" not in done.stderr
        return done

    return interrupted


@pytest.mark.parametrize(
    "when",
    [
        "AsImported('click')",
        "AsImported('stingy.cli.run')",
        "AsImported('stingy.cli.session')",
        "AsImported('stingy.cli.session', lambda: exec('interrupt()'))",
        "AsImported('stingy.cli.session', lambda: Finalised() and None)",
        "AsImported('stingy.judging.isolation.inside')",
        "import pytest\nbefore(pytest, 'main')",
    ],
)
def test_an_interrupt_before_the_first_rule_is_reported(interrupted, when):
    done = interrupted(when, *RUN)
    assert done.returncode == 130
    assert done.stderr.strip().startswith("interrupted")


@pytest.mark.parametrize("raised", ["", ", lambda: Finalised() and None", ", lambda: exec('interrupt()')"])
def test_verdicts_until_an_interrupt_are_reported(interrupted, raised):
    """This also holds if the exception is lost, or would end the interpreter."""
    done = interrupted(EACH.format(raised), *RUN, "--report", "json")
    told = json.loads(done.stdout)
    assert (done.returncode, told["status"], told["summary"]["exit"]) == (130, "interrupted", 130)
    assert len(told["results"]) == 1
    assert done.stderr == f"interrupted: {len(told['unjudged'])} more have not been judged\n"


@pytest.mark.parametrize(
    "when",
    [
        JUDGED,
        WRITTEN.format(""),
        "atexit.register(interrupt)",
        "import threading\nbefore(threading, '_shutdown')",
        "kept = Finalised()",
    ],
)
def test_an_interrupt_after_the_last_rule_changes_nothing(interrupted, when):
    done = interrupted(when, *RUN)
    assert (done.returncode, done.stderr) == (0, "")
    assert "nothing broken among" in done.stdout.splitlines()[0]


def test_a_second_ctrl_c_ends_it_at_once(interrupted):
    done = interrupted(TWICE + WRITTEN.format(", twice"), *RUN)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")


def test_two_signals_at_once_count_as_one(interrupted):
    stopped = "from stingy.process import interrupt as ear\near._clock = lambda: 0.0\n"
    done = interrupted(stopped + WRITTEN.format(", lambda: (interrupt(), interrupt())"), *RUN)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_process_that_has_just_been_forked_says_nothing_of_its_own(interrupted):
    done = interrupted("before(os, 'setsid')", *RUN)
    assert "interrupted" not in done.stderr
    assert "(exit status 130)" in done.stderr


def test_a_signal_that_the_shell_ignores_stays_ignored(interrupted):
    """A shell ignores SIGINT for a command in the background."""
    done = interrupted("signal.signal(signal.SIGINT, signal.SIG_IGN)\n" + EACH.format(""), *RUN)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("raised", ["", ", lambda: Finalised() and None"])
def test_a_watch_that_is_interrupted_claims_nothing(interrupted, raised):
    """It does not wait for a save any more."""
    when = f"import stingy.cli.watch as it\nbefore(it.Progress, 'tell'{raised})\nbefore(it.Watch, 'wait', lambda: os._exit(1))"
    done = interrupted(when, "watch", "stingy_reference:WorkQueue", *RULES)
    assert (done.returncode, done.stdout.strip(), done.stderr.strip()) == (130, "", "interrupted")


@pytest.mark.parametrize(
    ("when", "status"),
    [
        (EACH.format(""), 130),
        (AS_A_REPORT_IS_WRITTEN.format(""), 130),
        (AS_A_REPORT_IS_WRITTEN.format(TERMINATE), 143),
    ],
    ids=["a rule is judged", "the report is written", "SIGTERM"],
)
def test_a_signal_ends_a_report_whose_reader_does_not_read(interrupted, stuck, when, status):
    done = interrupted(SOON + when, *RUN, "--report", f"json={stuck}")
    assert done.returncode == status
    assert done.stderr == "interrupted: the reports could not be written within 10 s\n"


def test_a_signal_ends_a_command_whose_standard_error_is_not_read_either(tmp_path, stuck):
    done = run(
        tmp_path,
        8,
        SOON + AS_A_REPORT_IS_WRITTEN.format("") + f"os.dup2(os.open({str(stuck)!r}, os.O_WRONLY), 2)\n",
        *RUN,
        "--report",
        f"json={stuck}",
    )
    assert (done.returncode, done.stderr) == (130, "")
