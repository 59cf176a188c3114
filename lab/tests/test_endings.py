"""Ends of a run that need a separate process: signals, modules that hide others, locales, drivers."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from machine import patience

from stingy.process.standing import PACKAGES

DRIVERS = Path(__file__).parent / "drivers"

SLOW = """
import time
from stingy_reference import WorkQueue
_sleep = time.sleep
class Slow(WorkQueue):
    def __init__(self):
        super().__init__()
        with open("made", "a") as made:
            made.write("1")
        _sleep(0.3)
"""


@pytest.mark.parametrize(
    "driver", ["PrintsWhatItDoes", "AnswersTwice", "TurnsItsClockBack", "ShowsATimeThatIsNone"]
)
def test_a_driver_that_cannot_be_trusted_is_not_told_to_keep_anything(stingy, driver):
    target = f"cmd:{sys.executable} {DRIVERS / 'ailing.py'} {driver}"
    done = stingy("run", target, "--rule", "handing_out/an-added-item-is-handed-out", "--seed", "1")
    assert done.returncode in (1, 2, 3), done.stdout + done.stderr
    assert "conforms" not in done.stdout
    assert "broken among" not in done.stdout


@pytest.fixture
def in_the_way(tmp_path):
    """Write a file for each module name of the standard library and of our dependencies, in this folder."""
    for name in (*sys.stdlib_module_names, *PACKAGES):
        (tmp_path / f"{name}.py").write_text("raise RuntimeError('mine')\n")
    (tmp_path / "mine.py").write_text("from stingy_reference import WorkQueue\n")


EACH_KIND = ("--rule", "fair/*", "--rule", "once_more/no-add-is-lost", "--rule", "workers/two-producers-*")
"""Rules with a script, with drawn examples, and with races."""


@pytest.mark.parametrize(
    "words",
    [
        ("run", "mine", *EACH_KIND),
        ("run", "mine", *EACH_KIND, "-n", "2"),
        ("run", "mine", *EACH_KIND, "--no-isolate", "--report", "html=out.html", "--report", "terminal"),
        ("doctor", "mine"),
        ("explain", "fair/first-come-first-served"),
    ],
    ids=["isolated", "several processes", "in this process", "doctor", "explain"],
)
@pytest.mark.usefixtures("in_the_way")
def test_the_command_imports_nothing_of_its_own_from_where_the_user_stands(tmp_path, words):
    command = Path(sys.executable).parent / "stingy"
    done = subprocess.run([command, *words], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "mine'" not in done.stderr


@pytest.mark.parametrize("name", ["queue", "asyncio", "msgspec"])
def test_the_module_imports_nothing_of_its_own_from_where_the_user_stands(stingy, tmp_path, name):
    (tmp_path / f"{name}.py").write_text("raise RuntimeError('mine')\n")
    assert stingy("run", "--rule", "fair/*", "-n", "2").returncode == 0


def test_output_that_cannot_be_written_as_it_is_is_written_as_can_be(stingy):
    plain = os.environ | {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    words = ("run", "stingy_broken.queues:DropsWhatIsHeld", "--rule", "once_more/added-while*", "--seed", "1")
    done = stingy(*words, env=plain, encoding="ascii")
    assert done.returncode == 1
    assert "does not conform" in done.stdout
    json.loads(stingy(*words, "--report", "json", env=plain, encoding="utf-8").stdout)


def test_rows_whose_names_the_locale_cannot_write_are_judged_like_others(stingy):
    """pytest puts the name of the current test into the environment."""
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


COMMANDS = (("stingy", "stingy"), ("kata", "stingy_kata"))


def shell(folder, line):
    """Run a line in a shell; return its result.

    ``stingy`` and ``kata`` are the commands.
    """
    commands = (f'{name}() {{ {sys.executable} -m {module} "$@"; }}' for name, module in COMMANDS)
    line = "\n".join((*commands, line))
    return subprocess.run(
        ["bash", "-c", line], cwd=folder, capture_output=True, text=True, timeout=patience(10)
    )


FAIR = "stingy run --reference --rule 'fair/*'"
FULL = "the output cannot be written: No space left"


@pytest.mark.parametrize(
    ("line", "status", "says"),
    [
        (f"{FAIR} | true; exit ${{PIPESTATUS[0]}}", 141, ""),
        ("stingy rules | true; exit ${PIPESTATUS[0]}", 141, ""),
        ("stingy run --help | true; exit ${PIPESTATUS[0]}", 141, ""),
        (f"{FAIR} > /dev/full", 4, FULL),
        ("stingy rules > /dev/full", 4, FULL),
        (f"{FAIR} > /dev/full 2>&1", 4, ""),
        (f"{FAIR} >&-", 4, "the output cannot be written: Bad file descriptor"),
        (f"{FAIR} -q --report json=out.json >&-", 0, ""),
        (f"{FAIR} --report json=out.json 2>&-", 0, ""),
        ("stingy run stingy_broken.queues:LastInFirstOut --rule 'fair/*' > /dev/full 2>&1", 4, ""),
    ],
)
def test_an_output_that_cannot_be_written_says_nothing_of_a_candidate(tmp_path, line, status, says):
    done = shell(tmp_path, line)
    assert done.returncode == status, done.stderr
    assert says in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("PYTHONOPTIMIZE=1 stingy run --reference", "run stingy without them"),
        ("PYTHONOPTIMIZE=2 stingy rules", "run stingy without them"),
        ("kata init . > /dev/null; PYTHONOPTIMIZE=1 kata check", "run stingy without them"),
        ("mkdir gone && cd gone && rmdir ../gone && stingy run", "the current folder has been deleted"),
        ("mkdir gone && cd gone && rmdir ../gone && stingy run --reference", "go to one that exists"),
        ("mkdir gone && cd gone && rmdir ../gone && kata list", "go to one that exists"),
    ],
)
def test_a_mistake_of_the_user_is_no_fault_of_the_suite(tmp_path, line, says):
    done = shell(tmp_path, line)
    assert (done.returncode, done.stdout) == (4, "")
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_a_json_report_is_complete_though_the_output_cannot_be_written(tmp_path):
    line = f"{FAIR} --report terminal --report json=out.json > /dev/full"
    assert shell(tmp_path, line).returncode == 4
    assert json.loads((tmp_path / "out.json").read_text())["status"] == "complete"


DEBUGGED = """
from stingy_reference import WorkQueue

class Debugged(WorkQueue):
    def add(self, item):
        print("it adds", item)
        breakpoint()
        super().add(item)
"""


@pytest.mark.parametrize("option", ["-s", "--no-isolate"])
def test_print_and_breakpoint_work_in_a_candidate_in_this_process(stingy, tmp_path, option):
    (tmp_path / "debugged.py").write_text(DEBUGGED)
    words = ("run", "debugged:Debugged", "--rule", "handing_out/an-added-item-is-handed-out", option)
    done = stingy(*words, input="p 'it is', item\n" + 9 * "c\n")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "it adds a" in done.stdout
    assert "(Pdb) ('it is', 'a')" in done.stdout


def test_a_run_ends_when_its_time_is_over_with_the_report_of_what_was_found(stingy, tmp_path):
    (tmp_path / "slow.py").write_text(SLOW)
    done = stingy(
        "run", "slow:Slow", "--time", str(patience(1)), "--report", "json=out.json", "--report", "terminal"
    )
    assert done.returncode == 2, done.stderr
    report = json.loads((tmp_path / "out.json").read_text())
    assert report["status"] == "out of time"
    assert report["unjudged"]
    assert "--time ended the run" in " ".join(done.stdout.split())


ENDS = """
import atexit, builtins, os, subprocess, sys
from stingy_reference import WorkQueue

class Ends(WorkQueue):
    def get(self):
        os._exit(0)

class EndsAtExit(WorkQueue):
    def get(self):
        atexit.register(os._exit, 0)
        return super().get()[0], True

class HasNoStreams(WorkQueue):
    def get(self):
        sys.stdout = sys.stderr = None
        return super().get()

class StartsAnother(WorkQueue):
    def __init__(self):
        super().__init__()
        print("it is", subprocess.Popen(["sleep", "31607"]).pid)

class Spins(WorkQueue):
    def __init__(self):
        while True:
            pass

class TakesLenAway(WorkQueue):
    def shutting_down(self):
        builtins.len = None
        return super().shutting_down()
"""
ADDED = "handing_out/an-added-item-is-handed-out"
BY_OTHERS = (
    "-m",
    "pytest",
    "-q",
    "--pyargs",
    "stingy",
    "--stingy-candidate",
    "ends:Ends",
    "--stingy-rule",
    ADDED,
)


@pytest.fixture
def ends(tmp_path):
    (tmp_path / "ends.py").write_text(ENDS)
    return tmp_path


def test_a_candidate_that_ends_the_process_of_the_run_is_no_conforming_one(stingy, ends):
    done = stingy("run", "ends:Ends", "-s", "--rule", ADDED)
    assert (done.returncode, done.stdout) == (3, "")
    assert "Error: the candidate ended the process of the run" in done.stderr


def test_a_candidate_that_ends_the_process_of_pytest_is_no_conforming_one(ends):
    done = subprocess.run(
        [sys.executable, *BY_OTHERS], cwd=ends, capture_output=True, text=True, timeout=patience(15)
    )
    assert done.returncode == 3, done.stdout
    assert "Error: the candidate ended the process of the run" in done.stderr


def test_a_candidate_cannot_change_the_status_as_the_process_of_the_run_ends(stingy, ends):
    done = stingy("run", "ends:EndsAtExit", "-s", "--rule", ADDED)
    assert (done.returncode, "does not conform" in done.stdout) == (1, True)


def test_the_report_is_printed_though_the_candidate_replaced_the_output(stingy, ends):
    done = stingy("run", "ends:HasNoStreams", "-s", "--rule", ADDED)
    assert (done.returncode, "1 kept" in done.stdout) == (0, True), done.stderr


@pytest.mark.parametrize("words", [("-s",), ()], ids=["in this process", "isolated"])
def test_a_candidate_that_takes_a_builtin_away_is_told_so_in_one_sentence(stingy, ends, words):
    done = stingy("run", "ends:TakesLenAway", *words, "--rule", "shutdown/shutting-down-says-so")
    assert (done.returncode, "Traceback" in done.stdout + done.stderr) == (3, False)
    assert "because  the candidate replaced builtins.len\n" in done.stdout


@pytest.mark.parametrize(
    ("name", "status", "says"),
    [
        ("Ends", 3, "the candidate ended the process (exit status 0)"),
        ("Spins", 3, "has not finished within 1 s: --patience S lifts that limit"),
        ("StartsAnother", 0, "it starts another process"),
    ],
)
def test_the_doctor_examines_a_candidate_in_a_process_of_its_own(stingy, ends, name, status, says):
    done = stingy("doctor", f"ends:{name}", "--patience", "1" if name == "Spins" else "20")
    assert done.returncode == status, done.stdout + done.stderr
    assert says in " ".join(done.stdout.split())


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="no /proc")
def test_the_doctor_leaves_no_process_behind(stingy, ends):
    stingy("doctor", "ends:StartsAnother", "--patience", "20")
    commands = [file.read_bytes() for file in Path("/proc").glob("[0-9]*/cmdline") if file.exists()]
    assert b"sleep\x0031607\x00" not in commands
