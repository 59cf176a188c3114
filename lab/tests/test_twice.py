"""The second look at a failure: what fails twice fails the run, what passes alone is told as FLAKY."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

FLAKY = """
from pathlib import Path

def test_fails_the_first_time():
    seen = Path(__file__).with_name("seen")
    first = not seen.exists()
    seen.touch()
    assert not first, "nobody was here before"
"""


@pytest.fixture
def twice(tmp_path):
    def twice(**files):
        for name, text in files.items():
            (tmp_path / f"{name}.py").write_text(text)
        (tmp_path / "pytest.ini").touch()
        return subprocess.run(
            [sys.executable, "-m", "lab.twice", "-q", "-n", "0"],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
        )

    return twice


def test_a_test_that_passes_alone_is_flaky_and_the_run_goes_on(twice):
    done = twice(test_it=FLAKY)
    assert done.returncode == 0
    told = done.stdout.partition("== FLAKY: ")[2]
    assert "test_fails_the_first_time" in told
    assert "nobody was here before" in told
    assert done.stdout.rstrip().endswith("== 0 failed twice, 1 FLAKY")


def test_a_test_that_fails_twice_fails_the_run(twice):
    done = twice(test_it=FLAKY + "def test_never_passes(): assert False\n")
    assert done.returncode == 1
    assert done.stdout.rstrip().endswith("== 1 failed twice, 1 FLAKY")


def test_many_failures_are_not_looked_at_again(twice):
    many = "import pytest\n@pytest.mark.parametrize('n', range(11))\ndef test_never_passes(n): assert False\n"
    done = twice(test_it=many)
    assert done.returncode == 1
    assert "once more" not in done.stdout


def test_what_cannot_be_collected_fails_the_run(twice):
    assert twice(test_it="import nothing_of_this_name\n").returncode == 2
