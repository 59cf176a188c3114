"""Run pytest, and run each failed test a second time, alone.

``python -m lab.twice [WORD]...`` takes the arguments of pytest. A test that fails twice fails the
run. A test that fails once and then passes alone is FLAKY: it is printed with its first failure,
and does not fail the run. Each FLAKY line is a bug, in stingy or in its tests.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

import pytest

MOST = 10
"""Limit of failed tests to run again. If more tests fail, none is run again: they are hardly all flaky."""


class Failures:
    """A pytest plugin that collects the failed tests, each with its first failure as text."""

    def __init__(self) -> None:
        self.first: dict[str, str] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.first.setdefault(report.nodeid, report.longreprtext)


def main(words: Sequence[str]) -> int:
    """Run pytest with these arguments, run each failed test again alone, and return the exit status.

    The status is 0 if all failed tests passed alone. More than ``MOST`` of them are not run again.
    """
    failures = Failures()
    ended = pytest.main([*words], plugins=[failures])
    if ended is not pytest.ExitCode.TESTS_FAILED or not 0 < len(failures.first) <= MOST:
        return int(ended)
    print("\n== running each failed test again, alone", flush=True)
    failed = [test for test in failures.first if _fails_alone(test)]
    flaky = [test for test in failures.first if test not in failed]
    for test in flaky:
        print(f"\n== FLAKY: {test}\n{failures.first[test]}")
    print(f"\n== {len(failed)} failed twice, {len(flaky)} FLAKY")
    return int(pytest.ExitCode.TESTS_FAILED if failed else pytest.ExitCode.OK)


def _fails_alone(test: str) -> bool:
    """Return True if the test fails in a process that runs nothing else."""
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-n", "0", test], check=False)
    return done.returncode != pytest.ExitCode.OK


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
