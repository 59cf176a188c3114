"""A run that waits says on stderr what it waits for: with the real clock, a driver and a candidate that hold it up."""

import os
import shlex
import subprocess
import sys

import pytest
from hostile import write
from machine import patience

from stingy.isolation import CANNOT_FORK

RUN_CPU_S = 14
"""Start of Python twice, and what a candidate spins until its limit of 10 s, twice what the first line needs."""


def run(folder, *words):
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(folder), *filter(None, sys.path)])}
    return subprocess.run(
        [sys.executable, "-m", "stingy", "run", *words],
        env=environment,
        capture_output=True,
        text=True,
        timeout=patience(RUN_CPU_S),
    )


def test_a_driver_that_does_not_say_hello_is_given_up_in_a_sentence_that_says_how_to_wait_longer(tmp_path):
    silent = f"cmd:{shlex.join([sys.executable, '-c', 'import signal; signal.pause()'])}"
    done = run(tmp_path, silent, "--start", "10")
    assert done.returncode == 3
    first, *_, last = done.stderr.splitlines()
    assert first.startswith(f"still waiting for {silent} to say hello, ")
    assert first.endswith(" s so far; --start 10 ends it")
    assert last.endswith("within 10 s: --start S lifts that limit")


@pytest.mark.skipif(bool(CANNOT_FORK), reason=CANNOT_FORK)
def test_a_rule_that_takes_long_is_named(tmp_path):
    rule = "shutdown/shutting-down-says-so"
    done = run(
        write(tmp_path, "keeps_python_to_itself"),
        "keeps_python_to_itself:Queue",
        "--rule",
        rule,
        "--limit",
        "10",
        "--seed",
        "1",
    )
    assert done.returncode == 2
    assert f"still judging {rule}, " in done.stderr
    assert " s so far; --limit 10 ends it" in done.stderr
