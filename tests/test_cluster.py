"""``stingy run --cluster``: the workers of a Dask scheduler judge, and the report is that of one machine."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from stingy.guarantees import chosen
from stingy.verdict import spell

BROKEN = """
from beside import Held
class Broken(Held):
    "Another module that stands here says what is wrong with it."
"""
BESIDE = "from stingy_broken.queues import LetsItOutInCompany as Held"
ASKED = ("handing_out/*", "stingy/other-items-do-not-let-a-held-item-out")
SLOW = """
import time
from stingy_reference import WorkQueue
_sleep = time.sleep
class Slow(WorkQueue):
    def __init__(self):
        super().__init__()
        _sleep(0.2)
"""
NEITHER_LATE_NOR_NEVER = 120


def wait_until(it):
    late = time.monotonic() + NEITHER_LATE_NOR_NEVER
    while not (found := it()):
        assert time.monotonic() < late
        time.sleep(0.05)
    return found


def rules(*globs):
    return [word for glob in globs for word in ("--rule", glob)]


def ids(globs):
    return {
        spell(rule.id, row.name if row else "") for rule in chosen((), globs).values() for row in rule.cases
    }


class Cluster:
    """A scheduler and two workers, each a process of its own."""

    def __init__(self, folder):
        self.processes = []
        self._folder = folder
        (folder / "there").mkdir()
        told = folder / "scheduler.json"
        self._start("scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", told)
        wait_until(lambda: told.exists() and told.read_text().endswith("}"))
        self.address = json.loads(told.read_text())["address"]
        self.workers = [self.add_worker(), self.add_worker()]

    def add_worker(self):
        return self._start("worker", self.address, "--nthreads", "1", "--no-nanny")

    def _start(self, *words):
        process = subprocess.Popen(
            [sys.executable, "-m", "dask", *map(str, words), "--no-dashboard"],
            cwd=self._folder / "there",
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.processes.append(process)
        return process

    def judging(self, *workers):
        """The processes in which these, or all workers, do errands."""
        import psutil

        alive = [it for it in workers or self.workers if it.poll() is None]
        return [child for it in alive for child in psutil.Process(it.pid).children(recursive=True)]

    def end(self):
        for process in reversed(self.processes):
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    pytest.importorskip("distributed", reason="no Dask here: pip install -e '.[cluster]'")
    cluster = Cluster(tmp_path_factory.mktemp("cluster"))
    yield cluster
    cluster.end()


@pytest.fixture
def begin(tmp_path):
    (tmp_path / "broken.py").write_text(BROKEN)
    (tmp_path / "beside.py").write_text(BESIDE)
    (tmp_path / "slow.py").write_text(SLOW)

    def begin(*words, **given):
        given = {"cwd": tmp_path, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True} | given
        return subprocess.Popen([sys.executable, "-m", "stingy", "run", *words, "--seed", "1"], **given)

    return begin


@pytest.fixture
def stingy(begin):
    def stingy(*words, **given):
        process = begin(*words, **given)
        out, said = process.communicate(timeout=240)
        return subprocess.CompletedProcess(words, process.returncode, out, said)

    return stingy


def test_the_report_is_that_of_one_machine_though_a_worker_dies_in_the_midst(cluster, begin, stingy):
    words = ("broken:Broken", *rules(*ASKED), "--report", "json")
    running = begin(*words, "--cluster", cluster.address)
    dies, _ = cluster.workers
    left_behind = wait_until(lambda: cluster.judging(dies))
    dies.kill()
    shared, said = running.communicate(timeout=240)
    cluster.workers.append(cluster.add_worker())
    assert running.returncode == 1, said
    wait_until(lambda: not any(it.is_running() and it.status() != "zombie" for it in left_behind))

    assert shared == stingy(*words, "-n", "1").stdout
    told = [spell(row["rule"], row["case"]) for row in json.loads(shared)["results"]]
    assert len(told) == len(set(told))
    assert set(told) == ids(ASKED)


def test_ctrl_c_ends_what_the_workers_do_and_keeps_what_was_found(cluster, begin):
    words = ("slow:Slow", *rules("fair/*", "length/*"), "--report", "json")
    running = begin(*words, "--cluster", cluster.address)
    wait_until(cluster.judging)
    time.sleep(1)
    running.send_signal(signal.SIGINT)
    out, said = running.communicate(timeout=60)
    assert running.returncode == 130, said
    told = json.loads(out)
    assert told["status"] == "interrupted"
    assert told["unjudged"]
    wait_until(lambda: not cluster.judging())


def test_no_more_is_judged_once_a_rule_is_broken(cluster, stingy):
    words = ("broken:Broken", *rules("stingy/*", "shutdown/*"), "--fail-fast")
    done = stingy(*words, "--cluster", cluster.address, "--report", "json")
    told = json.loads(done.stdout)
    assert (done.returncode, told["status"]) == (1, "stopped")
    assert told["unjudged"]


def test_a_candidate_that_a_worker_does_not_have_is_told(cluster, stingy, tmp_path):
    installed = tmp_path / "elsewhere"
    installed.mkdir()
    (installed / "only_here.py").write_text(SLOW)
    elsewhere = os.environ | {"PYTHONPATH": str(installed)}
    done = stingy("only_here:Slow", *rules("fair/*"), "--cluster", cluster.address, env=elsewhere)
    assert done.returncode == 4
    assert done.stderr.splitlines()[-1].startswith("Error: the worker at tcp://127.0.0.1:")
    assert "cannot judge only_here:Slow: " in done.stderr


def test_an_address_at_which_nobody_is_is_told(stingy):
    pytest.importorskip("distributed", reason="no Dask here: pip install -e '.[cluster]'")
    done = stingy("--cluster", "tcp://127.0.0.1:1", *rules("fair/*"))
    assert done.returncode == 4
    assert "Error: there is no Dask scheduler at tcp://127.0.0.1:1 (" in done.stderr
    assert "Traceback" not in done.stderr


def test_what_is_to_be_installed_is_told(stingy, tmp_path):
    (tmp_path / "distributed.py").write_text("raise ImportError")
    done = stingy("--cluster", "tcp://127.0.0.1:1", *rules("fair/*"))
    assert done.returncode == 4
    assert "pip install 'stingy[cluster]'" in done.stderr


@pytest.mark.parametrize("words", [("-n", "2"), ("attach:localhost:4711",)])
def test_what_makes_no_sense_with_a_cluster_is_refused(stingy, words):
    done = stingy(*words, "--cluster", "tcp://127.0.0.1:1")
    assert done.returncode == 4
    assert "Traceback" not in done.stderr
