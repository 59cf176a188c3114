"""A waiting run says on stderr what it waits for: by the real clock, for a driver or a candidate."""

import shlex
import sys

import pytest
from hostile import write

from stingy.judging.isolation import CANNOT_FORK

RUN_CPU_S = 14
"""CPU-seconds for two starts of Python, and for a candidate that spins until its limit.

The limit is 10 s, twice the time after which the first line appears.
"""


def test_a_driver_that_does_not_say_hello_is_given_up_in_a_sentence_that_says_how_to_wait_longer(stingy):
    silent = f"cmd:{shlex.join([sys.executable, '-c', 'import signal; signal.pause()'])}"
    done = stingy("run", silent, "--start", "10", cpu_s=RUN_CPU_S)
    assert done.returncode == 3
    first, *_, last = done.stderr.splitlines()
    assert first.startswith(f"still waiting for {silent} to say hello, ")
    assert first.endswith(" s so far; --start 10 ends it")
    assert last.endswith("within 10 s: --start S lifts that limit")


@pytest.mark.skipif(bool(CANNOT_FORK), reason=CANNOT_FORK)
def test_a_rule_that_takes_long_is_named(stingy, tmp_path):
    rule = "shutdown/shutting-down-says-so"
    write(tmp_path, "keeps_python_to_itself")
    words = ("keeps_python_to_itself:Queue", "--rule", rule, "--limit", "10", "--seed", "1")
    done = stingy("run", *words, cpu_s=RUN_CPU_S)
    assert done.returncode == 2
    assert f"still judging {rule}, " in done.stderr
    assert " s so far; --limit 10 ends it" in done.stderr
