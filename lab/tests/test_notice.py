"""A run that waits says what for, on whatever stderr is, and is not held up by saying so."""

import os
import re
import shlex
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from stingy.cli import notice
from stingy.cli.notice import Notice
from stingy.isolation import CANNOT_FORK

HOSTILE = Path(__file__).parent / "hostile"


@pytest.fixture
def told(monkeypatch, capfd):
    """What has been told, once so many lines of it are there; five seconds take a twentieth of one."""
    monkeypatch.setattr(notice, "PATIENCE", 0.05)
    monkeypatch.setattr(notice, "GLANCE", 0.01)
    heard = ""

    def told(lines):
        nonlocal heard
        late = time.monotonic() + 20
        while heard.count("\n") < lines and time.monotonic() < late:
            heard += capfd.readouterr().err
            time.sleep(0.01)
        return heard.splitlines()

    return told


def test_nothing_is_told_of_what_goes_on(capfd):
    with Notice("importing x:Y", "--start 10") as waits:
        for rule in range(20):
            waits.of(f"judging {rule}")
            time.sleep(0.01)
    assert capfd.readouterr().err == ""


def test_what_is_waited_for_is_told_with_the_option_that_ends_it(told):
    with Notice("importing x:Y", "--start 10") as waits:
        assert told(1)[0] == "still importing x:Y, 0 s so far; --start 10 ends it"
        waits.of("judging delays/of-many-delayed-items-none-is-lost")
        time.sleep(0.3)
        last = told(2)[-1]
    assert re.fullmatch(r"still judging delays/of-many-delayed-items-none-is-lost, \d s so far", last)


def test_it_is_told_ever_more_seldom(told):
    began = time.monotonic()
    with Notice("waiting"):
        told(4)
        assert time.monotonic() - began >= 0.05 * 2**3
    assert not [thread for thread in threading.enumerate() if thread.name == "notice"]


def test_it_is_told_while_pytest_takes_what_is_written_for_output_of_a_test(told):
    """By the file that was stderr when the run began."""
    before = os.dup(2)
    with Notice("judging"):
        with Path(os.devnull).open("wb") as nowhere:
            os.dup2(nowhere.fileno(), 2)
            time.sleep(0.2)
        os.dup2(before, 2)
        assert told(1)
    os.close(before)


def run(*words):
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(HOSTILE), *filter(None, sys.path)])}
    return subprocess.run(
        [sys.executable, "-m", "stingy", "run", *words],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )


def test_a_driver_that_does_not_say_hello_is_given_up_in_a_sentence_that_says_how_to_wait_longer():
    silent = f"cmd:{shlex.join([sys.executable, '-c', 'import time; time.sleep(600)'])}"
    done = run(silent, "--start", "6")
    assert done.returncode == 3
    first, *_, last = done.stderr.splitlines()
    assert first.startswith(f"still waiting for {silent} to say hello, ")
    assert first.endswith(" s so far; --start 6 ends it")
    assert last.endswith("within 6 s: --start S lifts that limit")


@pytest.mark.skipif(bool(CANNOT_FORK), reason=CANNOT_FORK)
def test_a_candidate_that_hangs_as_it_is_imported_is_told_of_by_default():
    done = run("never_gets_imported:Queue")
    assert done.returncode == 3
    first, *_, last = done.stderr.splitlines()
    assert first.startswith("still importing never_gets_imported:Queue, ")
    assert last == (
        "Error: never_gets_imported:Queue cannot be imported: "
        "the candidate has not been imported within 10 s: --start S lifts that limit"
    )


@pytest.mark.skipif(bool(CANNOT_FORK), reason=CANNOT_FORK)
@pytest.mark.parametrize(
    "workers", [(), ("-n", "2")], ids=["alone", "shared"]
)
def test_a_rule_that_takes_long_is_told_of(workers):
    rule = "shutdown/shutting-down-says-so"
    done = run("keeps_python_to_itself:Queue", "--rule", rule, "--limit", "6", "--seed", "1", *workers)
    assert done.returncode == 2
    assert f"still judging{', none done' if workers else ' ' + rule}, " in done.stderr
    assert " s so far; --limit 6 ends it" in done.stderr
