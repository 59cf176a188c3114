"""``stingy run --cluster``: the workers of a Dask scheduler judge, and the report is that of one machine."""

import json
import os
import re
import signal
import subprocess
import sys
from importlib.metadata import version

import msgspec
import pytest
from msgspec.structs import replace

import moments
from machine import wait_for
from stingy.errands import Asked, Done, Errand, Judged
from stingy.errands.dealing import deal_out, deal_parts, is_settled, merge
from stingy.errands.parcel import MOST, ParcelError, pack
from stingy.guarantees import all_rules, chosen
from stingy.language.order import Explored
from stingy.language.rule import Level
from stingy.reports import FORMATS
from stingy.request import Request
from stingy.transport.part import Part, in_part
from stingy.verdict import Evidence, Finding, Verdict, spell

RACE = "stingy/no-item-is-with-two-workers"
PROGRAMS = "interleavings/no-program-of-a-few-lanes-breaks-it"

BROKEN = """
from beside import Held
class Broken(Held):
    "Another module that stands here says what is wrong with it."
"""
BESIDE = "from stingy_broken.queues import LetsItOutInCompany as Held"
ASKED = ("handing_out/*", "stingy/*")
"""Races among them: some orders of theirs are run, or all, or those up to one that fails."""
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
NEITHER_LATE_NOR_NEVER = 120
TIMES = re.compile(
    r'(?:time|timestamp)="[^"]*"|"(?:start|stop|duration)": ?[\d.]+|[\d.]+ m?s\b|\d{4}-\d\d-\d\d[T ][\d:.+]+(?: UTC)?'
)


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
        assert wait_for(lambda: told.exists() and told.read_text().endswith("}"), NEITHER_LATE_NOR_NEVER)
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
        """Until so many have joined."""
        from distributed import Client

        with Client(self.address, set_as_default=False) as client:
            client.wait_for_workers(workers)

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


def test_the_reports_are_those_of_one_machine_though_a_worker_dies_in_the_midst(
    cluster, begin, stingy, tmp_path
):
    """But for how long it took, and when."""

    def write(folder):
        (tmp_path / folder).mkdir()
        return ["broken:Broken", *rules(*ASKED), *(f"--report={it}={folder}/{it}" for it in FORMATS)]

    def read(folder):
        return {it: TIMES.sub("", (tmp_path / folder / it).read_text()) for it in FORMATS}

    running = begin(*write("shared"), "--cluster", cluster.address)
    dies, _ = cluster.workers
    assert (left_behind := wait_for(lambda: cluster.judging(dies), NEITHER_LATE_NOR_NEVER))
    dies.kill()
    _, said = running.communicate(timeout=240)
    cluster.workers.append(cluster.add_worker())
    assert running.returncode == 1, said
    assert wait_for(
        lambda: not any(it.is_running() and it.status() != "zombie" for it in left_behind),
        NEITHER_LATE_NOR_NEVER,
    )

    stingy(*write("alone"), "-n", "1")
    shared = read("shared")
    assert shared == read("alone")
    results = json.loads(shared["json"])["results"]
    told = [spell(row["rule"], row["case"]) for row in results]
    assert len(told) == len(set(told))
    assert set(told) == ids(ASKED)
    assert {"sampled", "deterministic"} <= {row["evidence"] for row in results}
    assert any(row["verdict"] == "FAIL" and row["order"] for row in results)


def test_a_long_search_runs_more_orders_of_what_is_kept(cluster, tmp_path):
    """Of the ten minutes that there are, two seconds are said to be left."""
    left = "import stingy.cli.cluster as it\ndeal = it.deal_parts\nit.deal_parts = lambda *a: deal(*a[:2], 2.0, a[3])\n"
    words = ("run", *rules(RACE), "--seed", "1", "--budget", "600", "--cluster", cluster.address)
    search = moments.begin(tmp_path, left, *words, "--report", "json")
    done = subprocess.run(search, cwd=tmp_path, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    (race,) = (row for row in json.loads(done.stdout)["results"] if row["rule"] == RACE)
    assert race["runs"] > 60, "which is all without it"


def test_ctrl_c_ends_what_the_workers_do_and_keeps_what_was_found(cluster, begin):
    """Which would be minutes."""
    words = ("slow:Slowest", *rules("fair/*", "length/*", "once_more/*"), "--report", "json")
    assert wait_for(lambda: not cluster.judging(), NEITHER_LATE_NOR_NEVER), "others still judge"
    running = begin(*words, "--cluster", cluster.address)
    assert wait_for(cluster.judging, NEITHER_LATE_NOR_NEVER)
    running.send_signal(signal.SIGINT)
    out, said = running.communicate(timeout=60)
    assert running.returncode == 130, said + out[:2000]
    told = json.loads(out)
    assert told["status"] == "interrupted"
    assert told["unjudged"]
    assert wait_for(lambda: not cluster.judging(), NEITHER_LATE_NOR_NEVER)


@pytest.mark.parametrize("lost", ["Finalised()", "exec('interrupt()')"])
def test_ctrl_c_is_heard_before_anything_is_judged(cluster, tmp_path, lost):
    """Where its exception is lost as well."""
    early = f"import stingy.cli.cluster as it\nbefore(it, '_refuse_others', lambda: {lost})\n"
    words = ("run", *rules("fair/*"), "--cluster", cluster.address, "--report", "json=out.json")
    done = subprocess.run(
        moments.begin(tmp_path, early, *words), cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
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


def test_every_case_is_dealt_out_once_and_a_guarantee_to_one_hand():
    hands = deal_out(all_rules(), 2)
    dealt = [spell(asked.rule, asked.case) for hand in hands for asked in hand]
    assert len(hands) == 8
    assert sorted(dealt) == sorted(ids(["*"]))
    told = [{asked.rule.partition("/")[0] for asked in hand} for hand in hands]
    assert sum(map(len, told)) == len(set().union(*told))


def sampled(rule, runs=60, **more):
    given = {"case": "", "profile": "queue", "level": Level.MUST, "verdict": Finding.PASS}
    return Verdict(rule, **{"evidence": Evidence.SAMPLED, "runs": runs} | given | more)


def test_a_long_search_goes_on_with_what_is_kept_and_not_run_in_every_order():
    rules = {RACE: all_rules()[RACE], PROGRAMS: all_rules()[PROGRAMS]}
    found = {RACE: sampled(RACE), PROGRAMS: sampled(PROGRAMS)}
    hands = deal_parts(rules, found, 120, 11)
    parts = [asked for hand in hands for asked in hand]
    assert {(it.rule, it.part.of) for it in parts} == {(RACE, 4), (PROGRAMS, 40)}
    assert sorted(it.part.number for it in parts if it.rule == PROGRAMS) == list(range(40))
    assert sum(it.share * all_rules()[it.rule].shares for it in parts) == pytest.approx(120 * 11)
    for settled in (
        sampled(RACE, verdict=Finding.FAIL),
        sampled(RACE, behind=PROGRAMS),
        replace(sampled(RACE), evidence=Evidence.EXHAUSTIVE),
    ):
        assert deal_parts({RACE: rules[RACE]}, {RACE: settled}, 120, 11) == []


def part(rule, number, of, **more):
    return Judged(Asked(rule, part=Part(number, of), share=1.0), sampled(rule, **more), 1.0)


def test_one_order_that_fails_is_what_is_told_of_all_parts():
    rule = all_rules()[RACE]
    fails = part(RACE, 1, 2, runs=7, verdict=Finding.FAIL, order="/a")
    parts = [part(RACE, 0, 2), fails]
    assert merge(sampled(RACE), rule, parts) == fails.verdict
    assert is_settled(rule, parts)
    assert not is_settled(rule, parts[:1])


def test_runs_of_all_parts_are_added_up():
    parts = [part(RACE, 0, 2, runs=100), part(RACE, 1, 2, runs=23)]
    assert merge(sampled(RACE), all_rules()[RACE], parts) == sampled(RACE, 183)


def test_small_programs_are_searched_when_each_part_is_and_a_race_when_one_is():
    def all_of(rule, number):
        found = part(rule, number, 2)
        return replace(found, verdict=replace(found.verdict, evidence=Evidence.EXHAUSTIVE))

    race, programs = all_rules()[RACE], all_rules()[PROGRAMS]
    assert is_settled(race, [all_of(RACE, 1)])
    assert not is_settled(programs, [all_of(PROGRAMS, 1), part(PROGRAMS, 0, 2)])
    both = [all_of(PROGRAMS, 1), all_of(PROGRAMS, 0)]
    assert is_settled(programs, both)
    assert merge(sampled(PROGRAMS), programs, both).evidence is Evidence.EXHAUSTIVE


def test_parts_of_a_race_run_all_small_programs_once_and_other_orders_each():
    run = []

    class Says:
        grace = 1

        def explorer(self, profile, seed, order=""):
            def explore(attempt, runs, *, small=False):
                run.append((seed, attempt))
                return Explored(1)

            return explore

    says = Says()
    for number in range(3):
        explore = in_part(says, Part(number, 3)).explorer(None, 10)
        for program in range(10):
            explore(program, 12, small=True)
    assert sorted(run) == [(10, program) for program in range(10)]
    run.clear()
    for number in range(3):
        in_part(says, Part(number, 3)).explorer(None, 10)("race", 60)
    assert run == [(11, "race"), (12, "race"), (13, "race")]


def test_a_part_of_a_candidate_is_that_candidate_otherwise():
    class Says:
        grace = 1

    says = Says()
    in_part(says, Part(0, 2)).grace = 2
    assert says.grace == in_part(says, Part(1, 2)).grace == 2


def test_what_stands_here_is_sent_along_with_what_it_imports_and_nothing_else(tmp_path):
    package = tmp_path / "mine"
    (package / "__pycache__").mkdir(parents=True)
    for name, text in {
        "mine/__init__.py": "",
        "mine/queue.py": "import json\nfrom . import data\nfrom beside.far import it",
        "mine/table.txt": "1",
        "mine/__pycache__/queue.pyc": "",
        "beside/__init__.py": "def late():\n    import further",
        "further.py": "import mine",
        "another.py": "",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    sent = pack("mine.queue:WorkQueue", tmp_path)
    assert list(sent) == [
        "beside/__init__.py",
        "further.py",
        "mine/__init__.py",
        "mine/queue.py",
        "mine/table.txt",
    ]
    assert sent["mine/table.txt"] == b"1"
    assert pack("stingy_reference", tmp_path) == {}


def test_what_is_too_large_to_be_sent_is_told(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "data").write_bytes(bytes(MOST + 1))
    with pytest.raises(ParcelError, match="install it where the workers are"):
        pack("mine", tmp_path)


@pytest.fixture
def do(tmp_path):
    """What the process says that a worker starts; its line stays open as long as it needs."""

    def do(errand, *words):
        with subprocess.Popen(
            [sys.executable, *(words or ("-m", "stingy.errands.process"))],
            cwd=tmp_path,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as process:
            process.stdin.write(msgspec.json.encode(errand) + b"\n")
            process.stdin.flush()
            told = process.stdout.read()
            assert process.wait() == 0
        return msgspec.json.decode(told, type=Done)

    return do


def errand(**said):
    given = {"name": "Broken", "version": "", "suite": version("stingy")}
    files = {"broken.py": BROKEN.encode(), "beside.py": BESIDE.encode()}
    return Errand(request=Request("broken:Broken", seed=1, isolate=True), files=files, **given | said)


LATE = """
import _thread, os, runpy, time
start = _thread.start_new_thread
def begin_late(function, given):
    def late():
        time.sleep(0.5)  # a busy machine: by then, pytest has put something else in the place of standard input
        function(*given)
    return start(late, ())
_thread.start_new_thread = begin_late
runpy.run_module("stingy.errands.process", run_name="__main__")
"""


def test_whoever_waits_late_for_the_end_of_the_line_does_not_take_another_for_it(do):
    asked = tuple(
        Asked(rule.id, row.name if row else "") for rule in chosen((), ASKED).values() for row in rule.cases
    )
    assert len(do(errand(asked=asked), "-c", LATE).judged) == len(asked)


def test_a_part_that_finds_an_order_that_fails_tells_it_as_one_machine_does(do):
    asked = (Asked(RACE, part=Part(1, 3), share=5.0),)
    (judged,) = do(errand(asked=asked)).judged
    assert judged.verdict.verdict is Finding.FAIL
    assert judged.verdict.because.startswith("expected ")
    assert judged.verdict.order


@pytest.mark.parametrize(
    ("other", "says"),
    [
        ({"suite": "1999.1.0"}, "and 1999.1.0 here"),
        ({"name": "Another"}, "Broken is there, and Another here"),
    ],
)
def test_what_is_not_the_same_there_is_refused(do, other, says):
    done = do(errand(**other))
    assert says in done.refused
    assert done.refused.endswith("install the same one")
    assert not done.judged


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
    assert "has stingy 1999.1.0, and here is " in said
