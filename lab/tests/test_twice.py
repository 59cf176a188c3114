"""``python -m lab.twice``, which runs the gate's tests.

A test that fails twice fails the run; a test that passes the second time is FLAKY.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

FLAKY = """
from pathlib import Path

def test_fails_the_first_time():
    seen = Path(__file__).with_name("seen")
    first = not seen.exists()
    seen.touch()
    assert not first, "nobody was here before"
"""
FAILS = "def test_never_passes(): assert False\n"


@pytest.mark.parametrize(
    ("text", "status", "says"),
    [
        (FLAKY, 0, ["test_fails_the_first_time", "nobody was here before", "== 0 failed twice, 1 FLAKY"]),
        (FLAKY + FAILS, 1, ["== 1 failed twice, 1 FLAKY"]),
        ("import nothing_of_this_name\n", 2, []),
    ],
    ids=["flaky", "fails", "cannot be collected"],
)
def test_a_flaky_test_is_named_and_a_failing_one_fails_the_run(tmp_path, text, status, says):
    (tmp_path / "test_it.py").write_text(text)
    (tmp_path / "pytest.ini").touch()
    done = subprocess.run(
        [sys.executable, "-m", "lab.twice", "-q", "-n", "0"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
    )
    assert done.returncode == status
    assert all(it in done.stdout for it in says), done.stdout
