"""How a run ends where that takes a process of its own: signals, modules that stand in the way, locales, drivers."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from machine import patience, wait_for

DRIVERS = Path(__file__).parent / "drivers"

SLOW = """
import time
from stingy_reference import WorkQueue
_sleep = time.sleep
class Slow(WorkQueue):
    def __init__(self):
        super().__init__()
        open("begun", "w").close()
        _sleep(0.3)
"""


@pytest.fixture
def stingy(tmp_path):
    def stingy(*words, **given):
        given = {"cwd": tmp_path, "capture_output": True, "text": True, "timeout": patience(10)} | given
        return subprocess.run([sys.executable, "-m", "stingy", *words], **given)

    return stingy


@pytest.mark.parametrize(
    "driver", ["prints_at_add", "answers_twice", "turns_its_clock_back", "shows_a_time_that_is_none"]
)
def test_a_driver_that_cannot_be_trusted_is_not_told_to_keep_anything(stingy, driver):
    target = f"cmd:{sys.executable} {DRIVERS / 'misbehaving.py'} {driver}"
    done = stingy("run", target, "--rule", "shutdown/shutting-down-says-so", "--seed", "1")
    assert done.returncode in (1, 2, 3), done.stdout + done.stderr
    assert "conforms" not in done.stdout
    assert "broken among" not in done.stdout


def test_an_interrupted_run_says_so_and_nothing_of_conforming(tmp_path):
    (tmp_path / "s.py").write_text(SLOW)
    words = ["run", "s:Slow", "--seed", "1", "--report", "json=out.json", "--report", "terminal"]
    run = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTIBLE, *words],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert wait_for(lambda: run.poll() is not None or (tmp_path / "begun").exists(), 5)
    run.send_signal(signal.SIGINT)
    told, _ = run.communicate(timeout=patience(5))
    assert run.returncode == 130
    assert "conform" not in told
    assert "the run was interrupted" in told
    report = json.loads((tmp_path / "out.json").read_text())
    assert report["status"] == "interrupted"
    assert report["summary"]["exit"] == 130


INTERRUPTIBLE = (
    "import signal, sys\n"
    "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # whoever starts us in the background has it ignored
    "from stingy.cli import main\nmain(sys.argv[1:])"
)


def test_any_other_fault_of_ours_exits_with_5(stingy, tmp_path):
    """A module of the user's stands in the way of one that we need."""
    (tmp_path / "msgspec.py").write_text("raise RuntimeError('mine')\n")
    done = stingy("run", "--rule", "fair/*")
    assert done.returncode == 5
    assert "msgspec.py here stands in the way of the package of that name: rename it" in done.stderr


@pytest.mark.parametrize("rules", ["fair/*", "once_more/no-add-is-lost"], ids=["none draws", "one draws"])
def test_what_is_needed_later_is_not_taken_from_where_the_user_stands(stingy, tmp_path, rules):
    for name in ("hypothesis", "jinja2", "rich"):
        (tmp_path / f"{name}.py").write_text("raise RuntimeError('mine')\n")
    assert stingy("run", "--rule", rules, "--report", "terminal", "--report", "html=out.html").returncode == 0


def test_the_installed_command_takes_its_own_modules_though_others_stand_here(tmp_path):
    (tmp_path / "hypothesis.py").write_text("raise RuntimeError('mine')\n")
    command = Path(sys.executable).parent / "stingy"
    words = [command, "run", "--rule", "fair/*"]
    assert subprocess.run(words, cwd=tmp_path, capture_output=True, text=True).returncode == 0


def test_output_that_cannot_be_written_as_it_is_is_written_as_can_be(stingy):
    plain = os.environ | {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    words = ("run", "stingy_broken.queues:DropsWhatIsHeld", "--rule", "once_more/added-while*", "--seed", "1")
    done = stingy(*words, env=plain, encoding="ascii")
    assert done.returncode == 1
    assert "does not conform" in done.stdout
    json.loads(stingy(*words, "--report", "json", env=plain, encoding="utf-8").stdout)


def test_rows_whose_names_the_locale_cannot_write_are_judged_like_others(stingy):
    """pytest puts the name of what is under way into the environment."""
    plain = os.environ | {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    words = (
        "run",
        "--rule",
        "delays/without-a-delay-an-item-is-added-now",
        "--seed",
        "1",
        "--report",
        "json",
    )
    told = json.loads(stingy(*words, env=plain, encoding="utf-8").stdout)
    assert told["status"] == "complete"
    assert {row["case"] for row in told["results"] if row["rule"] == words[2]} >= {"0 s", "\u22121 h"}
