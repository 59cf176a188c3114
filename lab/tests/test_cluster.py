"""``stingy run --cluster``: workers of a Dask scheduler judge, and the report is that of one machine."""

import json
import os
import re
import signal
import subprocess
import sys
from functools import partial
from importlib.metadata import version

import moments
import msgspec
import pytest
from machine import patience, wait_for

from stingy.cli.errands import Asked, Done, Errand
from stingy.guarantees import chosen
from stingy.judging.verdict import Finding, spell
from stingy.reports import FORMATS
from stingy.request import Request
from stingy.transport.part import Part

pytestmark = pytest.mark.budget(60)  # all CPU time of the cluster counts for the test that ends it

RACE = "stingy/no-item-is-with-two-workers"

BROKEN = """
from beside import Held
class Broken(Held):
    "Another module that stands here says what is wrong with it."
"""
BESIDE = "from stingy_broken.queues import LetsItOutInCompany as Held"
ASKED = ("handing_out/*", "stingy/*")
"""Rules that include races: some of their orders are run, or all, or those up to a failing one."""
SLOW = """
import time
from stingy_reference import WorkQueue
_sleep = time.sleep
class Slow(WorkQueue):
    seconds = 0.2
    def __init__(self):
        super().__init__()
        _sleep(self.seconds)
class Slowest(WorkQueue):
    def __init__(self):
        super().__init__()
        sum(range(60_000_000))  # a second that is not virtual
"""
COMMAND_CPU_S = 20
"""CPU-seconds to wait for a command, including the work of the cluster."""
STEP_CPU_S = 10
"""CPU-seconds to wait for a process to start, to join or to end."""
NO_DASK = "no Dask here: pip install -e '.[cluster]'"
PATIENT = f"import stingy.cli.cluster as it\nit.PATIENCE = {patience(STEP_CPU_S)}\n"
"""A busy scheduler may not answer within ten seconds."""
TIMES = re.compile(
    r'(?:time|timestamp)="[^"]*"|"(?:start|stop|duration|seconds)": ?[\d.]+|[\d.]+ m?s\b|\d{4}-\d\d-\d\d[T ][\d:.+]+(?: UTC)?'
)


def rules(*globs):
    return [word for glob in globs for word in ("--rule", glob)]


def ids(globs):
    return {
        spell(rule.id, row.name if row else "") for rule in chosen((), globs).values() for row in rule.cases
    }


class Cluster:
    """A scheduler and two workers; each is a process."""

    def __init__(self, folder):
        self.processes = []
        self._folder = folder
        (folder / "there").mkdir()
        told = folder / "scheduler.json"
        self._start("scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", told)
        assert wait_for(lambda: told.exists() and told.read_text().endswith("}"), STEP_CPU_S)
        self.address = json.loads(told.read_text())["address"]
        self.workers = [self.add_worker(), self.add_worker()]

    def add_worker(self, **given):
        return self._start("worker", self.address, "--nthreads", "1", "--no-nanny", **given)

    def _start(self, *words, **given):
        process = subprocess.Popen(
            [sys.executable, "-m", "dask", *map(str, words), "--no-dashboard"],
            cwd=self._folder / "there",
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            **given,
        )
        self.processes.append(process)
        return process

    def wait_for(self, workers):
        """Wait until this many workers have joined."""
        from distributed import Client

        with Client(self.address, set_as_default=False) as client:
            client.wait_for_workers(workers, timeout=patience(STEP_CPU_S))

    def judging(self, *workers):
        """Return the processes in which these workers, or all, run tasks."""
        import psutil

        alive = [it for it in workers or self.workers if it.poll() is None]
        return [child for it in alive for child in psutil.Process(it.pid).children(recursive=True)]

    def end(self):
        for process in reversed(self.processes):
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    pytest.importorskip("distributed", reason=NO_DASK)
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
        command = moments.begin(tmp_path, PATIENT, "run", *words, "--seed", "1")
        return subprocess.Popen(command, **given)

    return begin


@pytest.fixture
def stingy(begin):
    def stingy(*words, **given):
        return finish(begin(*words, **given))

    return stingy


def finish(process):
    out, said = process.communicate(timeout=patience(COMMAND_CPU_S))
    return subprocess.CompletedProcess(process.args, process.returncode, out, said)


@pytest.fixture
def prepared(tmp_path):
    """Run a command after these lines, in the same process."""
    return partial(moments.run, tmp_path, COMMAND_CPU_S)


def test_the_reports_are_those_of_one_machine_though_a_worker_dies_in_the_midst(
    cluster, begin, stingy, tmp_path
):
    """Durations and times of day are not compared."""

    def write(folder):
        (tmp_path / folder).mkdir()
        return ["broken:Broken", *rules(*ASKED), *(f"--report={it}={folder}/{it}" for it in FORMATS)]

    def read(folder):
        return {it: TIMES.sub("", (tmp_path / folder / it).read_text()) for it in FORMATS}

    running = begin(*write("shared"), "--cluster", cluster.address)
    dies, _ = cluster.workers
    assert (left_behind := wait_for(lambda: cluster.judging(dies), STEP_CPU_S))
    dies.kill()
    done = finish(running)
    cluster.workers.append(cluster.add_worker())
    assert done.returncode == 1, done.stderr
    assert wait_for(
        lambda: not any(it.is_running() and it.status() != "zombie" for it in left_behind), STEP_CPU_S
    )

    stingy(*write("alone"), "-n", "1")
    shared = read("shared")
    assert shared == read("alone")
    results = json.loads((tmp_path / "shared" / "json").read_text())["results"]
    told = [spell(row["rule"], row["case"]) for row in results]
    assert len(told) == len(set(told))
    assert set(told) == ids(ASKED)
    assert {"sampled", "deterministic"} <= {row.get("evidence") for row in results}
    assert any(row["verdict"] == "FAIL" and row.get("order") for row in results)


def test_a_long_search_runs_more_orders_of_what_is_kept(cluster, prepared):
    """Two seconds of the ten minutes are left for the search."""
    left = PATIENT + "deal = it.deal_parts\nit.deal_parts = lambda *a: deal(*a[:2], 2.0, a[3])\n"
    words = ("run", *rules(RACE), "--seed", "1", "--budget", "600", "--cluster", cluster.address)
    done = prepared(left, *words, "--report", "json")
    assert done.returncode == 0, done.stderr
    (race,) = (row for row in json.loads(done.stdout)["results"] if row["rule"] == RACE)
    assert race["runs"] > 60, "which is all without it"


def test_ctrl_c_ends_what_the_workers_do_and_keeps_what_was_found(cluster, begin):
    """Without Ctrl-C the run would take minutes."""
    words = ("slow:Slowest", *rules("fair/*", "length/*", "once_more/*"), "--report", "json")
    assert wait_for(lambda: not cluster.judging(), STEP_CPU_S), "others still judge"
    running = begin(*words, "--cluster", cluster.address)
    assert wait_for(cluster.judging, STEP_CPU_S)
    running.send_signal(signal.SIGINT)
    done = finish(running)
    assert done.returncode == 130, done.stderr + done.stdout[:2000]
    told = json.loads(done.stdout)
    assert told["status"] == "interrupted"
    assert told["unjudged"]
    assert wait_for(lambda: not cluster.judging(), STEP_CPU_S)


@pytest.mark.parametrize("lost", ["Finalised()", "exec('interrupt()')"])
def test_ctrl_c_is_heard_before_anything_is_judged(cluster, prepared, tmp_path, lost):
    """Ctrl-C also works where its exception is lost."""
    early = f"{PATIENT}before(it, '_refuse_others', lambda: {lost})\n"
    words = ("run", "--reference", *rules("fair/*"), "--cluster", cluster.address)
    done = prepared(early, *words, "--report", "json=out.json")
    assert done.returncode == 130
    assert done.stderr.strip().startswith("interrupted")
    report = tmp_path / "out.json"
    assert not report.exists() or json.loads(report.read_text())["results"] == []


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


def test_an_address_at_which_nobody_is_is_told(prepared):
    pytest.importorskip("distributed", reason=NO_DASK)
    soon = "import stingy.cli.cluster as it\nit.PATIENCE = 0.5\n"
    done = prepared(soon, "run", "--cluster", "tcp://127.0.0.1:1", *rules("fair/*"))
    assert done.returncode == 4
    assert "Error: no Dask scheduler answers at tcp://127.0.0.1:1 (" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.fixture
def do(tmp_path):
    """Run the process that a worker starts for a task; return its answer.

    Its input stays open until it ends.
    """

    def do(errand, *words):
        with subprocess.Popen(
            [sys.executable, *(words or ("-m", "stingy.cli.errands.process"))],
            cwd=tmp_path,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as process:
            process.stdin.write(msgspec.json.encode(errand) + b"\n")
            process.stdin.flush()
            told = process.stdout.read()
            assert process.wait(patience(STEP_CPU_S)) == 0
        return msgspec.json.decode(told, type=Done)

    return do


def errand(asked):
    files = {"broken.py": BROKEN.encode(), "beside.py": BESIDE.encode()}
    request = Request("broken:Broken", seed=1, isolate=True)
    return Errand(version("stingy"), request, "Broken", "", asked=asked, files=files)


LATE = """
import _thread, os, runpy, time
start = _thread.start_new_thread
def begin_late(function, given):
    def late():
        time.sleep(0.5)  # by then, pytest has replaced standard input; if not, the test shows nothing
        function(*given)
    return start(late, ())
_thread.start_new_thread = begin_late
runpy.run_module("stingy.cli.errands.process", run_name="__main__")
"""


def test_a_thread_that_starts_late_waits_for_the_end_of_the_right_line(do):
    asked = tuple(
        Asked(rule.id, row.name if row else "") for rule in chosen((), ASKED).values() for row in rule.cases
    )
    assert len(do(errand(asked), "-c", LATE).judged) == len(asked)


def test_a_part_that_finds_an_order_that_fails_tells_it_as_one_machine_does(do):
    asked = (Asked(RACE, part=Part(1, 3), share=5.0),)
    (judged,) = do(errand(asked)).judged
    assert judged.verdict.verdict is Finding.FAIL
    assert judged.verdict.because.startswith("expected ")
    assert judged.verdict.order


def test_a_worker_with_another_stingy_is_told_before_anything_is_judged(cluster, stingy, tmp_path):
    ancient = tmp_path / "ancient" / "stingy-1999.1.0.dist-info"
    ancient.mkdir(parents=True)
    (ancient / "METADATA").write_text("Metadata-Version: 2.1\nName: stingy\nVersion: 1999.1.0\n")
    worker = cluster.add_worker(env=os.environ | {"PYTHONPATH": str(ancient.parent)})
    try:
        cluster.wait_for(3)
        said = stingy("slow:Slow", *rules("length/*"), "--cluster", cluster.address).stderr
    finally:
        worker.kill()
        worker.wait()
    assert "has stingy 1999.1.0, but this machine has stingy " in said
