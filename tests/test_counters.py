"""What judging takes, in counts that a busy machine does not change, is no tenth more than is recorded."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import cards
from proven import JUDGE

ROOT = Path(__file__).parent.parent
sys.path.append(str(ROOT / "benchmarks"))

import counters  # noqa: E402


def count(*words):
    done = subprocess.run(
        [sys.executable, str(ROOT / "benchmarks" / "counters.py"), *words], capture_output=True, text=True
    )
    return done.returncode, done.stdout + done.stderr


def test_what_takes_a_tenth_more_is_named():
    known = {"sessions": 100, "turns": 100}
    assert counters.too_much(known, {"sessions": 109, "turns": 111}) == ["turns"]
    assert counters.too_much(known, {"sessions": 1, "turns": 1, "requests": 1}) == ["requests"]


@pytest.mark.thorough
@pytest.mark.skipif(
    sys.version_info[:2] != (3, 11), reason="other Pythons have other bytecode, and other points"
)
@pytest.mark.depends_on(JUDGE, "reference/stingy_reference", "benchmarks/counters.*")
def test_the_reference_takes_what_is_recorded():
    code, said = count()
    assert code == 0, said


@pytest.mark.thorough
@pytest.mark.skipif(shutil.which("go") is None, reason="needs Go")
@pytest.mark.depends_on(JUDGE, "candidates/client-go", *cards.SHARED, "benchmarks/counters.*")
def test_client_go_takes_what_is_recorded(tmp_path):
    words = cards.build("client-go", tmp_path / "driver")
    built = subprocess.run(words, cwd=cards.CANDIDATES / "client-go", capture_output=True, text=True)
    if built.returncode and "requires go" in built.stderr:
        pytest.skip(built.stderr.strip().splitlines()[-1])
    assert built.returncode == 0, built.stderr
    code, said = count(f"cmd:{tmp_path / 'driver'}", "--as", "client-go")
    assert code == 0, said
