"""Rules are judged also on systems that lack features of Linux; the tests remove these features."""

import os
import subprocess
import sys
from pathlib import Path

import machine
import pytest
from hostile import write

from stingy.engine import frames
from stingy.transport.connection import split

WITHOUT = """
import os, signal, sys, time
import asyncio, concurrent.futures, logging, pathlib, random, subprocess, tempfile  # which need some of it to be imported

def take(module, *names):
    for name in names:
        if hasattr(module, name):
            delattr(module, name)

HIDDEN = ("/proc",)

def hidden(real):
    def looks(path, *args, **given):
        if isinstance(path, (str, os.PathLike)) and os.fspath(path).startswith(HIDDEN):
            raise FileNotFoundError(2, "No such file or directory", path)
        return real(path, *args, **given)
    return looks

os.stat, os.listdir = hidden(os.stat), hidden(os.listdir)
take(time, "pthread_getcpuclockid")
take(os, "waitid", "P_ALL", "P_PID", "WNOWAIT", "WEXITED")
"""
MACOS = WITHOUT  # before Python 3.13
WINDOWS = f"""{WITHOUT}
take(time, "clock_gettime", "clock_getres", "CLOCK_MONOTONIC")
take(os, *"fork forkpty killpg setsid register_at_fork sysconf getuid chown wait set_blocking".split())
subprocess.Popen.kill = lambda process, kill=signal.SIGKILL: os.kill(process.pid, kill)  # there it needs no signal
take(signal, "SIGKILL", "SIGHUP", "SIGALRM", "setitimer", "alarm")
for name in ("resource", "fcntl", "termios", "pwd", "grp", "_posixshmem"):
    sys.modules[name] = None
"""
RUN = """
sys.argv[0] = "stingy"
from stingy.cli import main
main()
"""
BARE = f"""{WITHOUT}
HIDDEN = ("/proc", "/dev/fd")
"""
"""A chroot, or the sandbox of a build, where neither is mounted."""
NO_PROCESS = f"""{WITHOUT}
def refuse(*_):
    raise BlockingIOError(11, "Resource temporarily unavailable")

os.fork = refuse
"""
NO_THREAD = f"""{WITHOUT}
import _thread, threading
def refuse(*_):
    raise RuntimeError("can't start new thread")

_thread.start_new_thread = threading._start_new_thread = refuse
_thread.start_joinable_thread = threading._start_joinable_thread = refuse
"""
SYSTEMS = {"macOS": MACOS, "Windows": WINDOWS, "bare": BARE, "no process": NO_PROCESS, "no thread": NO_THREAD}
each_system = pytest.mark.parametrize("system", ["macOS", "Windows", "bare"])


def stingy(system, where, *words):
    command = [sys.executable, "-c", SYSTEMS[system] + RUN, *words]
    return subprocess.run(command, cwd=where, capture_output=True, text=True, timeout=machine.patience(20))


FEW = [word for rule in ("stingy/*", "cancellation/*") for word in ("--rule", rule)]


@each_system
def test_the_reference_is_judged(system, tmp_path):
    done = stingy(system, tmp_path, "run", "stingy_reference", *FEW, "--seed", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "nothing broken among" in done.stdout
    assert ("this system cannot fork" in done.stderr) == (system == "Windows")


@pytest.mark.parametrize(
    ("system", "says"),
    [
        ("no process", "the machine allows no more processes: raise ulimit -u"),
        ("no thread", "the machine starts no more threads"),
    ],
)
def test_nothing_is_blamed_if_the_machine_gives_no_process_or_thread(system, says, tmp_path):
    done = stingy(system, tmp_path, "run", "stingy_reference", *FEW)
    assert (done.returncode, done.stdout) == (4, "")
    assert says in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(sys.platform == "darwin", reason="macOS has no such names")
def test_a_candidate_is_judged_in_a_folder_whose_name_is_no_text(tmp_path):
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/x\xff"))
    folder.mkdir()
    (folder / "mine.py").write_text("from stingy_broken.races import TakesBeforeItMarks as Queue\n")
    reports = ("--report", "json=out.json", "--report", "html=out.html")
    words = ("run", "mine:Queue", *FEW, "--seed", "1", *reports)
    done = subprocess.run(
        [sys.executable, "-m", "stingy", *words],
        cwd=folder,
        capture_output=True,
        timeout=machine.patience(20),
    )
    assert done.returncode == 1, done.stderr
    assert (folder / "out.json").exists()
    assert (folder / "out.html").exists()


@each_system
def test_a_race_is_found_and_broken_again(system, tmp_path):
    race = "interleavings/work-is-done-in-every-order"
    words = ("--seed", "1", "--fail-fast", "--rule", race, "--report", "json=out.json")
    done = stingy(system, tmp_path, "run", "stingy_broken.races:TakesBeforeItMarks", *words)
    assert done.returncode == 1, done.stdout + done.stderr
    assert stingy(system, tmp_path, "replay", "out.json").returncode == 1


@each_system
def test_a_driver_is_judged_and_ended(system, tmp_path):
    served = Path(__file__).parent / "drivers" / "served.py"
    target = f"cmd:{sys.executable} {served} stingy_reference"
    done = stingy(
        system, tmp_path, "run", target, "--start", "60", "--rule", "stingy/*", "--report", "html=out.html"
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "cannot fork" not in done.stderr


@each_system
def test_doctor_and_init_work(system, tmp_path):
    done = stingy(system, tmp_path, "doctor", "stingy_reference:WorkQueue")
    assert done.returncode == 0, done.stdout + done.stderr
    assert stingy(system, tmp_path, "init", "mine").returncode == 0


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("ends_the_process", "ended the process (exit status 0)"),
        ("kills_itself", "was ended by SIGKILL"),
        ("leaves_a_child", ""),
    ],
)
def test_on_macos_a_candidate_may_come_to_any_end(name, says, tmp_path):
    write(tmp_path, name)
    rules = ("--rule", "shutdown/shutting-down-says-so", "--rule", "fair/first-come-first-served")
    done = stingy("macOS", tmp_path, "run", f"{name}:Queue", *rules)
    assert says in " ".join(done.stdout.split()), done.stdout + done.stderr
    assert "fault of stingy" not in done.stderr


def test_the_engine_knows_its_own_files_however_paths_are_written():
    assert Path(frames.__file__).is_relative_to(frames.ENGINE)
    assert Path(frames.ENGINE).name == "engine"


@pytest.mark.parametrize(
    ("command", "backslashes", "words"),
    [
        (r"bin\driver.exe --fast", True, [r"bin\driver.exe", "--fast"]),
        (r'"C:\My Queues\driver.exe" "a b" c', True, [r"C:\My Queues\driver.exe", "a b", "c"]),
        (r"node driver.mjs '#1'", True, ["node", "driver.mjs", "#1"]),
        (r"""a\ b 'c d' "e\"f" #g""", False, ["a b", "c d", 'e"f', "#g"]),
        (r"a\ b", os.sep == "\\", ["a\\", "b"] if os.sep == "\\" else ["a b"]),
    ],
)
def test_backslashes_stay_in_a_command_only_where_paths_have_them(command, backslashes, words):
    assert split(command, backslashes=backslashes) == words
